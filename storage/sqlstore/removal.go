package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/storage"
)

var (
	removedRunColumns = []Column{
		{"id", Text},
		{"flow", Text},
		{"revision", Int},
		{"number", Int},
		{"name", Text},
		{"status", Text},
		{"version", Int},
		{"parent", Text},
		{"channel", Text},
		{"thread", Text},
		{"by_user", Text},
		{"steps", Int},
		{"started", Time},
		{"ended", Time},
		{"removed", Time},
		{"facts", Bool},
		{"outcome", Text},
	}
	trailColumns = factColumns[:len(factColumns)-1] // without a blob: what stays is small
	removedRuns  = table{"removed_runs", removedRunColumns, ""}
	trail        = table{"trail", trailColumns, ""}
)

const (
	removedRunList = `id, flow, revision, number, name, '' AS title, '' AS key, status, outcome, version, parent, channel, thread, by_user, steps,
		started, ended`
	trailList = `run, seq, kind, version, at, actor, token, node, step, body`
)

// removalStore takes away what is old, and has what is left of runs.
type removalStore struct{ *database }

// Removable lists final runs that nothing refers to any more, those that ended first first. A run
// is kept as long as its parent or a child is live or newer; a family is removed together, one run after the other.
func (s removalStore) Removable(ctx context.Context, q storage.RemovalQuery) ([]storage.Run, error) {
	relative := "AND (%[1]s.ended IS NULL OR %[1]s.ended >= $1 OR NOT " + s.dialect.In("%[1]s.status", 2, Text) + ")"
	query := "SELECT " + runList + ` FROM runs AS r WHERE ended < $1 AND ` + s.dialect.In("status", 2, Text) + `
		AND (ended, id) > ($3, $4)
		AND NOT EXISTS (SELECT 1 FROM gates WHERE gates.run = r.id AND gates.status = 'open')
		AND NOT EXISTS (SELECT 1 FROM runs AS p WHERE p.id = r.parent ` + fmt.Sprintf(relative, "p") + `)
		AND NOT EXISTS (SELECT 1 FROM runs AS c WHERE c.parent = r.id AND c.parent <> '' ` + fmt.Sprintf(relative, "c") + `)
		ORDER BY ended, id LIMIT $5`
	after, id := time.UnixMicro(-1<<50), ""
	if q.After != nil {
		after, id = q.After.Ended, q.After.ID
	}
	return list[runRow](ctx, s.database, "list runs to be removed", query, q.Before, q.Final, after, id, atMost(q.Limit))
}

// Compact frees the space of what was removed.
func (s removalStore) Compact(ctx context.Context) error {
	for _, query := range s.dialect.Compact() {
		if _, err := s.write.ExecContext(ctx, query); err != nil {
			return s.Wrap(ctx, err, "compact the database")
		}
	}
	return nil
}

