package sqlstore_test

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
	"sluice/storage/sqlstore"
)

// kinds opens either kind of store, as often as a test likes, on one database.
var kinds = []struct {
	name string
	at   func(t *testing.T) func(t *testing.T) (storage.Store, error)
}{
	{"sqlite", func(t *testing.T) func(t *testing.T) (storage.Store, error) {
		path := filepath.Join(t.TempDir(), "sluice.db")
		return func(t *testing.T) (storage.Store, error) { return sqlite.Open(t.Context(), path) }
	}},
	{"postgres", func(t *testing.T) func(t *testing.T) (storage.Store, error) {
		url := pgtest.URL(t)
		return func(t *testing.T) (storage.Store, error) { return postgres.Open(t.Context(), url) }
	}},
}

func TestManyProcessesOpenAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			open := kind.at(t)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					s, err := open(t)
					if err != nil {
						t.Error(err)
						return
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			s, err := open(t)
			lines, err := closing(t, s, err).(inner).Lines(t.Context(), "SELECT number FROM schema_steps ORDER BY number")
			if err != nil || len(lines) == 0 || lines[0][0] != int64(1) {
				t.Fatalf("steps %v, %v", lines, err)
			}
		})
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			open := kind.at(t)
			s, err := open(t)
			raw(t, closing(t, s, err), "INSERT INTO schema_steps (number, name) VALUES (9999, '9999_future.sql')")
			_, err = open(t)
			if !errors.Is(err, storage.ErrNewer) {
				t.Fatalf("error %v", err)
			}
			if !strings.Contains(err.Error(), "step 9999") || errors.Is(err, storage.ErrUnavailable) {
				t.Fatalf("the refusal is not clear: %v", err)
			}
		})
	}
}

func TestMigrationsHaveNoGaps(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]fstest.MapFS{
		"gap":        {"x/0001_a.sql": {}, "x/0003_b.sql": {}},
		"twice":      {"x/0001_a.sql": {}, "x/0001_b.sql": {}},
		"no number":  {"x/first.sql": {}},
		"not from 1": {"x/0002_a.sql": {}},
	} {
		if _, err := sqlstore.Migrations(files, "x"); err == nil || !strings.Contains(err.Error(), "out of order") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	steps, err := sqlstore.Migrations(fstest.MapFS{"x/0002_b.sql": {}, "x/0001_a.sql": {Data: []byte("SELECT 1")}}, "x")
	if err != nil || len(steps) != 2 || steps[0].SQL != "SELECT 1" || steps[1].Name != "0002_b.sql" {
		t.Fatalf("steps %v, %v", steps, err)
	}
}

// TestFailedMigrationLeavesNothing stops half-way through a step.
func TestFailedMigrationLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			open := kind.at(t)
			s, err := open(t)
			raw(t, closing(t, s, err), "DROP TABLE schema_steps; DROP TABLE roles")
			// The first step starts anew and meets the tables that are there.
			if _, err := open(t); err == nil || !strings.Contains(err.Error(), "0001_start.sql") {
				t.Fatalf("error %v", err)
			}
			if lines, err := s.(inner).Lines(t.Context(), "SELECT * FROM schema_steps"); err == nil {
				t.Fatalf("the failed migration left its table with %v", lines)
			}
		})
	}
}
