package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
)

// soon is how long the tests wait for something that has to happen.
const soon = 30 * time.Second

func TestStoreOutlivesItsConnections(t *testing.T) {
	t.Parallel()
	line := pgtest.NewProxy(t, pgtest.URL(t))
	s := openAt(t, line.URL)
	flow := &storage.Batch{Flow: &storage.Flow{Name: "refund"}}
	if err := s.Write(t.Context(), flow); err != nil {
		t.Fatal(err)
	}
	line.Cut()
	if err := s.Write(t.Context(), flow); !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("write: error %v, want ErrUnavailable", err)
	}
	if _, err := s.Flow(t.Context(), "refund"); !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("read: error %v, want ErrUnavailable", err)
	}
	if _, err := s.PutInbox(t.Context(), storage.Inbox{Key: "E1"}); !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("delivery: error %v, want ErrUnavailable", err)
	}
	if _, _, err := s.Serve(t.Context(), "me"); !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("serve: error %v, want ErrUnavailable", err)
	}
	line.Mend()
	if _, err := s.Flow(t.Context(), "refund"); err != nil {
		t.Fatalf("after the line was mended: %v", err)
	}
	if err := s.Write(t.Context(), flow); err != nil {
		t.Fatalf("after the line was mended: %v", err)
	}
}

// TestStoreOutlivesItsSessions has the server end the sessions, as it does when it restarts.
func TestStoreOutlivesItsSessions(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := openAt(t, address)
	for range 3 {
		if err := s.Write(t.Context(), &storage.Batch{Flow: &storage.Flow{Name: "refund"}}); err != nil {
			if !errors.Is(err, storage.ErrUnavailable) {
				t.Fatalf("error %v, want ErrUnavailable", err)
			}
			// The broken connections are gone now.
			if err := s.Write(t.Context(), &storage.Batch{Flow: &storage.Flow{Name: "refund"}}); err != nil {
				t.Fatalf("the second try: %v", err)
			}
		}
		endSessions(t, address)
	}
}

func endSessions(t *testing.T, address string) {
	t.Helper()
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
	if _, err := db.ExecContext(t.Context(), end); err != nil {
		t.Fatal(err)
	}
}

func TestTheRightToServeIsLostWithItsConnection(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	first, second := openAt(t, address), openAt(t, address)
	release, lost, err := first.Serve(t.Context(), "first on host-a")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := second.Serve(t.Context(), "second"); !errors.Is(err, storage.ErrLocked) ||
		!strings.Contains(err.Error(), "first on host-a (process ") {
		t.Fatalf("error %v", err)
	}
	endSessions(t, address)
	select {
	case <-lost:
	case <-time.After(soon):
		t.Fatal("the loss was not noticed")
	}
	releaseSecond, _, err := second.Serve(t.Context(), "second")
	if err != nil {
		t.Fatalf("after the first lost it: %v", err)
	}
	for _, end := range []func() error{release, releaseSecond} {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}

func TestCancelledWaitIsTheCallersDoing(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := openAt(t, address)
	flow := &storage.Batch{Flow: &storage.Flow{Name: "refund"}}
	if err := s.Write(t.Context(), flow); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), "LOCK TABLE flows"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Write(ctx, flow) }()
	// The write is waiting once the server lists its lock as not granted.
	for waiting := 0; waiting == 0; {
		const query = "SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
		if err := tx.QueryRowContext(t.Context(), query).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("error %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), flow); err != nil {
		t.Fatal(err)
	}
}

func TestTwoStoresInOneDatabase(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, schema := range []string{"one", "two"} {
		if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
			t.Fatal(err)
		}
		s := openAt(t, address+"&search_path="+schema)
		if _, err := s.Flow(t.Context(), "refund"); !errors.Is(err, storage.ErrNotFound) {
			t.Fatalf("%s: error %v", schema, err)
		}
		if err := s.Write(t.Context(), &storage.Batch{Flow: &storage.Flow{Name: "refund"}}); err != nil {
			t.Fatal(err)
		}
		release, _, err := s.Serve(t.Context(), schema)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		defer func() {
			if err := release(); err != nil {
				t.Error(err)
			}
		}()
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	there := pgtest.URL(t)
	u, err := url.Parse(there)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("postgres", "hunter2")
	for _, c := range []struct {
		name   string
		change func(u *url.URL)
		away   bool
	}{
		{"nobody listens", func(u *url.URL) { u.Host = "127.0.0.1:1" }, true},
		{"no such database", func(u *url.URL) { u.Path = "/nothing" }, false},
		{"unknown setting", func(u *url.URL) { u.RawQuery += "&no_such_setting=1" }, false},
		{"broken", func(u *url.URL) { u.Host = "127.0.0.1:port" }, false},
	} {
		wrong := *u
		c.change(&wrong)
		_, err := postgres.Open(t.Context(), wrong.String())
		switch {
		case err == nil:
			t.Errorf("%s: opened", c.name)
		case errors.Is(err, storage.ErrUnavailable) != c.away:
			t.Errorf("%s: unavailable is %t: %v", c.name, !c.away, err)
		case strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: the error repeats the password: %v", c.name, err)
		}
	}
}

func TestTextThatPostgresRefusesIsMended(t *testing.T) {
	t.Parallel()
	s := open(t)
	run := storage.Run{
		ID: "r1", Flow: "refund", Name: "refund-1", Started: time.Now(), Title: "cut in the middle of \xe9\x80", Key: "zero \x00 byte",
	}
	w := &storage.Batch{Run: &storage.RunWrite{Run: run, TakeKey: true, Facts: []storage.Fact{{Seq: 1, Node: "\xff"}}}}
	if err := s.Write(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	got, err := s.Run(t.Context(), "r1")
	if err != nil || got.Title != "cut in the middle of \uFFFD" || got.Key != "zero \uFFFD byte" {
		t.Fatalf("%q, %q, %v", got.Title, got.Key, err)
	}
	w.Run.Run.ID, w.Run.Run.Name = "r2", "refund-2"
	var taken *storage.KeyTakenError
	if err := s.Write(t.Context(), w); !errors.As(err, &taken) || taken.Run != "r1" {
		t.Fatalf("error %v", err)
	}
	run.Version, run.Title = 1, "\xff again"
	if err := s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: run}}); err != nil {
		t.Fatal(err)
	}
}

// TestAFullDiskRefusesAWriteAndForgetsIt has the server answer as it does when its disk is full.
func TestAFullDiskRefusesAWriteAndForgetsIt(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := openAt(t, address)
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const full = `CREATE FUNCTION full_disk() RETURNS trigger AS $$ BEGIN
			RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$ LANGUAGE plpgsql;
		CREATE TRIGGER full_disk BEFORE INSERT ON facts EXECUTE FUNCTION full_disk()`
	if _, err := db.ExecContext(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	run := storage.Run{ID: "r1", Flow: "refund", Name: "refund-1", Started: time.Now()}
	b := &storage.Batch{Run: &storage.RunWrite{Run: run, Facts: []storage.Fact{{Seq: 1, Kind: "run_started"}}}}
	if err := s.Write(t.Context(), b); !errors.Is(err, storage.ErrFull) || !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("error %v, want ErrFull", err)
	}
	if _, err := s.Run(t.Context(), "r1"); !errors.Is(err, storage.ErrNotFound) {
		t.Fatalf("the run is half there: %v", err)
	}
	if _, err := db.ExecContext(t.Context(), "DROP TRIGGER full_disk ON facts"); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatalf("with room again: %v", err)
	}
}
