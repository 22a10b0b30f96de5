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

	"github.com/lib/pq"
)

// limit is how long a statement of the set-up may take; a busy machine is slow to copy a database.
const limit = time.Minute

// URL returns the address of a new, empty database, which is dropped when the test ends.
func URL(tb testing.TB) string {
	tb.Helper()
	return fresh(tb, quick)
}

// DurableURL is URL on a server that syncs every commit to disk, for benchmarks. TEST_DATABASE_URL is taken as it is.
func DurableURL(tb testing.TB) string {
	tb.Helper()
	return fresh(tb, durable)
}

// The server of TEST_DATABASE_URL, or those that this process starts.
var (
	quick   = sync.OnceValues(func() (string, error) { return find("fsync=off", "synchronous_commit=off", "full_page_writes=off") })
	durable = sync.OnceValues(func() (string, error) { return find() })
)

func find(settings ...string) (string, error) {
	if given := os.Getenv("TEST_DATABASE_URL"); given != "" {
		return given, nil
	}
	return start(settings)
}

func fresh(tb testing.TB, server func() (string, error)) string {
	tb.Helper()
	admin, err := server()
	var missing *missingError
	switch {
	case errors.As(err, &missing) && os.Getenv("CI") != "true":
		tb.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
	case err != nil:
		tb.Fatalf("a Postgres for tests: %v", err)
	}
	address, drop, err := create(admin, "test_"+strings.ToLower(rand.Text()))
	if err != nil {
		tb.Fatalf("a database for a test: %v", err)
	}
	tb.Cleanup(func() {
		if err := drop(); err != nil {
			tb.Errorf("drop the database of a test: %v", err)
		}
	})
	return address
}

// create makes a database, or a schema where the user may not make databases.
func create(admin, name string) (address string, drop func() error, err error) {
	u, err := url.Parse(admin)
	if err != nil {
		return "", nil, errors.New("TEST_DATABASE_URL is not a valid address: it looks like postgres://user@host/database")
	}
	err = run(admin, "CREATE DATABASE "+name)
	if err == nil {
		u.Path = "/" + name
		return u.String(), func() error { return run(admin, "DROP DATABASE "+name+" WITH (FORCE)") }, nil
	}
	if refused := pq.As(err); refused == nil || refused.Code != "42501" { // insufficient_privilege
		return "", nil, err
	}
	if err := run(admin, "CREATE SCHEMA "+name); err != nil {
		return "", nil, err
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String(), func() error { return run(admin, "DROP SCHEMA "+name+" CASCADE") }, nil
}

// run carries out a statement on a connection of its own, also after the test's context has ended.
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
