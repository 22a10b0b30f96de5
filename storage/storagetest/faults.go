package storagetest

import (
	"testing"

	"sluice/storage"
)

// tables are those that a whole batch touches.
var tables = []string{
	"runs", "facts", "blobs", "leases", "timers", "gates", "drafts", "schedules", "flows", "revisions", "surfaces", "inbox", "audit",
}

// RunFaults checks that a batch leaves nothing behind when the database refuses any single table of it. refuse makes the database
// fail every change of a table's rows and returns how to end that.
func RunFaults(t *testing.T, open Open, refuse func(t *testing.T, s storage.Store, table string) (end func())) {
	t.Helper()
	s := open(t)
	r := prepare(t, s)
	before := snapshot(t, s)
	for _, table := range tables {
		end := refuse(t, s, table)
		if err := s.Write(t.Context(), everything(r)); err == nil {
			t.Fatalf("%s: the refusal was not noticed", table)
		}
		end()
		same(t, "with "+table+" refused", snapshot(t, s), before)
	}
	end := refuse(t, s, "run_keys")
	for _, take := range []bool{true, false} {
		w := &storage.RunWrite{Run: newRun(2), Facts: newFacts(1, 1), TakeKey: take}
		w.Run.Key = "A-1001"
		if err := s.Write(t.Context(), &storage.Batch{Run: w}); err == nil {
			t.Fatal("run_keys: the refusal was not noticed")
		}
	}
	end()
	same(t, "runs", len(must(s.Runs(t.Context(), storage.RunQuery{}))(t)), 1)
	write(t, s, everything(r))
}
