package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"sluice/storage/sqlstore"
)

// rowsAtOnce is how many rows an update or delete takes; more go in turns. It bounds how many texts of a statement there are.
// An insert takes one: with more, SQLite would keep a journal to undo the statement half-way, which costs more than it saves.
const rowsAtOnce = 8

type dialect struct{ write *sqlstore.DB }

// step is a part with some of its rows.
type step struct {
	part int
	stmt *sqlx.Stmt
	args []any
}

// Apply executes the parts in one transaction.
func (d *dialect) Apply(ctx context.Context, parts []sqlstore.Part) error {
	// The writer has one connection: statements have to be prepared before the transaction holds it.
	steps, err := d.prepare(ctx, parts)
	if err != nil {
		return err
	}
	tx, err := d.write.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	if err := run(ctx, tx, parts, steps); err != nil {
		// The first error says more than one of the rollback could.
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// GroupsAtOnce is one: there is one writer.
func (d *dialect) GroupsAtOnce() int { return 1 }

// Kind is the same for every write: a savepoint undoes one of them.
func (d *dialect) Kind([]sqlstore.Part) string { return "write" }

// ApplyAll executes several writes in one transaction.
func (d *dialect) ApplyAll(ctx context.Context, group [][]sqlstore.Part) ([]error, error) {
	list := make([][]step, len(group))
	for i, parts := range group {
		var err error
		if list[i], err = d.prepare(ctx, parts); err != nil {
			return nil, err
		}
	}
	tx, err := d.write.BeginTxx(ctx, nil)
	if err != nil {
		return nil, err
	}
	answers := make([]error, len(group))
	for i, parts := range group {
		answers[i], err = d.guarded(ctx, tx, parts, list[i])
		if err != nil {
			_ = tx.Rollback()
			return nil, err
		}
	}
	return answers, tx.Commit()
}

// guarded executes one write of a transaction, or undoes it and says why. An error: the transaction cannot go on.
func (d *dialect) guarded(ctx context.Context, tx *sqlx.Tx, parts []sqlstore.Part, steps []step) (answer, err error) {
	if _, err := tx.ExecContext(ctx, "SAVEPOINT one"); err != nil {
		return nil, err
	}
	if answer = run(ctx, tx, parts, steps); answer != nil {
		if d.Unavailable(answer) || ctx.Err() != nil { // SQLite may have undone everything
			return nil, answer
		}
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO one"); err != nil {
			return nil, err
		}
	}
	_, err = tx.ExecContext(ctx, "RELEASE one")
	return answer, err
}

// Undone is never true: what the transaction cannot go on after would meet each write alone.
func (d *dialect) Undone(error) bool { return false }

func run(ctx context.Context, tx *sqlx.Tx, parts []sqlstore.Part, steps []step) error {
	touched := make([]int, len(parts))
	for i, s := range steps {
		result, err := tx.StmtxContext(ctx, s.stmt).ExecContext(ctx, s.args...)
		if err != nil {
			return fmt.Errorf("%s: %w", parts[s.part].Name, err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			return fmt.Errorf("%s: %w", parts[s.part].Name, err)
		}
		touched[s.part] += int(n)
		last := i+1 == len(steps) || steps[i+1].part != s.part
		if p := parts[s.part]; last && p.Must > 0 && touched[s.part] != p.Must {
			return p.Else
		}
	}
	return nil
}

func (d *dialect) prepare(ctx context.Context, parts []sqlstore.Part) ([]step, error) {
	var steps []step
	for i, p := range parts {
		rows := p.Rows
		for first := true; first || len(rows) > 0; first = false {
			n := min(len(rows), rowsAtOnce)
			if p.Into != "" {
				n = 1
			}
			stmt, err := d.write.Prepared(ctx, text(p, n))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.Name, err)
			}
			steps = append(steps, step{part: i, stmt: stmt, args: d.args(p, rows[:n])})
			rows = rows[n:]
		}
	}
	return steps, nil
}

// text writes a part for a number of rows. Without Into, they become a table v of values, in front of the statement.
func text(p sqlstore.Part, rows int) string {
	row := "(" + strings.Repeat("?, ", max(0, len(p.Columns)-1)) + "?)"
	switch {
	case p.Into != "":
		return "INSERT INTO " + p.Into + " (" + p.Names() + ") VALUES " + row + " " + p.SQL
	case rows > 0:
		return "WITH v (" + p.Names() + ") AS (VALUES " + strings.Repeat(row+", ", rows-1) + row + ") " +
			strings.Replace(p.SQL, "{rows}", "v", 1)
	}
	return p.SQL
}

