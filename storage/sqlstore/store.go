package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"sluice/storage"
)

// Store is the storage contract without Serve, which is a matter of each database. It is safe for concurrent use.
type Store struct {
	read    *DB
	write   *DB // the same as read, unless the database has one writer only
	dialect Dialect
	groups  sync.Map // kind of write -> *grouping
	numbers sync.Map // flow -> *numbering
}

// New makes a store of a migrated database. It owns the pools from then on.
func New(read, write *DB, dialect Dialect) *Store {
	return &Store{read: read, write: write, dialect: dialect}
}

// Close ends the store. Connections that have broken need no closing: that is no error.
func (s *Store) Close() error {
	err := s.read.Close()
	if s.write != s.read {
		err = errors.Join(err, s.write.Close())
	}
	if err == nil || Unavailable(s.dialect, err) {
		return nil
	}
	return fmt.Errorf("close the database: %w", err)
}

// row is a row as it is scanned; value is the contract's form of it.
type row[T any] interface{ value() T }

// one reads a single row; doing says what for, in errors. storage.ErrNotFound: there is none.
func one[R row[T], T any](ctx context.Context, s *Store, doing, query string, args ...any) (T, error) {
	var r R
	err := s.get(ctx, s.read, &r, query, args...)
	return r.value(), s.Wrap(ctx, err, doing)
}

// list reads rows.
func list[R row[T], T any](ctx context.Context, s *Store, doing, query string, args ...any) ([]T, error) {
	return listFrom[R](ctx, s, s.read, doing, query, args...)
}

func listFrom[R row[T], T any](ctx context.Context, s *Store, db *DB, doing, query string, args ...any) ([]T, error) {
	stmt, err := db.Prepared(ctx, query)
	if err != nil {
		return nil, s.Wrap(ctx, err, doing)
	}
	var rows []R
	if err := stmt.SelectContext(ctx, &rows, s.bind(args)...); err != nil {
		return nil, s.Wrap(ctx, err, doing)
	}
	values := make([]T, len(rows))
	for i, r := range rows {
		values[i] = r.value()
	}
	return values, nil
}

func (s *Store) get(ctx context.Context, db *DB, into any, query string, args ...any) error {
	stmt, err := db.Prepared(ctx, query)
	if err != nil {
		return err
	}
	return stmt.GetContext(ctx, into, s.bind(args)...)
}

// exec executes one statement, which is a transaction of its own, and returns how many rows it touched.
func (s *Store) exec(ctx context.Context, doing, query string, args ...any) (int64, error) {
	stmt, err := s.write.Prepared(ctx, query)
	if err != nil {
		return 0, s.Wrap(ctx, err, doing)
	}
	result, err := stmt.ExecContext(ctx, s.bind(args)...)
	if err != nil {
		return 0, s.Wrap(ctx, err, doing)
	}
	n, err := result.RowsAffected()
	return n, s.Wrap(ctx, err, doing)
}

func (s *Store) bind(args []any) []any {
	bound := make([]any, len(args))
	for i, a := range args {
		bound[i] = s.dialect.Bind(a)
	}
	return bound
}

// Wrap says what was being done and makes the contract's errors of the database's. When ctx has ended, that is the reason, whatever
// the database makes of it.
func (s *Store) Wrap(ctx context.Context, err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && !errors.Is(err, ctx.Err()):
		return fmt.Errorf("%s: %w: %w", doing, ctx.Err(), err)
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%s: %w", doing, storage.ErrNotFound)
	case s.dialect.Full(err):
		return fmt.Errorf("%s: %w: %w", doing, storage.ErrFull, err)
	case Unavailable(s.dialect, err):
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
