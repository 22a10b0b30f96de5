package prune_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"sluice/engine/enginetest"
	"sluice/storage"
)

// short is a store as a process has it that is killed after so many removals.
type short struct {
	storage.Store
	left int
}

var errKilled = errors.New("killed")

func (s *short) spent() error {
	if s.left--; s.left < 0 {
		return errKilled
	}
	return nil
}

func (s *short) Remove(ctx context.Context, r storage.Removal) error {
	if err := s.spent(); err != nil {
		return err
	}
	return s.Store.Remove(ctx, r)
}

func (s *short) RemoveFacts(ctx context.Context, limit int) (int, error) {
	if err := s.spent(); err != nil {
		return 0, err
	}
	return s.Store.RemoveFacts(ctx, min(limit, 2))
}

// A round that is cut short after any of its writes leaves runs that are whole or gone, trails included, and the next round takes the rest.
func TestARoundThatIsCutShort(t *testing.T) {
	t.Parallel()
	const runs, facts = 2, 5
	for n := range 9 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := openSQLite(t)
			for id := range runs {
				store(t, s, id, 1, facts)
			}
			p := pruner(&short{s, n}, 24*time.Hour)
			first, err := p.Once(t.Context())
			if !errors.Is(err, errKilled) {
				t.Fatalf("after %d writes: removed %s, %v", n, first, err)
			}
			for id := range runs {
				_, gone := s.Run(t.Context(), fmt.Sprint("r", id))
				trail, err := enginetest.TrailOf(t.Context(), s, fmt.Sprint("refund-", id))
				if err != nil || trail.Removed != (gone != nil) || trail.Removed && len(trail.Facts) != 1 {
					t.Errorf("run %d: %v; its trail: %+v, %v", id, gone, trail, err)
				}
			}
			rest, err := pruner(s, 24*time.Hour).Once(t.Context())
			if err != nil || first.Runs+rest.Runs != runs || first.Facts+rest.Facts != runs*facts {
				t.Errorf("removed %s, then %s (%v)", first, rest, err)
			}
		})
	}
}
