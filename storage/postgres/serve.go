package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"sluice/storage"
)

// The right to serve is looked after every watchEvery; a server that does not answer for watchLimit has lost it for us.
const (
	watchEvery = 2 * time.Second
	watchLimit = 5 * time.Second
)

// Serve takes an advisory lock on a connection of its own and says in the table servers who holds it. storage.ErrLocked names the
// holder. lost is closed within a few seconds after the connection broke.
func (s *store) Serve(ctx context.Context, holder string) (release func() error, lost <-chan struct{}, err error) {
	pool := sql.OpenDB(s.connector)
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(s.Wrap(ctx, err, "take the right to serve"), pool.Close())
	}
	end := func() error { return errors.Join(conn.Close(), pool.Close()) }
	if err := s.lock(ctx, conn, holder); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	gone := make(chan struct{})
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	var watch sync.WaitGroup
	watch.Go(func() {
		if !answers(watching, conn) {
			close(gone)
		}
	})
	release = func() error {
		stop()
		watch.Wait()
		// The server notices the end of a connection a little later than the next one may ask for the lock. When it cannot be asked
		// any more, the connection is gone already, and the lock with it.
		unlocking, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchLimit)
		defer cancel()
		_, _ = conn.ExecContext(unlocking, "SELECT pg_advisory_unlock("+lockKey("serve")+")")
		_ = conn.Close()
		return pool.Close()
	}
	return release, gone, nil
}

func (s *store) lock(ctx context.Context, conn *sql.Conn, holder string) error {
	const doing = "take the right to serve"
	var taken bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock("+lockKey("serve")+")").Scan(&taken); err != nil {
		return s.Wrap(ctx, err, doing)
	}
	if !taken {
		other := "another process"
		// The holder may not have written its name yet; then nothing better is known.
		_ = conn.QueryRowContext(ctx, "SELECT holder FROM servers").Scan(&other)
		return fmt.Errorf("%s: %w: %s", doing, storage.ErrLocked, other)
	}
	const name = `INSERT INTO servers (id, holder, since) VALUES (1, $1, now())
		ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, since = excluded.since`
	_, err := conn.ExecContext(ctx, name, text(fmt.Sprintf("%s (process %d)", holder, os.Getpid())))
	return s.Wrap(ctx, err, doing)
}

// answers asks the connection for a sign of life again and again; it returns true when ctx ends and false when there is none.
func answers(ctx context.Context, conn *sql.Conn) bool {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return true
		case <-tick.C:
		}
		question, cancel := context.WithTimeout(ctx, watchLimit)
		_, err := conn.ExecContext(question, "SELECT 1")
		cancel()
		if err != nil {
			return ctx.Err() != nil
		}
	}
}
