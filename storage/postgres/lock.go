package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"sluice/storage"
	"sluice/storage/sqlstore"
)

// locksAtOnce is how many rows one process locks or waits for at a time. They have connections of their own: waiting for a lock must not keep
// the holder of the lock from reading.
const locksAtOnce = 4

// holdMost is how long the server lets a lock's transaction be idle: a process that is frozen meanwhile must not block the run.
const holdMost = "5s"

func lockPool(pool *sql.DB) *sqlx.DB {
	pool.SetMaxOpenConns(locksAtOnce)
	pool.SetMaxIdleConns(1)
	pool.SetConnMaxIdleTime(time.Minute)
	return sqlx.NewDb(pool, "postgres")
}

// Lock locks a run's row in a transaction of its own.
func (s *store) Lock(ctx context.Context, run string) (storage.Locked, error) {
	doing := "lock run " + run
	tx, err := s.locks.BeginTxx(ctx, nil)
	if err != nil {
		return nil, s.Wrap(ctx, err, doing)
	}
	const limits = "SELECT set_config('idle_in_transaction_session_timeout', '" + holdMost + "', TRUE), set_config('lock_timeout', '" + holdMost + "', TRUE)"
	_, err = tx.ExecContext(ctx, limits)
	if err == nil {
		_, err = tx.ExecContext(ctx, "SELECT id FROM runs WHERE id = $1 FOR UPDATE", text(run))
	}
	if err != nil {
		// The first error says more than one of the rollback could.
		_ = tx.Rollback()
		return nil, s.Wrap(ctx, err, doing)
	}
	d := &lockedDialect{dialect: s.dialect, tx: tx}
	return &locked{Store: sqlstore.New(s.db, s.db, d), tx: tx}, nil
}

// locked writes in the transaction that holds the lock.
type locked struct {
	*sqlstore.Store // reads with the others' connections
	tx              *sqlx.Tx
}

// Release gives the lock back without a write. After a write there is nothing to give back: that is no error.
func (l *locked) Release() { _ = l.tx.Rollback() }

// lockedDialect executes a write in the transaction that holds the lock, and ends it.
type lockedDialect struct {
	*dialect
	tx *sqlx.Tx
}

// Kind is none: what holds a lock goes alone.
func (d *lockedDialect) Kind([]sqlstore.Part) string { return "" }

// Again is never true: the transaction is over with its first error.
func (d *lockedDialect) Again(error) bool { return false }

// Apply executes the parts and commits, or rolls back.
func (d *lockedDialect) Apply(ctx context.Context, parts []sqlstore.Part) error {
	parts = enqueue(d.queue, parts)
	args, err := arguments(parts)
	if err != nil {
		return err
	}
	stmt, err := d.tx.PreparexContext(ctx, d.texts.of(parts, parts[0].Must == 1))
	if err == nil {
		err = apply(ctx, stmt, parts, args)
	}
	if err != nil {
		// The first error says more than one of the rollback could.
		_ = d.tx.Rollback()
		return err
	}
	return d.tx.Commit()
}

// Close ends the store.
func (s *store) Close() error { return errors.Join(s.locks.Close(), s.Store.Close()) }
