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

// leaveQueue deletes places in lines.
func leaveQueue(runs []string) Part { return removeRows("run_queue", "run", runs) }

// Before gives the run right before another in its key's queue; "" = there is none.
func (s *Store) Before(ctx context.Context, run string) (string, error) {
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
func (s *Store) Behind(ctx context.Context, run string) ([]string, error) {
	return list[runID](ctx, s, "list runs behind "+run, "SELECT run FROM run_queue WHERE behind = $1", run)
}
