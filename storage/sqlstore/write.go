package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"sluice/storage"
)

// bigBody is the size above which a fact's body is kept in a blob, in bytes.
const bigBody = 64 << 10

// attempts is how often a write is tried that met a deadlock; the database has undone it each time.
const attempts = 5

// errKeyTaken is found out by the statement that takes a key; Write then looks up who has it.
var errKeyTaken = errors.New("the run key is taken")

// Write applies a batch: all of it or nothing.
func (s *Store) Write(ctx context.Context, b *storage.Batch) error {
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
func (s *Store) apply(ctx context.Context, parts []Part) error {
	if kind := s.dialect.Kind(parts); kind != "" {
		return s.group(kind).write(ctx, parts)
	}
	return s.dialect.Apply(ctx, parts)
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
func (s *Store) keyTaken(ctx context.Context, r storage.Run) error {
	taken := &storage.KeyTakenError{Flow: r.Flow, Key: r.Key}
	err := s.get(ctx, s.write, &taken.Run, "SELECT run FROM run_keys WHERE flow = $1 AND key = $2", r.Flow, r.Key)
	if err != nil {
		return s.Wrap(ctx, err, "find the run with key "+r.Key)
	}
	return taken
}

// conflict tells a lost race from facts that would not follow on, which is a mistake of the caller.
func (s *Store) conflict(ctx context.Context, w *storage.RunWrite, doing string, conflict error) error {
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
		list = append(list, flows.part([][]any{{f.Name, f.Head, f.Channel, f.Owner, false, f.Updated}}))
	}
	if b.Revision != nil {
		r := b.Revision
		list = append(list, revisions.part([][]any{{r.Flow, r.Number, r.Hash, r.LockHash, r.Body, r.Lock, r.Draft, r.By, r.At}}))
	}
	now := time.Now()
	list = some(list, b.LeaveQueue, leaveQueue)
	list = some(list, b.Spend, spendRows)
	list = some(list, b.Use, useRows)
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

// checkFacts refuses facts with a gap among themselves; that they follow on the stored ones is part of the compare-and-set.
func checkFacts(w *storage.RunWrite) error {
	for i, f := range w.Facts {
		want := w.Facts[0].Seq + int64(i)
		if w.Run.Version == 0 {
			want = int64(i) + 1
		}
		if i > 0 {
			want += int64(w.Len() - len(w.Facts))
		}
		if f.Seq != want {
			return fmt.Errorf("write run %s: fact %s has number %d instead of %d", w.Run.ID, f.Kind, f.Seq, want)
		}
	}
	return nil
}

func runParts(list []Part, w *storage.RunWrite) []Part {
	id := w.Run.ID
	if w.Run.Version == 0 {
		list = append(list, createRun(w)...)
	} else {
		list = append(list, updateRun(w))
	}
	if w.Take != "" {
		list = append(list, take(w.Take))
	}
	facts, blobs := factRows(id, w.Facts)
	for _, p := range []Part{blobs, facts} {
		if len(p.Rows) > 0 {
			list = append(list, p)
		}
	}
	if w.Len() > len(w.Facts) {
		list = append(list, copyFacts(w))
	}
	list = some(list, w.NoTimer, func([]string) Part { return deleteTimers(w) })
	list = some(list, w.Timers, func(l []storage.Timer) Part { return timerRows(id, l) })
	list = some(list, w.NoWait, func([]int) Part { return deleteWaits(w) })
	list = some(list, w.Waits, func(l []storage.Wait) Part { return waitRows(id, l) })
	list = some(list, w.Gates, func(l []storage.Gate) Part { return gateRows(id, l) })
	list = some(list, w.NoLease, func([]int) Part { return deleteLeases(w) })
	return some(list, w.Leases, func(l []storage.Lease) Part { return leaseRows(id, l) })
}

func createRun(w *storage.RunWrite) []Part {
	r := w.Run
	run := runs.part([][]any{{
		r.ID, r.Flow, r.Revision, r.Number, r.Name, r.Title, r.Key, r.Status, 1, w.Len(), r.Parent, r.Channel, r.Thread,
		r.By, r.Steps, r.Started, r.Ended, r.State, r.Outcome,
	}})
	run.Must, run.Else = 1, storage.ErrConflict
	if r.Key == "" {
		return []Part{run}
	}
	if w.After != "" {
		run.Must = 0 // it fails by itself when its id is known
		return append(joinQueue(w), run)
	}
	key := [][]any{{r.Flow, r.Key, r.ID, r.Started}}
	if !w.TakeKey {
		return []Part{run, runKeys.part(key)}
	}
	take := freeRunKeys.part(key)
	take.Args = []any{w.KeyFrom}
	take.Must, take.Else = 1, errKeyTaken
	// The insert of the run fails by itself when its id is known, which undoes everything.
	run.Must = 0
	return []Part{take, run}
}

// updateRun is the compare-and-set of a run. A write without facts does not ask which one is the newest.
func updateRun(w *storage.RunWrite) Part {
	r := w.Run
	const anyFact = -1
	after := int64(anyFact)
	if len(w.Facts) > 0 {
		after = w.Facts[0].Seq - 1
	}
	return Part{
		Name: "runs",
		SQL: `UPDATE runs SET revision = v.revision, title = v.title, status = v.status, channel = v.channel, thread = v.thread,
			steps = v.steps, ended = v.ended, state = v.state, outcome = v.outcome,
			version = runs.version + 1, last_fact = runs.last_fact + v.facts
			FROM {rows} WHERE runs.id = v.id AND runs.version = v.version AND v.after IN (-1, runs.last_fact)`,
		Columns: updateColumns,
		Rows: [][]any{{
			r.ID, r.Revision, r.Title, r.Status, r.Channel, r.Thread, r.Steps, r.Ended, r.State, r.Version, len(w.Facts), after, r.Outcome,
		}},
		Must: 1, Else: storage.ErrConflict,
	}
}

func factRows(run string, list []storage.Fact) (factPart, blobPart Part) {
	rows := make([][]any, len(list))
	var bodies map[string][]byte
	var id any = run
	for i, f := range list {
		body, blob := f.Body, ""
		if len(body) > bigBody {
			sum := sha256.Sum256(body)
			blob = hex.EncodeToString(sum[:])
			if bodies == nil {
				bodies = map[string][]byte{}
			}
			bodies[blob] = body
			body = nil
		}
		rows[i] = []any{id, f.Seq, f.Kind, f.Version, f.At, f.Actor, f.Token, f.Node, f.Step, body, blob}
	}
	var big [][]any
	for hash, body := range bodies {
		big = append(big, []any{hash, body})
	}
	return facts.part(rows), blobs.part(big)
}

// copyFacts gives a new run the facts of another one. Bodies that are kept as blobs are shared.
func copyFacts(w *storage.RunWrite) Part {
	return Part{
		Name: "copied_facts",
		SQL: `INSERT INTO facts (run, seq, kind, version, at, actor, token, node, step, body, blob)
			SELECT new_run, f.seq, f.kind, f.version, f.at, f.actor, f.token, f.node, f.step, f.body, f.blob
			FROM {rows} JOIN facts AS f ON f.run = old_run AND f.seq > 1 AND f.seq <= last_seq`,
		Columns: []Column{{"new_run", Text}, {"old_run", Text}, {"last_seq", Int}}, Rows: [][]any{{w.Run.ID, w.Copy.Run, w.Copy.Last}},
		Must: w.Len() - len(w.Facts), Else: storage.ErrNotFound,
	}
}

func deleteTimers(w *storage.RunWrite) Part {
	put := map[string]bool{}
	for _, t := range w.Timers {
		put[t.ID] = true
	}
	var gone []string
	for _, id := range w.NoTimer {
		if !put[id] {
			gone = append(gone, id)
		}
	}
	return deleteDue(gone)
}

func timerRows(run string, list []storage.Timer) Part {
	list = newest(list, func(t storage.Timer) any { return t.ID })
	rows := make([][]any, len(list))
	for i, t := range list {
		rows[i] = []any{t.ID, run, t.Num, t.Kind, t.Due, t.Due, t.Body}
	}
	return timers.part(rows)
}

func gateRows(run string, list []storage.Gate) Part {
	list = newest(list, func(g storage.Gate) any { return g.ID })
	rows := make([][]any, len(list))
	for i, g := range list {
		rows[i] = []any{
			g.ID, run, g.Num, g.Node, g.Kind, g.Status, g.Choice, g.By, g.Opened, g.Due, g.Decided, g.Body, g.Asked,
		}
	}
	return gates.part(rows)
}

func deleteLeases(w *storage.RunWrite) Part {
	put := map[int]bool{}
	for _, l := range w.Leases {
		put[l.Token] = true
	}
	var rows [][]any
	for _, token := range w.NoLease {
		if !put[token] {
			rows = append(rows, []any{w.Run.ID, token})
		}
	}
	return Part{
		Name: "no_leases", SQL: "DELETE FROM leases WHERE (run, token) IN (SELECT run, token FROM {rows})",
		Columns: []Column{{"run", Text}, {"token", Int}}, Rows: rows,
	}
}

func leaseRows(run string, list []storage.Lease) Part {
	list = newest(list, func(l storage.Lease) any { return l.Token })
	rows := make([][]any, len(list))
	for i, l := range list {
		rows[i] = []any{run, l.Token, l.Epoch, l.Worker, l.Claimed, nil}
	}
	return leases.part(rows)
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
