package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

// TestPruneLeavesAServedFileAlone is about SQLite: the file belongs to the process that serves it.
func TestPruneLeavesAServedFileAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	release, _, err := store.Serve(t.Context(), "sluice serve on host-a")
	if err != nil {
		t.Fatal(err)
	}
	old(t, store)
	args := []string{"prune", "--data", dir, "--database-url=", "--keep-runs", "1ms"}
	var out, errs bytes.Buffer
	if code := program(args, stdio{strings.NewReader(""), &out, &errs}); code != exitFailed {
		t.Errorf("code %d", code)
	}
	for _, part := range []string{"sluice serve on host-a", "prunes by itself (every 1h)", "stop it first"} {
		if !strings.Contains(errs.String(), part) {
			t.Errorf("%q is not in %q", part, errs.String())
		}
	}
	if _, err := store.Run(t.Context(), "r1"); err != nil {
		t.Errorf("the run: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if code := program(args, stdio{strings.NewReader(""), &out, &errs}); code != 0 || !strings.Contains(out.String(), "removed 1 runs") {
		t.Errorf("when nobody serves: code %d, %s%s", code, out.String(), errs.String())
	}
}

// TestPruneBesideOthers is about Postgres: nobody has to stop.
func TestPruneBesideOthers(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	store, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	old(t, store)
	var out, errs bytes.Buffer
	code := program([]string{"prune", "--data", t.TempDir(), "--database-url", address, "--keep-runs", "1ms"}, stdio{strings.NewReader(""), &out, &errs})
	if code != 0 || !strings.Contains(out.String(), "removed 1 runs (1 facts)") {
		t.Errorf("code %d, %s%s", code, out.String(), errs.String())
	}
}

// old stores a run that ended long ago.
func old(t *testing.T, store storage.Store) {
	t.Helper()
	r := storage.Run{ID: "r1", Flow: "refund", Number: 1, Name: "refund-1", Status: "succeeded", Started: time.Unix(1, 0), Ended: time.Unix(2, 0)}
	fact := storage.Fact{Seq: 1, Kind: "run_started", Version: 1, Body: []byte(`{"flow":"refund","inputs":{"order_id":"A-1"}}`)}
	if err := store.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: []storage.Fact{fact}}}); err != nil {
		t.Fatal(err)
	}
}
