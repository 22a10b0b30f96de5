package sqlstore

import (
	"context"
	"time"

	"sluice/storage"
)

// processesMost bounds how many processes one beat returns; there are a handful.
const processesMost = 1000

type processRow struct {
	ID    string
	Beats int64
}

func (r processRow) value() processRow { return r }

// Beat says that a process is alive, and returns what it has to know.
func (s leaseStore) Beat(ctx context.Context, process string, now time.Time) (storage.Pulse, error) {
	const doing = "say that this process is alive"
	const query = `INSERT INTO processes (id, beats, seen) VALUES ($1, 1, $2)
		ON CONFLICT (id) DO UPDATE SET beats = processes.beats + 1, seen = excluded.seen`
	if _, err := s.exec(ctx, doing, query, process, now); err != nil {
		return storage.Pulse{}, err
	}
	known, err := list[processRow](ctx, s.database, doing, "SELECT id, beats FROM processes ORDER BY id LIMIT $1", processesMost)
	if err != nil {
		return storage.Pulse{}, err
	}
	p := storage.Pulse{Beats: map[string]int64{}}
	for _, r := range known {
		p.Beats[r.ID] = r.Beats
	}
	const (
		held = `SELECT DISTINCT worker AS id, 0 AS beats FROM leases
			WHERE worker IS NOT NULL AND NOT EXISTS (SELECT 1 FROM processes WHERE id = worker) LIMIT $1`
		fire = `SELECT DISTINCT worker AS id, 0 AS beats FROM timers
			WHERE worker IS NOT NULL AND NOT EXISTS (SELECT 1 FROM processes WHERE id = worker) LIMIT $1`
	)
	for _, unknown := range []string{held, fire} {
		strangers, err := list[processRow](ctx, s.database, doing, unknown, processesMost)
		if err != nil {
			return storage.Pulse{}, err
		}
		for _, r := range strangers {
			p.Beats[r.ID] = r.Beats
		}
	}
	p.Held, err = s.HeldBy(ctx, []string{process})
	return p, err
}

// EndDead ends what dead processes have left, their leases excepted. The counters are removed last: until then another process sees that they
// do not change, and tries again.
func (s leaseStore) EndDead(ctx context.Context, processes []string) error {
	const doing = "clear up after dead processes"
	for _, query := range []string{
		s.dialect.Statement(EndDeadJobs),
		"DELETE FROM roles WHERE " + s.dialect.In("holder", 1, Text),
		"DELETE FROM processes WHERE " + s.dialect.In("id", 1, Text),
	} {
		if query == "" {
			continue
		}
		if _, err := s.exec(ctx, doing, query, processes); err != nil {
			return err
		}
	}
	return nil
}

// Elect takes or renews a named role for holder until now+ttl. False: another process has it.
func (s leaseStore) Elect(ctx context.Context, role, holder string, now time.Time, ttl time.Duration) (bool, error) {
	const query = `INSERT INTO roles (role, holder, until) VALUES ($1, $2, $3)
		ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE roles.holder = excluded.holder OR roles.until <= $4`
	n, err := s.exec(ctx, "elect the "+role, query, role, holder, now.Add(ttl), now)
	return n == 1, err
}

// Resign gives a named role up.
func (s leaseStore) Resign(ctx context.Context, role, holder string) error {
	_, err := s.exec(ctx, "resign as "+role, "DELETE FROM roles WHERE role = $1 AND holder = $2", role, holder)
	return err
}
