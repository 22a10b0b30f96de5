package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/pgtest"
)

// contender is a process that wants to move a run again and again, and asks for the lock after its second loss.
type contender struct {
	storage.Store
	run  string
	lost int // most often in one move
}

func (c *contender) move(ctx context.Context) error {
	for lost := 0; ; lost++ {
		c.lost = max(c.lost, lost)
		write := c.Write
		if lost >= 2 {
			lock, err := c.Lock(ctx, c.run)
			if err != nil {
				return err
			}
			defer lock.Release()
			write = lock.Write
		}
		row, err := c.Run(ctx, c.run)
		if err != nil {
			return err
		}
		facts := []storage.Fact{{Seq: row.Version + 1, Kind: "moved"}}
		if err = write(ctx, &storage.Batch{Run: &storage.RunWrite{Run: row, Facts: facts}}); !errors.Is(err, storage.ErrConflict) {
			return err
		}
	}
}

// TestNobodyStarves has many processes move one run without a pause: with the lock nobody loses more than twice.
func TestNobodyStarves(t *testing.T) {
	t.Parallel()
	const contenders, moves = 8, 60
	address := pgtest.URL(t)
	first := openAt(t, address)
	r := storage.Run{ID: "r1", Flow: "f", Number: 1, Name: "f-1", Status: "running", Started: time.Now()}
	if err := first.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: []storage.Fact{{Seq: 1, Kind: "run_started"}}}}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var all []*contender
	for range contenders {
		c := &contender{Store: openAt(t, address), run: r.ID}
		all = append(all, c)
		wg.Go(func() {
			for range moves {
				if err := c.move(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	most := 0
	for _, c := range all {
		most = max(most, c.lost)
	}
	t.Logf("at most %d losses in a row", most)
	if most > 2 {
		t.Errorf("somebody lost %d times in a row", most)
	}
	facts, err := first.Facts(t.Context(), r.ID, 0)
	if err != nil || len(facts) != 1+contenders*moves {
		t.Errorf("%d facts, want %d (%v)", len(facts), 1+contenders*moves, err)
	}
}

// TestALockIsGivenBack has one process hold a run that another wants: until it releases it, until it has written, and, frozen in the middle,
// until the server takes it away.
func TestALockIsGivenBack(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	holder, other := openAt(t, address), openAt(t, address)
	r := storage.Run{ID: "r1", Flow: "f", Number: 1, Name: "f-1", Status: "running", Started: time.Now()}
	if err := holder.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: []storage.Fact{{Seq: 1, Kind: "run_started"}}}}); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	next := func(seq int64) *storage.Batch {
		r.Version++
		return &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: []storage.Fact{{Seq: seq, Kind: "moved"}}}}
	}
	for i, end := range []func(l storage.Locked){
		func(l storage.Locked) { l.Release() },
		func(l storage.Locked) {
			if err := l.Write(t.Context(), next(int64(r.Version)+2)); err != nil {
				t.Error(err)
			}
			l.Release()
		},
		func(storage.Locked) {}, // frozen
	} {
		l, err := holder.Lock(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		var wrote sync.WaitGroup
		before := time.Now()
		end(l)
		const held = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
		var n int
		if err := db.QueryRowContext(t.Context(), held).Scan(&n); err != nil || i < 2 && n != 0 {
			t.Errorf("%d: %d transactions are open, %v", i, n, err)
		}
		b := next(r.Version + 2)
		wrote.Go(func() {
			if err := other.Write(t.Context(), b); err != nil {
				t.Errorf("%d: the other one: %v", i, err)
			}
		})
		wrote.Wait()
		if took := time.Since(before); took > soon {
			t.Errorf("%d: the other one waited for %v", i, took)
		}
		if err := l.Write(t.Context(), next(r.Version+2)); err == nil {
			t.Errorf("%d: the lock still writes", i)
		} else {
			r.Version--
		}
		l.Release()
	}
	l, err := other.Lock(t.Context(), "nobody")
	if err != nil {
		t.Fatalf("a run that is gone: %v", err)
	}
	l.Release()
}
