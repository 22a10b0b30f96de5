package sqlstore

import (
	"context"
	"errors"

	"sluice/storage"
)

var (
	runQueueColumns = []Column{{"run", Text}, {"behind", Text}}
	runQueue        = table{"run_queue", runQueueColumns, ""}
)

// joinQueue takes the key of a new run from the one that must hold it, and puts the run behind that one.
func joinQueue(w *storage.RunWrite) []Part {
	r := w.Run
	pass := Part{
		Name: "pass_key",
		SQL: `UPDATE run_keys SET run = v.run, taken = v.taken FROM {rows}
			WHERE run_keys.flow = v.flow AND run_keys.key = v.key AND run_keys.run = v.behind`,
		Columns: []Column{{"flow", Text}, {"key", Text}, {"run", Text}, {"taken", Time}, {"behind", Text}},
		Rows:    [][]any{{r.Flow, r.Key, r.ID, r.Started, w.After}},
		Must:    1, Else: errKeyTaken,
	}
	return []Part{pass, runQueue.part([][]any{{r.ID, w.After}})}
}

// leaveQueue takes runs out of the queues of their keys.
func leaveQueue(runs []string) Part { return removeRows("run_queue", "run", runs) }

// Before gives the run right before another in its key's queue; "" = there is none.
func (s *runStore) Before(ctx context.Context, run string) (string, error) {
	var behind string
	err := s.get(ctx, s.read, &behind, "SELECT behind FROM run_queue WHERE run = $1", run)
	if err = s.Wrap(ctx, err, "find the run before "+run); errors.Is(err, storage.ErrNotFound) {
		return "", nil
	}
	return behind, err
}

type runID string

func (r runID) value() string { return string(r) }

// Behind lists the runs right behind another in its key's queue.
func (s *runStore) Behind(ctx context.Context, run string) ([]string, error) {
	return list[runID](ctx, s.database, "list runs behind "+run, "SELECT run FROM run_queue WHERE behind = $1", run)
}

type queueEntryRow struct {
	storage.QueueEntry
}

func (r queueEntryRow) value() storage.QueueEntry { return r.QueueEntry }

// QueueEntries lists entries of key queues, in order of runs.
func (s *runStore) QueueEntries(ctx context.Context, q storage.QueueQuery) ([]storage.QueueEntry, error) {
	live := func(run string) string {
		return "EXISTS (SELECT 1 FROM runs WHERE runs.id = " + run + " AND NOT (" + s.dialect.In("runs.status", 2, Text) + "))"
	}
	query := `SELECT q.run, q.behind,
			NOT ` + live("q.run") + ` AND NOT ` + live("q.behind") + ` AND NOT EXISTS (SELECT 1 FROM timers WHERE timers.id = $3 || q.behind) AS over,
			NOT EXISTS (SELECT 1 FROM run_queue AS b WHERE b.run = q.behind) AS first
		FROM run_queue AS q WHERE q.run > $1 ORDER BY q.run LIMIT $4`
	return list[queueEntryRow](ctx, s.database, "list entries of key queues", query, q.After, q.Final, q.SignalPrefix, atMost(q.Limit))
}