func (d *dialect) args(p sqlstore.Part, rows [][]any) []any {
	args := make([]any, 0, len(rows)*len(p.Columns)+len(p.Args))
	for _, row := range rows {
		for i, value := range row {
			if p.Columns[i].Type == sqlstore.NullText && value == "" {
				value = nil
			}
			args = append(args, d.Bind(value))
		}
	}
	for _, a := range p.Args {
		args = append(args, d.Bind(a))
	}
	return args
}

// Bind makes microseconds of a time and JSON of a list.
func (d *dialect) Bind(value any) any {
	switch v := value.(type) {
	case time.Time:
		return sqlstore.Micros(v)
	case []byte:
		if v == nil {
			return nil
		}
	case []string, []int64:
		// Strings and numbers always have a JSON form.
		list, _ := json.Marshal(v)
		return string(list)
	}
	return value
}

// In compares with the items of a JSON list.
func (d *dialect) In(column string, parameter int, _ sqlstore.Type) string {
	return fmt.Sprintf("%s IN (SELECT value FROM json_each($%d))", column, parameter)
}

var statements = map[sqlstore.Name]string{
	sqlstore.RemoveInbox: `DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE done AND received < $1
		ORDER BY received LIMIT $2)`,
	sqlstore.RemoveSurfaces: `DELETE FROM surfaces WHERE id IN (SELECT id FROM surfaces WHERE kind = $1 AND created < $2 AND since IS NULL
		ORDER BY kind, created LIMIT $3)`,
	sqlstore.ClaimTimers: `UPDATE timers SET wake = $2, worker = $4
		WHERE id IN (SELECT id FROM timers WHERE wake <= $1 ORDER BY wake LIMIT $3) RETURNING id, run, num, kind, due, body`,
	sqlstore.FreeTimers:    `UPDATE timers SET wake = due, worker = NULL WHERE worker IN (SELECT value FROM json_each($1))`,
	sqlstore.FreeAllTimers: `UPDATE timers SET wake = due, worker = NULL WHERE worker > ''`,
	sqlstore.PutInbox: `INSERT INTO inbox (key, thread, kind, payload, received, done) VALUES ($1, $2, $3, $4, $5, FALSE)
		ON CONFLICT (key) DO NOTHING`,
	sqlstore.ForgetEvents: `DELETE FROM events WHERE id IN (SELECT e.id FROM events AS e WHERE e.at < $1
		AND (SELECT t.id FROM timers AS t WHERE t.id = e.id) IS NULL ORDER BY e.at LIMIT $2)`,
	sqlstore.NextNumber: `INSERT INTO run_numbers (flow, last) VALUES ($1, $2)
		ON CONFLICT (flow) DO UPDATE SET last = run_numbers.last + excluded.last RETURNING last`,
	sqlstore.Unclaimed: "SELECT " + sqlstore.LeaseList + " FROM leases WHERE worker IS NULL ORDER BY run, token LIMIT $1",
}

// Statement picks the text of a statement.
func (d *dialect) Statement(name sqlstore.Name) string { return statements[name] }

// Duplicate reports whether a row with this primary key exists.
func (d *dialect) Duplicate(err error) bool {
	return code(err) == codes.SQLITE_CONSTRAINT_PRIMARYKEY
}

// Unavailable reports whether the file is busy, full or cannot be reached.
func (d *dialect) Unavailable(err error) bool {
	switch code(err) & 0xff {
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED, codes.SQLITE_FULL, codes.SQLITE_IOERR, codes.SQLITE_CANTOPEN:
		return true
	}
	return false
}

// Full reports whether the file may not grow any more.
func (d *dialect) Full(err error) bool { return code(err)&0xff == codes.SQLITE_FULL }

// Compact rewrites the file, and empties the log beside it.
func (d *dialect) Compact() []string { return []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} }

// Again is never true: one writer meets no deadlock, and being busy has been waited for already.
func (d *dialect) Again(error) bool { return false }

// code is SQLite's extended error code; its lowest byte is the plain one.
func code(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}
