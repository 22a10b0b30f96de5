package pgtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/lib/pq" // the driver "postgres"
)

// limit is how long a statement of the set-up may take; a busy machine is slow to copy a database.
const limit = time.Minute

// URL returns the address of a new, empty database, which is dropped when the test ends.
func URL(tb testing.TB) string {
	tb.Helper()
	return fresh(tb, quick)
}

// DurableURL is URL on a server that syncs every commit to disk, for benchmarks. TEST_DATABASE_URL is taken as it is, else DATABASE_URL
// when it names a Postgres server.
func DurableURL(tb testing.TB) string {
	tb.Helper()
	return fresh(tb, durable)
}

// The server of TEST_DATABASE_URL, or those that this process starts.
var (
	quick = sync.OnceValues(func() (*host, error) {
		return find(os.Getenv("TEST_DATABASE_URL"), "fsync=off", "synchronous_commit=off", "full_page_writes=off")
	})
	durable = sync.OnceValues(func() (*host, error) {
		address := os.Getenv("TEST_DATABASE_URL")
		if given := os.Getenv("DATABASE_URL"); address == "" && strings.HasPrefix(given, "postgres") {
			address = given
		}
		return find(address)
	})
)

// host is a server. On one of our own, databases are used again: making one costs much more than emptying it.
type host struct {
	admin string // address of a database from which others can be made
	url   *url.URL
	own   bool

	mu   sync.Mutex
	free []string // addresses
}

// find takes the server at the address; without one it starts a server with the settings.
func find(address string, settings ...string) (*host, error) {
	own := false
	if address == "" {
		var err error
		if address, err = start(settings); err != nil {
			return nil, err
		}
		own = true
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address of the test server is not valid: it looks like postgres://user@host/database")
	}
	return &host{admin: address, url: u, own: own}, nil
}

func fresh(tb testing.TB, server func() (*host, error)) string {
	tb.Helper()
	h, err := server()
	require(tb, err)
	if address := h.take(); address != "" {
		tb.Cleanup(func() { h.give(address) })
		return address
	}
	name := "test_" + strings.ToLower(rand.Text())
	if err := run(h.admin, "CREATE DATABASE "+name); err != nil {
		tb.Fatalf("a database for a test: %v", err)
	}
	address := h.address(name)
	tb.Cleanup(func() {
		if h.own {
			h.give(address)
			return
		}
		if err := run(h.admin, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			tb.Errorf("remove the database of a test: %v", err)
		}
	})
	return address
}

// require ends a test that has no server: it is skipped on a machine without one, and fails in CI.
func require(tb testing.TB, err error) {
	tb.Helper()
	var missing *missingError
	switch {
	case errors.As(err, &missing) && os.Getenv("CI") != "true":
		tb.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
	case err != nil:
		tb.Fatalf("a Postgres for tests: %v", err)
	}
}

// address is the one of another database on the server.
func (h *host) address(database string) string {
	u := *h.url
	u.Path = "/" + database
	return u.String()
}

// take returns the address of an empty database that was used before, or nothing.
func (h *host) take() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.free) == 0 {
		return ""
	}
	address := h.free[len(h.free)-1]
	h.free = h.free[:len(h.free)-1]
	return address
}

// empty ends the sessions that a test left behind, and drops what it made.
const empty = `
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
DO $$ DECLARE name text; BEGIN
	FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
		EXECUTE format('DROP SCHEMA %I CASCADE', name);
	END LOOP;
	CREATE SCHEMA public;
END $$`

// give empties a database for the next test. One that cannot be emptied is left alone: it goes with the server.
func (h *host) give(address string) {
	if run(address, empty) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.free = append(h.free, address)
}

// run executes a statement on a connection of its own, also after the test's context has ended.
func run(address, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	db, err := sql.Open("postgres", address)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, statement)
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
