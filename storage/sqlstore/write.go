package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"sluice/storage"
)

// attempts is how often a write is tried that met a deadlock; the database has undone it each time.
const attempts = 5

// errKeyTaken is found out by the statement that takes a key; Write then looks up who has it.
var errKeyTaken = errors.New("the run key is taken")

// writer applies batches.
type writer struct {
	*database
	groups sync.Map // kind of write -> *grouping
}

// Write applies a batch: all of it or nothing.
func (s *writer) Write(ctx context.Context, b *storage.Batch) error {
	parts, err := parts(b)
	if err != nil || len(parts) == 0 {
		return err
	}
	doing := describe(b)
	for range attempts {
		if err = s.apply(ctx, parts); err == nil {
			return nil
		}
		if !s.dialect.Again(err) {
			break
		}
	}
	switch {
	case errors.Is(err, errKeyTaken):
		return s.keyTaken(ctx, b.Run.Run)
	case s.dialect.Duplicate(err):
		return fmt.Errorf("%s: %w: %w", doing, storage.ErrConflict, err)
	case errors.Is(err, storage.ErrConflict) && b.Run != nil && len(b.Run.Facts) > 0:
		return s.conflict(ctx, b.Run, doing, err)
	}
	return s.Wrap(ctx, err, doing)
}

// apply executes the parts, with those of other writes if that is as good.
func (s *writer) apply(ctx context.Context, parts []Part) error {
	if kind := s.dialect.Kind(parts); kind != "" {
		return s.group(kind).write(ctx, parts)
	}
	return s.dialect.Apply(ctx, parts)
}

// errUntouched says that a statement has found no row.
var errUntouched = errors.New("no row was touched")

// one executes a statement that touches one row at most, and says how many it was. Where there is one writer it shares a commit with the writes
// that meet it, and waits behind none of them.
func (s *writer) one(ctx context.Context, doing, query string, args ...any) (int64, error) {
	parts := []Part{{Name: doing, SQL: query, Args: args, Must: 1, Else: errUntouched}}
	kind := s.dialect.Kind(parts)
	if kind == "" {
		return s.exec(ctx, doing, query, args...)
	}
	err := s.group(kind).write(ctx, parts)
	switch {
	case errors.Is(err, errUntouched):
		return 0, nil
	case err != nil:
		return 0, s.Wrap(ctx, err, doing)
	}
	return 1, nil
}

func describe(b *storage.Batch) string {
	switch {
	case b.Run != nil:
		return fmt.Sprintf("write run %s at version %d", b.Run.Run.ID, b.Run.Run.Version)
	case len(b.Draft) > 0:
		return "write draft " + b.Draft[0].ID
	case len(b.Schedules) > 0:
		return "write schedule " + b.Schedules[0].ID
	case b.Flow != nil:
		return "write flow " + b.Flow.Name
	}
	return "write"
}

// keyTaken names the run that holds a key. It may have been pruned in between: then the key is free, and a new try will do.
func (s *writer) keyTaken(ctx context.Context, r storage.Run) error {
	taken := &storage.KeyTakenError{Flow: r.Flow, Key: r.Key}
	err := s.get(ctx, s.write, &taken.Run, "SELECT run FROM run_keys WHERE flow = $1 AND key = $2", r.Flow, r.Key)
	if err != nil {
		return s.Wrap(ctx, err, "find the run with key "+r.Key)
	}
	return taken
}

// conflict tells a lost race from facts that would not follow on, which is a mistake of the caller.
func (s *writer) conflict(ctx context.Context, w *storage.RunWrite, doing string, conflict error) error {
	var stored struct{ Version, LastFact int64 }
	const query = "SELECT version, last_fact FROM runs WHERE id = $1"
	if err := s.get(ctx, s.write, &stored, query, w.Run.ID); err != nil {
		return fmt.Errorf("%s: %w", doing, conflict)
	}
	if first := w.Facts[0].Seq; stored.Version == w.Run.Version && stored.LastFact != first-1 {
		return fmt.Errorf("%s: the first fact has number %d, but the newest stored one has %d", doing, first, stored.LastFact)
	}
	return fmt.Errorf("%s: %w", doing, conflict)
}

