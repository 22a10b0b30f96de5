package sqlstore

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"sluice/storage"
)

// Migration is one step of the database's shape.
type Migration struct {
	Number int
	Name   string // of its file
	SQL    string
}

// Migrations reads the steps of a directory, in order. They have to be numbered 1, 2, ... without a gap.
func Migrations(files fs.FS, dir string) ([]Migration, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	var steps []Migration
	for _, e := range entries {
		prefix, _, _ := strings.Cut(e.Name(), "_")
		number, err := strconv.Atoi(prefix)
		if err != nil || number != len(steps)+1 {
			return nil, fmt.Errorf("migration %s/%s is out of order: number %d is next", dir, e.Name(), len(steps)+1)
		}
		text, err := fs.ReadFile(files, dir+"/"+e.Name())
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", e.Name(), err)
		}
		steps = append(steps, Migration{Number: number, Name: e.Name(), SQL: string(text)})
	}
	return steps, nil
}

// Migrate applies the steps that the database has not seen, inside a transaction that keeps other processes from migrating at the
// same time; the caller commits it. storage.ErrNewer: the database has seen steps that this program does not know.
func Migrate(ctx context.Context, tx *sqlx.Tx, steps []Migration) error {
	const table = `CREATE TABLE IF NOT EXISTS schema_steps (number INTEGER PRIMARY KEY, name TEXT NOT NULL)`
	if _, err := tx.ExecContext(ctx, table); err != nil {
		return fmt.Errorf("prepare the database: %w", err)
	}
	var last int
	if err := tx.GetContext(ctx, &last, "SELECT coalesce(max(number), 0) FROM schema_steps"); err != nil {
		return fmt.Errorf("read the database's step: %w", err)
	}
	if last > len(steps) {
		return fmt.Errorf("%w: it is at step %d and this program knows %d: use the program that wrote it, or a newer one",
			storage.ErrNewer, last, len(steps))
	}
	for _, step := range steps[last:] {
		if _, err := tx.ExecContext(ctx, step.SQL); err != nil {
			return fmt.Errorf("apply migration %s: %w", step.Name, err)
		}
		const record = "INSERT INTO schema_steps (number, name) VALUES ($1, $2)"
		if _, err := tx.ExecContext(ctx, record, step.Number, step.Name); err != nil {
			return fmt.Errorf("record migration %s: %w", step.Name, err)
		}
	}
	return nil
}
