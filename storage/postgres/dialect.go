package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"sluice/storage"
	"sluice/storage/sqlstore"
)

type dialect struct {
	db    *sqlstore.DB
	texts texts
	queue storage.Queue
}

// Apply executes the parts in one statement, which is a transaction by itself unless a later part may call for undoing it.
func (d *dialect) Apply(ctx context.Context, parts []sqlstore.Part) error {
	if n, ok := asNarrow(parts); ok {
		stmt, err := d.db.Prepared(ctx, d.texts.ofNarrow(n))
		if err != nil {
			return err
		}
		return n.apply(ctx, stmt)
	}
	parts = enqueue(d.queue, parts)
	undo := slices.ContainsFunc(parts[1:], func(p sqlstore.Part) bool { return p.Must > 0 }) || parts[0].Must > 1
	args, err := arguments(parts)
	if err != nil {
		return err
	}
	stmt, err := d.db.Prepared(ctx, d.texts.of(parts, parts[0].Must == 1))
	if err != nil {
		return err
	}
	if !undo {
		return apply(ctx, stmt, parts, args)
	}
	tx, err := d.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	if err := apply(ctx, tx.StmtxContext(ctx, stmt), parts, args); err != nil {
		// The first error says more than one of the rollback could.
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// groupsAtOnce is how many statements of transitions are under way at a time; more would only wait for the disk and each other.
const groupsAtOnce = 4

// GroupsAtOnce is how many writes may be under way at a time before others wait to be grouped.
func (d *dialect) GroupsAtOnce() int { return groupsAtOnce }

// The kinds of writes that go together.
const (
	starts      = "starts"      // of new runs: a known id refuses the statement as a whole
	transitions = "transitions" // of runs that are there: the compare-and-set picks those that take effect
)

// Kind tells starts from transitions. What can call for undoing a write for another reason goes alone.
func (d *dialect) Kind(parts []sqlstore.Part) string {
	alone := func(p sqlstore.Part) bool { return p.Must > 0 || len(p.Columns) == 0 }
	if parts[0].Name != "runs" || parts[0].Must != 1 || slices.ContainsFunc(parts[1:], alone) {
		return ""
	}
	if parts[0].Into != "" {
		return starts
	}
	return transitions
}

// ApplyAll executes several starts or several transitions in one statement.
func (d *dialect) ApplyAll(ctx context.Context, group [][]sqlstore.Part) ([]error, error) {
	guarded := d.Kind(group[0]) == transitions
	parts := enqueue(d.queue, merged(group, guarded))
	args, err := arguments(parts)
	if err != nil {
		return nil, err
	}
	stmt, err := d.db.Prepared(ctx, d.texts.of(parts, guarded))
	if err != nil {
		return nil, err
	}
	answers := make([]error, len(group))
	if !guarded {
		return answers, apply(ctx, stmt, parts, args)
	}
	var done []int
	if err := stmt.SelectContext(ctx, &done, args...); err != nil {
		return nil, err
	}
	for i := range answers {
		if !slices.Contains(done, i) {
			answers[i] = group[i][0].Else
		}
	}
	return answers, nil
}

// merged makes one list of parts of several: parts of the same name become one, in the order in which a write has them. When they are
// guarded, each row knows its write.
func merged(group [][]sqlstore.Part, guarded bool) []sqlstore.Part {
	var all []sqlstore.Part
	for i, parts := range group {
		at := 0 // the place of the next new part
		for _, p := range parts {
			known := slices.IndexFunc(all, func(o sqlstore.Part) bool { return o.Name == p.Name })
			if known < 0 {
				all, known = slices.Insert(all, at, p), at
				all[known].Rows, all[known].Must = nil, 0
			}
			into := &all[known]
			into.Rows, into.Must = append(into.Rows, p.Rows...), into.Must+p.Must
			if guarded {
				into.Of = append(into.Of, slices.Repeat([]int{i}, len(p.Rows))...)
			}
			at = known + 1
		}
	}
	return all
}

// Undone reports whether the server refused a statement as a whole.
func (d *dialect) Undone(err error) bool { return pq.As(err) != nil && !d.Unavailable(err) }

func apply(ctx context.Context, stmt *sqlx.Stmt, parts []sqlstore.Part, args []any) error {
	var must []sqlstore.Part
	for _, p := range parts {
		if p.Must > 0 {
			must = append(must, p)
		}
	}
	touched := make([]int, max(1, len(must)))
	into := make([]any, len(touched))
	for i := range touched {
		into[i] = &touched[i]
	}
	if err := stmt.QueryRowContext(ctx, args...).Scan(into...); err != nil {
		return err
	}
	for i, p := range must {
		if touched[i] != p.Must {
			return p.Else
		}
	}
	return nil
}

// Bind turns a parameter into what the driver takes.
func (d *dialect) Bind(value any) any { return bind(value) }

func bind(value any) any {
	switch v := value.(type) {
	case time.Time:
		if v.IsZero() {
			return nil
		}
		return v.Truncate(time.Microsecond).UTC()
	case string:
		return text(v)
	case []byte:
		if v == nil {
			return nil
		}
	case []string:
		return pq.Array(v)
	case []int64:
		return pq.Array(v)
	}
	return value
}

// In compares with the elements of an array.
func (d *dialect) In(column string, parameter int, of sqlstore.Type) string {
	return fmt.Sprintf("%s = ANY ($%d::%s[])", column, parameter, elements[of].name)
}

// An array of the timers' ids instead of IN: the planner then looks them up, however many it expects.
var statements = map[sqlstore.Name]string{
	sqlstore.RemoveInbox: `DELETE FROM inbox WHERE id = ANY
		(ARRAY (SELECT id FROM inbox WHERE done AND received < $1
		ORDER BY received LIMIT $2 FOR UPDATE SKIP LOCKED))`,
	sqlstore.RemoveSurfaces: `DELETE FROM surfaces WHERE id = ANY
		(ARRAY (SELECT id FROM surfaces WHERE kind = $1 AND created < $2 AND since IS NULL
		ORDER BY kind, created LIMIT $3 FOR UPDATE SKIP LOCKED))`,
	sqlstore.ClaimTimers: `UPDATE timers SET wake = $2, worker = $4 WHERE id = ANY
		(ARRAY (SELECT id FROM timers WHERE wake <= $1 ORDER BY wake LIMIT $3 FOR UPDATE SKIP LOCKED))
		RETURNING id, run, num, kind, due, body`,
	// A row that somebody has locked is about to go away, or is freed by another process.
	sqlstore.FreeTimers: `UPDATE timers SET wake = due, worker = NULL WHERE id = ANY
		(ARRAY (SELECT id FROM timers WHERE worker = ANY ($1::text[]) FOR UPDATE SKIP LOCKED))`,
	sqlstore.FreeAllTimers: `UPDATE timers SET wake = due, worker = NULL WHERE id = ANY
		(ARRAY (SELECT id FROM timers WHERE worker > '' FOR UPDATE SKIP LOCKED))`,
	sqlstore.ForgetEvents: `DELETE FROM events WHERE id = ANY (ARRAY (SELECT e.id FROM events AS e WHERE e.at < $1
		AND (SELECT t.id FROM timers AS t WHERE t.id = e.id) IS NULL ORDER BY e.at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
	// The number need not wait for the disk: the log is written in order, so that the commit of the run that gets it makes both durable. A
	// number is lost only together with a run that was never there.
	sqlstore.NextNumber: `WITH later AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
		INSERT INTO run_numbers (flow, last) SELECT $1::text, $2::bigint FROM later
		ON CONFLICT (flow) DO UPDATE SET last = run_numbers.last + excluded.last RETURNING last`,
	sqlstore.PutInbox: `WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(` + lockKey("inbox") + `))
		INSERT INTO inbox (key, thread, kind, payload, received, done)
		SELECT $1, $2, $3, $4::bytea, $5::timestamptz, FALSE FROM turn
		ON CONFLICT (key) DO NOTHING`,
}

// Statement picks the text of a statement.
func (d *dialect) Statement(name sqlstore.Name) string {
	if text, ok := queueStatement(d.queue, name); ok {
		return text
	}
	return statements[name]
}

// Duplicate reports whether a row with this primary key exists.
func (d *dialect) Duplicate(err error) bool {
	e := pq.As(err, "23505") // unique_violation
	return e != nil && strings.HasSuffix(e.Constraint, "_pkey")
}

// Unavailable reports whether the server is going down or coming up, full, or a standby.
func (d *dialect) Unavailable(err error) bool {
	e := pq.As(err)
	if e == nil {
		return false
	}
	switch e.Code {
	case "57P01", "57P02", "57P03", "25006": // shut down, crashed, starting up; read-only, as a standby is
		return true
	}
	class := e.Code[:2]
	return class == "08" || class == "53" // connection failure; out of disk, memory or connections
}

// Full reports whether the server's disk is full.
func (d *dialect) Full(err error) bool { return pq.As(err, "53100") != nil } // disk_full

// Compact is nothing: the server vacuums by itself.
func (d *dialect) Compact() []string { return nil }

// Again reports whether the server undid the statement because it met another one: also when a body was stored or removed by the other
// one at the same time.
func (d *dialect) Again(err error) bool {
	if e := pq.As(err, "23503"); e != nil { // foreign_key_violation
		return e.Constraint == "facts_blob_fkey"
	}
	return pq.As(err, "40001", "40P01") != nil // serialization_failure, deadlock_detected
}