// parts lists the statements of a batch, the compare-and-set of its run first.
func parts(b *storage.Batch) ([]Part, error) {
	const usually = 4
	list := make([]Part, 0, usually)
	if b.Run != nil {
		if err := checkFacts(b.Run); err != nil {
			return nil, err
		}
		list = runParts(list, b.Run)
	}
	list = some(list, b.InboxDone, inboxDone)
	list = several(list, len(b.Draft), func() []Part { return draftParts(b.Draft) })
	list = several(list, len(b.Schedules), func() []Part { return scheduleParts(b.Schedules) })
	list = several(list, len(b.Triggers)+len(b.NoTrigger), func() []Part { return triggerParts(b) })
	list = some(list, b.Started, triggerStartRows)
	list = several(list, len(b.Pause)+len(b.Unpause), func() []Part { return pauseParts(b) })
	if b.Flow != nil {
		f := b.Flow
		list = append(list, flows.part([][]any{{f.Name, f.Head, f.Channel, f.Owner, false, f.Updated, f.Retired}}))
	}
	if b.Retire != nil {
		list = append(list, retireParts(*b.Retire)...)
	}
	if b.Revision != nil {
		r := b.Revision
		list = append(list, revisions.part([][]any{{r.Flow, r.Number, r.Hash, r.LockHash, r.Body, r.Lock, r.Draft, r.By, r.At}}))
	}
	now := time.Now()
	list = some(list, b.LeaveQueue, leaveQueue)
	list = some(list, b.Spend, spendRows)
	list = some(list, b.Use, useRows)
	list = some(list, b.Tokens, tokenRows)
	list = several(list, len(b.Agents)+len(b.NoAgents), func() []Part { return agentParts(b) })
	list = some(list, b.NoSignals, deleteSignals)
	list = some(list, b.Signals, insertSignals)
	list = some(list, b.Events, eventRows)
	list = some(list, b.FanOut, fanOut)
	list = some(list, b.Stale, func(refs []string) Part { return staleSurfaces(refs, now) })
	list = some(list, b.Surfaces, func(l []storage.Surface) Part { return newSurfaces(l, now) })
	return some(list, b.Audit, auditRows), nil
}

// some appends the part for some items, if there are any and it has rows for them. Most transitions have few of the kinds of items.
func some[T any](list []Part, items []T, part func([]T) Part) []Part {
	if len(items) == 0 {
		return list
	}
	if p := part(items); len(p.Rows) > 0 {
		list = append(list, p)
	}
	return list
}

// several appends those of the parts for a number of items that have rows.
func several(list []Part, items int, parts func() []Part) []Part {
	if items == 0 {
		return list
	}
	for _, p := range parts() {
		if len(p.Rows) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// newest keeps the last of the items with the same key: one statement cannot write a row twice.
func newest[T any](list []T, key func(T) any) []T {
	seen := map[any]bool{}
	var kept []T
	for _, item := range slices.Backward(list) {
		if k := key(item); !seen[k] {
			seen[k] = true
			kept = append(kept, item)
		}
	}
	slices.Reverse(kept)
	return kept
}

// removeRows deletes the rows whose column is one of the values.
func removeRows(table, column string, values []string) Part {
	rows := make([][]any, len(values))
	for i, v := range values {
		rows[i] = []any{v}
	}
	return Part{
		Name: "no_" + table, SQL: fmt.Sprintf("DELETE FROM %[1]s WHERE %[2]s IN (SELECT %[2]s FROM {rows})", table, column),
		Columns: []Column{{column, Text}}, Rows: rows,
	}
}
