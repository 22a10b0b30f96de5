package postgres_test

import (
	"database/sql"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
)

// bells is a queue as small as can be: a row for each job, over when rung.
const bells = `CREATE TABLE bells (id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 100) PRIMARY KEY, run TEXT, token BIGINT, epoch BIGINT,
	ringer TEXT, rung BOOLEAN NOT NULL DEFAULT FALSE)`

var bellQueue = storage.Queue{
	Put:     "INSERT INTO bells (run, token, epoch) SELECT v.run, v.token, v.epoch FROM {rows} RETURNING id AS job_id, run, token",
	Gone:    "NOT EXISTS (SELECT 1 FROM bells WHERE id = {job} AND NOT rung)",
	End:     "UPDATE bells SET rung = TRUE WHERE id = {job}",
	EndDead: "UPDATE bells SET rung = TRUE WHERE ringer = ANY ($1::text[])",
}

func openQueued(t *testing.T) (storage.Store, *sql.DB) {
	t.Helper()
	address := pgtest.URL(t)
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), bells); err != nil {
		t.Fatal(err)
	}
	s, err := postgres.Open(t.Context(), address, postgres.WithQueue(bellQueue))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, db
}

func leases(t *testing.T, s storage.Store) []storage.Lease {
	t.Helper()
	list, err := s.Leases(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func count(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestJobsComeWithTheirLeases(t *testing.T) {
	t.Parallel()
	s, db := openQueued(t)
	w := &storage.Batch{Run: &storage.RunWrite{Run: storage.Run{ID: "r1", Name: "r-1"}, Leases: []storage.Lease{
		{Token: 1, Epoch: 1}, {Token: 2, Epoch: 1, Worker: "w"}, {Token: 3, Epoch: 7},
	}}}
	if err := s.Write(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	jobs := map[int]int64{}
	for _, l := range leases(t, s) {
		jobs[l.Token] = l.JobID
	}
	if jobs[2] != 0 || jobs[1] == 0 || jobs[3] == 0 || jobs[1] == jobs[3] {
		t.Fatalf("jobs by token: %v", jobs)
	}
	if n := count(t, db, "SELECT count(*) FROM bells b JOIN leases l ON l.job_id = b.id AND l.run = b.run AND l.token = b.token AND l.epoch = b.epoch"); n != 2 {
		t.Fatalf("%d jobs are those of their leases", n)
	}
	// What is refused dispatches nothing.
	w.Run.Run.Version = 9
	if err := s.Write(t.Context(), w); err == nil {
		t.Fatal("written at a wrong version")
	}
	if n := count(t, db, "SELECT count(*) FROM bells"); n != 2 {
		t.Fatalf("%d jobs after a refused write", n)
	}
}

func TestLeasesWhoseJobIsOverAreDispatchedAgainOnce(t *testing.T) {
	t.Parallel()
	s, db := openQueued(t)
	err := s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: storage.Run{ID: "r1", Name: "r-1"}, Leases: []storage.Lease{
		{Token: 1, Epoch: 1}, {Token: 2, Epoch: 1}, {Token: 3, Epoch: 1}, {Token: 4, Epoch: 1},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"DELETE FROM bells WHERE token = 1", "UPDATE bells SET ringer = 'dead' WHERE token = 2", "UPDATE leases SET job_id = NULL WHERE token = 4",
	} {
		if _, err := db.ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.EndDead(t.Context(), []string{"dead", "other"}); err != nil {
		t.Fatal(err)
	}
	list, err := s.Unclaimed(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	var tokens []int
	var again atomic.Int32
	var wg sync.WaitGroup
	for _, l := range list {
		tokens = append(tokens, l.Token)
		for range 4 {
			wg.Go(func() {
				ok, err := s.Redispatch(t.Context(), l)
				if err != nil {
					t.Error(err)
				}
				if ok {
					again.Add(1)
				}
			})
		}
	}
	wg.Wait()
	if !slices.Equal(tokens, []int{1, 2, 4}) || again.Load() != 3 {
		t.Fatalf("tokens %v were found, %d dispatched again", tokens, again.Load())
	}
	if list, err := s.Unclaimed(t.Context(), 10); err != nil || len(list) != 0 {
		t.Fatalf("%v is left, %v", list, err)
	}
	// The three new ones wait, that of token 3, and that of token 4 which its lease has forgotten.
	if n := count(t, db, "SELECT count(*) FROM bells WHERE NOT rung"); n != 5 {
		t.Fatalf("%d jobs wait", n)
	}
}
