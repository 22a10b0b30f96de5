package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sluice/storage"
)

const gateList = `id, run, num, node, kind, status, choice, by_user, opened, due, decided, body, asked`

type timerRow struct {
	storage.Timer
	Due stamp
}

func (r timerRow) value() storage.Timer {
	r.Timer.Due = time.Time(r.Due)
	return r.Timer
}

type gateRow struct {
	storage.Gate
	Opened, Due, Decided stamp
}

func (r gateRow) value() storage.Gate {
	r.Gate.Opened, r.Gate.Due, r.Gate.Decided = time.Time(r.Opened), time.Time(r.Due), time.Time(r.Decided)
	return r.Gate
}

// ClaimTimers takes up to limit due timers until now+hold and returns them, earliest first.
func (s *Store) ClaimTimers(ctx context.Context, worker string, now time.Time, hold time.Duration, limit int) ([]storage.Timer, error) {
	query := s.dialect.Statement(ClaimTimers)
	var by any // NULL for a worker without a name
	if worker != "" {
		by = worker
	}
	claimed, err := listFrom[timerRow](ctx, s, s.write, "claim due timers", query, now, now.Add(hold), atMost(limit), by)
	slices.SortFunc(claimed, func(a, b storage.Timer) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID))
	})
	return claimed, err
}

// FreeTimers ends the claims of these workers; nil = of all whose claims have a name.
func (s *Store) FreeTimers(ctx context.Context, workers []string) (int, error) {
	const doing = "end claims on timers"
	if workers == nil {
		n, err := s.exec(ctx, doing, s.dialect.Statement(FreeAllTimers))
		return int(n), err
	}
	n, err := s.exec(ctx, doing, s.dialect.Statement(FreeTimers), workers)
	return int(n), err
}

// NextDue is when the earliest timer or unpaused schedule is due; the zero time when there is none. A claimed timer is due again
// when its claim ends.
func (s *Store) NextDue(ctx context.Context) (time.Time, error) {
	const query = `SELECT min(due) FROM (SELECT min(wake) AS due FROM timers
		UNION ALL SELECT min(next) AS due FROM schedules WHERE NOT paused AND ` + unpaused + `) AS both_kinds`
	var due stamp
	err := s.get(ctx, s.read, &due, query)
	return time.Time(due), s.Wrap(ctx, err, "find what is due next")
}

// Gate loads a gate by id ("run-id/number").
func (s *Store) Gate(ctx context.Context, id string) (storage.Gate, error) {
	return one[gateRow](ctx, s, "load gate "+id, "SELECT "+gateList+" FROM gates WHERE id = $1", id)
}

// Gates lists gates, newest first.
func (s *Store) Gates(ctx context.Context, q storage.GateQuery) ([]storage.Gate, error) {
	if q.Asked != nil {
		query := "SELECT " + gateList + " FROM gates WHERE status = 'open' AND " + s.dialect.In("asked", 1, Text) + " ORDER BY opened, id LIMIT $2 OFFSET $3"
		return list[gateRow](ctx, s, "list gates that are for somebody", query, q.Asked, atMost(q.Limit), q.Skip)
	}
	where := "$1 = ''"
	if q.Run != "" {
		where = "run = $1"
	}
	if q.Open {
		where += " AND status = 'open'"
	}
	query := "SELECT " + gateList + " FROM gates WHERE " + where + " ORDER BY opened DESC, id DESC LIMIT $2"
	return list[gateRow](ctx, s, "list gates", query, q.Run, atMost(q.Limit))
}

// OpenAsked counts the open gates by whom they are for.
func (s *Store) OpenAsked(ctx context.Context) ([]storage.AskedCount, error) {
	const query = "SELECT asked, count(*) AS open FROM gates WHERE status = 'open' GROUP BY asked"
	return list[askedRow](ctx, s, "count gates by whom they are for", query)
}

type askedRow struct{ storage.AskedCount }

func (r askedRow) value() storage.AskedCount { return r.AskedCount }

// Elect takes or renews a named role for holder until now+ttl. False: somebody else has it.
func (s *Store) Elect(ctx context.Context, role, holder string, now time.Time, ttl time.Duration) (bool, error) {
	const query = `INSERT INTO roles (role, holder, until) VALUES ($1, $2, $3)
		ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE roles.holder = excluded.holder OR roles.until <= $4`
	n, err := s.exec(ctx, "elect the "+role, query, role, holder, now.Add(ttl), now)
	return n == 1, err
}

// Resign gives a named role up.
func (s *Store) Resign(ctx context.Context, role, holder string) error {
	_, err := s.exec(ctx, "resign as "+role, "DELETE FROM roles WHERE role = $1 AND holder = $2", role, holder)
	return err
}
