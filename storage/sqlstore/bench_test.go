package sqlstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

// TestHotTransitionIsOneStatement is about Postgres, where each statement is a round trip.
func TestHotTransitionIsOneStatement(t *testing.T) {
	t.Parallel()
	s := openPostgres(t)
	r := startRun(t.Context(), t, s, 1)
	var mu sync.Mutex
	var used []string
	s.(inner).Observe(func(query string) {
		mu.Lock()
		defer mu.Unlock()
		used = append(used, query)
	})
	b := transition(r, 2)
	b.Run.Leases, b.Run.NoLease = []storage.Lease{{Token: 1, Epoch: 2}}, []int{2}
	b.Run.Timers, b.Run.NoTimer = []storage.Timer{{ID: "t1", Due: time.Now()}}, []string{"t2"}
	b.Run.Gates = []storage.Gate{{ID: "g1"}}
	b.Run.Facts[0].Body = bytes.Repeat([]byte("x"), 100<<10)
	if _, err := s.PutInbox(t.Context(), storage.Inbox{Key: "E1"}); err != nil {
		t.Fatal(err)
	}
	used = nil
	b.Surfaces, b.InboxDone = []storage.Surface{{ID: "gate"}}, []int64{1}
	for range 2 { // the second time it is a conflict
		err := s.Write(t.Context(), b)
		if len(used) == 1 && err != nil {
			t.Fatal(err)
		}
	}
	if len(used) != 3 || used[0] != used[1] {
		t.Fatalf("a transition and a conflict with the look at its reason used %d statements: %q", len(used), used)
	}
}

// startRun stores a run with a surface.
func startRun(ctx context.Context, tb testing.TB, s storage.Store, n int) storage.Run {
	tb.Helper()
	r := storage.Run{
		ID: fmt.Sprintf("r%d", n), Flow: "refund", Number: n, Name: fmt.Sprintf("refund-%d", n), Status: "running",
		Started: time.Now(), State: bytes.Repeat([]byte("s"), 600),
	}
	err := s.Write(ctx, &storage.Batch{
		Run:      &storage.RunWrite{Run: r, Facts: []storage.Fact{{Seq: 1, Kind: "run_started", At: time.Now()}}},
		Surfaces: []storage.Surface{{ID: "status-" + r.ID, Ref: "run:" + r.ID}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	r.Version = 1
	return r
}

// transition is what one step of a chain writes.
func transition(r storage.Run, seq int64) *storage.Batch {
	facts := make([]storage.Fact, 3)
	for i, kind := range []string{"step_finished", "route_taken", "step_started"} {
		facts[i] = storage.Fact{
			Seq: seq + int64(i), Kind: kind, Version: 1, At: time.Now(), Actor: []byte(`{"via":"worker"}`), Token: 1, Node: "node",
			Step: 1, Body: bytes.Repeat([]byte("b"), 250),
		}
	}
	return &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: facts}, Stale: []string{"run:" + r.ID}}
}

// BenchmarkTransition compares the transition of a step with the commit of a single row, alone and with 32 at a time.
func BenchmarkTransition(b *testing.B) {
	for _, kind := range []struct {
		name string
		open func(b *testing.B) (storage.Store, *sql.DB)
	}{{"sqlite", benchSQLite}, {"postgres", benchPostgres}} {
		b.Run(kind.name, func(b *testing.B) {
			s, db := kind.open(b)
			if _, err := db.ExecContext(b.Context(), "CREATE TABLE yardstick (body TEXT)"); err != nil {
				b.Fatal(err)
			}
			for _, clients := range []int{1, 32} {
				compare(b, s, db, clients)
			}
		})
	}
}

func compare(b *testing.B, s storage.Store, db *sql.DB, clients int) {
	stmt, err := db.PrepareContext(b.Context(), "INSERT INTO yardstick (body) VALUES ($1)")
	if err != nil {
		b.Fatal(err)
	}
	body := string(bytes.Repeat([]byte("y"), 200))
	var row, step time.Duration
	b.Run(fmt.Sprintf("row/clients=%d", clients), func(b *testing.B) {
		row = many(b, clients, func() error {
			_, err := stmt.ExecContext(b.Context(), body)
			return err
		}, nil)
	})
	b.Run(fmt.Sprintf("transition/clients=%d", clients), func(b *testing.B) {
		step = many(b, clients, nil, func() func() error {
			r := startRun(b.Context(), b, s, int(benchRun.Add(1)))
			seq := int64(2)
			return func() error {
				err := s.Write(b.Context(), transition(r, seq))
				r.Version++
				seq += 3
				return err
			}
		})
		if row > 0 {
			b.ReportMetric(100*float64(row)/float64(step), "%of-row")
		}
	})
}

// benchRun numbers the runs of all benchmarks.
var benchRun atomic.Int64

// many has clients share b.N calls; each makes its own call when it has to remember something. It returns the time for each.
func many(b *testing.B, clients int, call func() error, each func() func() error) time.Duration {
	calls := make([]func() error, clients)
	for i := range calls {
		if calls[i] = call; each != nil {
			calls[i] = each()
		}
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	var wg sync.WaitGroup
	for _, call := range calls {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := call(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return b.Elapsed() / time.Duration(b.N)
}

func benchSQLite(b *testing.B) (storage.Store, *sql.DB) {
	path := filepath.Join(b.TempDir(), "sluice.db")
	s, err := sqlite.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=synchronous(full)")
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	b.Cleanup(func() {
		_ = db.Close()
		_ = s.Close()
	})
	return s, db
}

func benchPostgres(b *testing.B) (storage.Store, *sql.DB) {
	address := pgtest.DurableURL(b)
	s, err := postgres.Open(b.Context(), address)
	if err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("postgres", address+"&binary_parameters=yes")
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(32)
	db.SetMaxIdleConns(32)
	b.Cleanup(func() {
		_ = db.Close()
		_ = s.Close()
	})
	return s, db
}
