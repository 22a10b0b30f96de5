package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"sluice/storage"
)

// slow is a store whose first write waits, and whose transactions of several rows may fail.
type slow struct {
	memory
	begun, goOn chan struct{}
	groups      [][]string
	fails       error
}

func (s *slow) PutInbox(ctx context.Context, row storage.Inbox) (bool, error) {
	if row.Key == "E0" {
		close(s.begun)
		<-s.goOn
	}
	if row.Kind == "bad" {
		return false, errBad
	}
	return s.memory.PutInbox(ctx, row)
}

func (s *slow) PutInboxes(ctx context.Context, list []storage.Inbox) error {
	var keys []string
	for _, row := range list {
		keys = append(keys, row.Key)
	}
	s.groups = append(s.groups, keys)
	if s.fails != nil {
		return s.fails
	}
	for _, row := range list {
		if _, err := s.memory.PutInbox(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

var errBad = errors.New("this row cannot be stored")

// TestDeliveriesThatMeetAreStoredTogether: in their order, and none fails for another's sake.
func TestDeliveriesThatMeetAreStoredTogether(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails  error
		stored int // of five, of which one cannot be stored alone either
	}{
		"together":          {nil, 5},
		"one is bad":        {errBad, 4},
		"the store is away": {storage.ErrUnavailable, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &slow{begun: make(chan struct{}), goOn: make(chan struct{}), fails: c.fails}
			b := New(Config{Store: s})
			told := make(chan error, 5)
			for i := range 5 {
				row := storage.Inbox{Key: fmt.Sprint("E", i)}
				if i == 3 {
					row.Kind = "bad"
				}
				b.Take(row, func(err error) { told <- err })
				if i == 0 {
					<-s.begun // the others meet this one
				}
			}
			close(s.goOn)
			b.Settle()
			good := 0
			for range 5 {
				if err := <-told; err == nil {
					good++
				} else if !errors.Is(err, c.fails) {
					t.Error(err)
				}
			}
			if good != c.stored || len(s.rows) != c.stored || len(s.groups) != 1 || !slices.Equal(s.groups[0], []string{"E1", "E2", "E3", "E4"}) {
				t.Errorf("%d were told that they are stored, %d are, in the groups %v", good, len(s.rows), s.groups)
			}
			if !slices.IsSortedFunc(s.rows, func(a, b storage.Inbox) int { return int(a.Key[1]) - int(b.Key[1]) }) {
				t.Errorf("the order is %v", s.rows)
			}
		})
	}
}
