package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"

	"sluice/storage"
)

// database executes the statements of all subjects.
type database struct {
	read    *DB
	write   *DB // the same as read, unless the database has one writer only
	dialect Dialect
}

// Close ends the store. Connections that have broken need no closing: that is no error.
func (d *database) Close() error {
	err := d.read.Close()
	if d.write != d.read {
		err = errors.Join(err, d.write.Close())
	}
	if err == nil || Unavailable(d.dialect, err) {
		return nil
	}
	return fmt.Errorf("close the database: %w", err)
}

// row is a row as it is scanned; value is the contract's form of it.
type row[T any] interface{ value() T }

// one reads a single row; doing says what for, in errors. storage.ErrNotFound: there is none.
func one[R row[T], T any](ctx context.Context, d *database, doing, query string, args ...any) (T, error) {
	var r R
	err := d.get(ctx, d.read, &r, query, args...)
	return r.value(), d.Wrap(ctx, err, doing)
}

// list reads rows.
func list[R row[T], T any](ctx context.Context, d *database, doing, query string, args ...any) ([]T, error) {
	return listFrom[R](ctx, d, d.read, doing, query, args...)
}

func listFrom[R row[T], T any](ctx context.Context, d *database, db *DB, doing, query string, args ...any) ([]T, error) {
	stmt, err := db.Prepared(ctx, query)
	if err != nil {
		return nil, d.Wrap(ctx, err, doing)
	}
	var rows []R
	if err := stmt.SelectContext(ctx, &rows, d.bind(args)...); err != nil {
		return nil, d.Wrap(ctx, err, doing)
	}
	values := make([]T, len(rows))
	for i, r := range rows {
		values[i] = r.value()
	}
	return values, nil
}

func (d *database) get(ctx context.Context, db *DB, into any, query string, args ...any) error {
	stmt, err := db.Prepared(ctx, query)
	if err != nil {
		return err
	}
	return stmt.GetContext(ctx, into, d.bind(args)...)
}

// exec executes one statement, which is a transaction of its own, and returns how many rows it touched.
func (d *database) exec(ctx context.Context, doing, query string, args ...any) (int64, error) {
	stmt, err := d.write.Prepared(ctx, query)
	if err != nil {
		return 0, d.Wrap(ctx, err, doing)
	}
	result, err := stmt.ExecContext(ctx, d.bind(args)...)
	if err != nil {
		return 0, d.Wrap(ctx, err, doing)
	}
	n, err := result.RowsAffected()
	return n, d.Wrap(ctx, err, doing)
}

func (d *database) bind(args []any) []any {
	bound := make([]any, len(args))
	for i, a := range args {
		bound[i] = d.dialect.Bind(a)
	}
	return bound
}

// Wrap says what was being done and makes the contract's errors of the database's. When ctx has ended, that is the reason, whatever
// the database makes of it.
func (d *database) Wrap(ctx context.Context, err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && !errors.Is(err, ctx.Err()):
		return fmt.Errorf("%s: %w: %w", doing, ctx.Err(), err)
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%s: %w", doing, storage.ErrNotFound)
	case d.dialect.Full(err):
		return fmt.Errorf("%s: %w: %w", doing, storage.ErrFull, err)
	case Unavailable(d.dialect, err):
		return fmt.Errorf("%s: %w: %w", doing, storage.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Unavailable reports whether an error means that the database cannot be reached, is busy or is full.
func Unavailable(d Dialect, err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || d.Unavailable(err)
}

// usualLimit is how many rows a list has when the caller does not say.
const usualLimit = 50

// atMost is how many rows to list when the caller may not say.
func atMost(n int) int {
	if n <= 0 {
		return usualLimit
	}
	return n
}
