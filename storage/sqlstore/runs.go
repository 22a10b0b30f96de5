package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"sluice/storage"
)

var (
	runColumns = []Column{
		{"id", Text},
		{"flow", Text},
		{"revision", Int},
		{"number", Int},
		{"name", Text},
		{"title", Text},
		{"key", Text},
		{"status", Text},
		{"version", Int},
		{"last_fact", Int},
		{"parent", Text},
		{"channel", Text},
		{"thread", Text},
		{"by_user", Text},
		{"steps", Int},
		{"started", Time},
		{"ended", Time},
		{"state", Bytes},
		{"outcome", Text},
	}
	// updateColumns are the columns that a transition changes, and those that it compares.
	updateColumns = []Column{
		{"id", Text},
		{"revision", Int},
		{"title", Text},
		{"status", Text},
		{"channel", Text},
		{"thread", Text},
		{"steps", Int},
		{"ended", Time},
		{"state", Bytes},
		{"version", Int},
		{"facts", Int},
		{"after", Int},
		{"outcome", Text},
	}
	runKeyColumns = []Column{{"flow", Text}, {"key", Text}, {"run", Text}, {"taken", Time}}
)

var (
	runs    = table{"runs", runColumns, ""}
	runKeys = table{"run_keys", runKeyColumns, replace("flow, key", runKeyColumns...)}
	// freeRunKeys takes a key that no run holds, or that a run has held since before a time.
	freeRunKeys = table{"run_keys", runKeyColumns, replace("flow, key", runKeyColumns...) + " WHERE run_keys.taken < ?"}
)

const runList = `id, flow, revision, number, name, title, key, status, outcome, version, parent, channel, thread, by_user, steps, started, ended`

// runStore has the runs, their facts, their numbers and the queues of their keys.
type runStore struct {
	*database
	numbers sync.Map // flow -> *numbering
}

type runRow struct {
	storage.Run
	Started, Ended stamp
}

func (r runRow) value() storage.Run {
	r.Run.Started, r.Run.Ended = time.Time(r.Started), time.Time(r.Ended)
	return r.Run
}

// Run loads a run with its state by id.
func (s *runStore) Run(ctx context.Context, id string) (storage.Run, error) {
	return one[runRow](ctx, s.database, "load run "+id, "SELECT "+runList+", state FROM runs WHERE id = $1", id)
}

// RunByName loads a run by its short name, such as refund-217.
func (s *runStore) RunByName(ctx context.Context, name string) (storage.Run, error) {
	return one[runRow](ctx, s.database, "load run "+name, "SELECT "+runList+", state FROM runs WHERE name = $1", name)
}

// Runs lists runs, newest first, without their states.
func (s *runStore) Runs(ctx context.Context, q storage.RunQuery) ([]storage.Run, error) {
	where, args := "$1 = ''", []any{q.Flow, atMost(q.Limit)}
	if q.Flow != "" {
		where = "flow = $1"
	}
	if q.Live {
		where += " AND ended IS NULL"
	}
	if q.Top {
		where += " AND parent = ''"
	}
	if q.Outcome != "" {
		where, args = where+" AND outcome = $3 AND outcome <> ''", append(args, q.Outcome)
	}
	if q.Parent != "" {
		where, args = "parent = $1 AND parent <> ''", []any{q.Parent, args[1]}
	}
	if q.Thread != "" {
		where, args = "channel = $1 AND thread = $3 AND thread <> ''", []any{q.Channel, args[1], q.Thread}
	}
	if q.Flows != nil && q.Flow == "" {
		n := len(args)
		where += " AND (" + s.dialect.In("flow", n+1, Text) + fmt.Sprintf(" OR by_user = $%d AND by_user <> '')", n+2)
		args = append(args, q.Flows, q.By)
	}
	if q.Before != nil {
		n := len(args)
		where += fmt.Sprintf(" AND (started, id) < ($%d, $%d)", n+1, n+2)
		args = append(args, q.Before.Started, q.Before.ID)
	}
	order := " ORDER BY started DESC, id DESC LIMIT $2"
	if q.After != nil {
		n := len(args)
		where += fmt.Sprintf(" AND (started, id) > ($%d, $%d)", n+1, n+2)
		order, args = " ORDER BY started, id LIMIT $2", append(args, q.After.Started, q.After.ID)
	}
	query := "SELECT " + runList + " FROM runs WHERE " + where + order
	if q.Skip > 0 {
		query += fmt.Sprintf(" OFFSET %d", q.Skip)
	}
	rows, err := list[runRow](ctx, s.database, "list runs", query, args...)
	if q.After != nil {
		slices.Reverse(rows)
	}
	return rows, err
}

// latest is after the start of any run.
var latest = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

// LiveRuns lists runs that are not ended, newest first and with their states.
func (s *runStore) LiveRuns(ctx context.Context, q storage.LiveQuery, before *storage.Run) ([]storage.Run, error) {
	if before == nil {
		before = &storage.Run{Started: latest}
	}
	where := "ended IS NULL AND (started, id) < ($1, $2) AND ($3 = '' OR status = $3)"
	args := []any{before.Started, before.ID, q.Status, atMost(q.Limit)}
	if q.Flow != "" {
		where += " AND flow = $5"
		args = append(args, q.Flow)
	}
	query := "SELECT " + runList + ", state FROM runs WHERE " + where + " ORDER BY started DESC, id DESC LIMIT $4"
	return list[runRow](ctx, s.database, "list live runs", query, args...)
}

// LiveRunsBy counts the live runs of a person, without those within others.
func (s *runStore) LiveRunsBy(ctx context.Context, user string) (int, error) {
	const query = "SELECT count(*) FROM runs WHERE by_user = $1 AND by_user <> '' AND parent = '' AND ended IS NULL"
	var n int
	err := s.get(ctx, s.read, &n, query, user)
	return n, s.Wrap(ctx, err, "count the live runs of "+user)
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
