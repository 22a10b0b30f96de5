package sqlstore

import (
	"context"
	"fmt"
	"time"

	"sluice/storage"
)

type leaseRow struct {
	storage.Lease
	Claimed stamp
}

func (r leaseRow) value() storage.Lease {
	r.Lease.Claimed = time.Time(r.Claimed)
	return r.Lease
}

// Claim takes an unheld lease for a worker. False: somebody else holds it, or the epoch is over.
func (s *Store) Claim(ctx context.Context, run string, token, epoch int, worker string, now time.Time) (bool, error) {
	const query = `UPDATE leases SET worker = $1, claimed = $2 WHERE run = $3 AND token = $4 AND epoch = $5 AND worker IS NULL`
	n, err := s.exec(ctx, fmt.Sprintf("claim token %d of run %s", token, run), query, worker, now, run, token, epoch)
	return n == 1, err
}

// Leases lists the leases of all runs.
func (s *Store) Leases(ctx context.Context) ([]storage.Lease, error) {
	return list[leaseRow](ctx, s, "list leases", "SELECT "+LeaseList+" FROM leases ORDER BY run, token")
}

// HeldBy lists the leases that these workers hold.
func (s *Store) HeldBy(ctx context.Context, workers []string) ([]storage.Lease, error) {
	query := "SELECT " + LeaseList + " FROM leases WHERE worker IS NOT NULL AND " + s.dialect.In("worker", 1, Text)
	return list[leaseRow](ctx, s, "list the leases of workers", query, workers)
}

// Unclaimed lists unheld leases for which nobody will be woken up.
func (s *Store) Unclaimed(ctx context.Context, limit int) ([]storage.Lease, error) {
	return list[leaseRow](ctx, s, "list unclaimed leases", s.dialect.Statement(Unclaimed), atMost(limit))
}

// Redispatch puts another job for an unheld lease into the queue, if there is one.
func (s *Store) Redispatch(ctx context.Context, l storage.Lease) (bool, error) {
	query := s.dialect.Statement(Redispatch)
	if query == "" {
		return false, nil
	}
	n, err := s.exec(ctx, fmt.Sprintf("dispatch token %d of run %s again", l.Token, l.Run), query, l.Run, l.Token, l.Epoch, l.JobID)
	return n == 1, err
}

// processesMost bounds how many processes one look can see; there are a handful.
const processesMost = 1000

type processRow struct {
	ID    string
	Beats int64
}

func (r processRow) value() processRow { return r }

// Beat says that a process is alive, and returns what it has to know.
func (s *Store) Beat(ctx context.Context, process string, now time.Time) (storage.Pulse, error) {
	const doing = "say that this process is alive"
	const query = `INSERT INTO processes (id, beats, seen) VALUES ($1, 1, $2)
		ON CONFLICT (id) DO UPDATE SET beats = processes.beats + 1, seen = excluded.seen`
	if _, err := s.exec(ctx, doing, query, process, now); err != nil {
		return storage.Pulse{}, err
	}
	known, err := list[processRow](ctx, s, doing, "SELECT id, beats FROM processes ORDER BY id LIMIT $1", processesMost)
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
		strangers, err := list[processRow](ctx, s, doing, unknown, processesMost)
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

// Bury ends what dead processes have left behind, their leases excepted. The counters go last: until then somebody else sees them
// stand still and tries again.
func (s *Store) Bury(ctx context.Context, processes []string) error {
	const doing = "clear up after dead processes"
	for _, query := range []string{
		s.dialect.Statement(BuryJobs),
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