// Remove takes a run or drafts away and keeps the run's trail: all of it or nothing.
func (s removalStore) Remove(ctx context.Context, r storage.Removal) error {
	var list []Part
	doing := "remove old drafts"
	if r.Run != nil {
		doing = "remove run " + r.Run.ID
		list = removeRun(r)
	}
	for _, p := range []Part{
		removeRows("drafts", "id", r.Drafts),
		removeRows("surfaces", "ref", r.Refs),
	} {
		if len(p.Rows) > 0 {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return s.Wrap(ctx, s.dialect.Apply(ctx, list), doing)
}

func removeRun(r storage.Removal) []Part {
	run, id := r.Run, []string{r.Run.ID}
	guard := Part{
		Name: "runs", SQL: "DELETE FROM runs WHERE (id, version) IN (SELECT id, version FROM {rows})",
		Columns: []Column{{"id", Text}, {"version", Int}}, Rows: [][]any{{run.ID, run.Version}}, Must: 1, Else: storage.ErrConflict,
	}
	left := removedRuns.part([][]any{{
		run.ID, run.Flow, run.Revision, run.Number, run.Name, run.Status, run.Version, run.Parent, run.Channel, run.Thread, run.By,
		run.Steps, run.Started, run.Ended, r.At, true, run.Outcome,
	}})
	rows := make([][]any, len(r.Trail))
	for i, f := range r.Trail {
		rows[i] = []any{run.ID, f.Seq, f.Kind, f.Version, f.At, f.Actor, f.Token, f.Node, f.Step, f.Body}
	}
	list := []Part{guard, left}
	if len(rows) > 0 {
		list = append(list, trail.part(rows))
	}
	for _, table := range []string{"gates", "timers", "leases", "waits"} {
		list = append(list, removeRows(table, "run", id))
	}
	return list
}

type factPosition struct {
	Seq  int64
	Blob string
}

func (p factPosition) value() factPosition { return p }

// RemoveFacts takes up to limit facts of a removed run away, with the blobs that only they refer to.
func (s removalStore) RemoveFacts(ctx context.Context, limit int) (int, error) {
	const doing = "remove the facts of removed runs"
	for {
		var run string
		err := s.get(ctx, s.read, &run, "SELECT id FROM removed_runs WHERE facts ORDER BY id LIMIT 1")
		if err = s.Wrap(ctx, err, doing); errors.Is(err, storage.ErrNotFound) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		const next = "SELECT seq, coalesce(blob, '') AS blob FROM facts WHERE run = $1 ORDER BY seq LIMIT $2"
		places, err := list[factPosition](ctx, s.database, doing, next, run, atMost(limit))
		if err != nil {
			return 0, err
		}
		if err := s.again(ctx, doing, removeFacts(run, places)); err != nil || len(places) > 0 {
			return len(places), err
		}
	}
}

// removeFacts removes facts of a run, or records that there are none left.
func removeFacts(run string, places []factPosition) []Part {
	if len(places) == 0 {
		return []Part{{Name: "removed_runs", SQL: "UPDATE removed_runs SET facts = FALSE WHERE id = ?", Args: []any{run}}}
	}
	last := places[len(places)-1].Seq
	parts := []Part{{Name: "no_facts", SQL: "DELETE FROM facts WHERE run = ? AND seq <= ?", Args: []any{run, last}}}
	var blobs [][]any
	seen := map[string]bool{"": true}
	for _, p := range places {
		if !seen[p.Blob] {
			seen[p.Blob] = true
			blobs = append(blobs, []any{p.Blob})
		}
	}
	if len(blobs) > 0 {
		parts = append(parts, Part{
			Name: "no_blobs", SQL: `DELETE FROM blobs WHERE hash IN (SELECT hash FROM {rows}) AND NOT EXISTS
				(SELECT 1 FROM facts WHERE facts.blob = blobs.hash AND NOT (facts.run = ? AND facts.seq <= ?))`,
			Columns: []Column{{"hash", Text}}, Rows: blobs, Args: []any{run, last},
		})
	}
	return parts
}

// again applies parts, and once more when the database undid them because of a conflicting statement.
func (s removalStore) again(ctx context.Context, doing string, parts []Part) (err error) {
	for range attempts {
		if err = s.dialect.Apply(ctx, parts); err == nil || !s.dialect.Again(err) {
			break
		}
	}
	return s.Wrap(ctx, err, doing)
}

// RemovedRun loads what is left of a removed run by its id.
func (s removalStore) RemovedRun(ctx context.Context, id string) (storage.Run, error) {
	return one[runRow](ctx, s.database, "load removed run "+id, "SELECT "+removedRunList+" FROM removed_runs WHERE id = $1", id)
}

// RemovedRunByName loads what is left of a removed run by its short name.
func (s removalStore) RemovedRunByName(ctx context.Context, name string) (storage.Run, error) {
	return one[runRow](ctx, s.database, "load removed run "+name, "SELECT "+removedRunList+" FROM removed_runs WHERE name = $1", name)
}

// Trail lists the facts that were kept of a removed run, in order.
func (s removalStore) Trail(ctx context.Context, run string) ([]storage.Fact, error) {
	return list[factRow](ctx, s.database, "list the trail of run "+run, "SELECT "+trailList+" FROM trail WHERE run = $1 ORDER BY seq", run)
}

// CountOld says how much there is that may be removed.
func (s removalStore) CountOld(ctx context.Context, q storage.OldQuery) (old storage.Old, err error) {
	count := func(into *int, asked bool, query string, args ...any) {
		if err != nil || !asked {
			return
		}
		var n int
		err = s.Wrap(ctx, s.get(ctx, s.read, &n, query, args...), "count what is old")
		*into += n
	}
	count(&old.Deliveries, !q.Deliveries.IsZero(), "SELECT count(*) FROM inbox WHERE done AND received < $1", q.Deliveries)
	count(&old.Drafts, !q.Drafts.IsZero(), "SELECT count(*) FROM drafts WHERE status <> 'approved' AND created < $1", q.Drafts)
	for _, kind := range q.Kinds {
		const query = "SELECT count(*) FROM surfaces WHERE kind = $1 AND created < $2 AND since IS NULL"
		count(&old.Messages, !q.Messages.IsZero(), query, kind, q.Messages)
	}
	count(&old.Months, q.Month != "", "SELECT count(*) FROM spend WHERE month < $1", q.Month)
	return old, err
}
