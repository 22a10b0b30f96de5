package sqlstore

import (
	"context"

	"sluice/storage"
)

type placeRow struct {
	storage.Place
}

func (r placeRow) value() storage.Place { return r.Place }

// Places lists places in keys' lines, in order of runs.
func (s *Store) Places(ctx context.Context, q storage.PlaceQuery) ([]storage.Place, error) {
	live := func(run string) string {
		return "EXISTS (SELECT 1 FROM runs WHERE runs.id = " + run + " AND NOT (" + s.dialect.In("runs.status", 2, Text) + "))"
	}
	query := `SELECT q.run, q.behind,
			NOT ` + live("q.run") + ` AND NOT ` + live("q.behind") + ` AND NOT EXISTS (SELECT 1 FROM timers WHERE timers.id = $3 || q.behind) AS over,
			NOT EXISTS (SELECT 1 FROM run_queue AS b WHERE b.run = q.behind) AS first
		FROM run_queue AS q WHERE q.run > $1 ORDER BY q.run LIMIT $4`
	return list[placeRow](ctx, s, "list places in keys' lines", query, q.After, q.Final, q.Letter, atMost(q.Limit))
}

// RemoveSpend takes what was spent in months before this one away, up to limit rows.
func (s *Store) RemoveSpend(ctx context.Context, before string, limit int) (int, error) {
	const query = `DELETE FROM spend WHERE (flow, month) IN (SELECT flow, month FROM spend WHERE month < $1 ORDER BY month LIMIT $2)`
	n, err := s.exec(ctx, "remove what was spent long ago", query, before, atMost(limit))
	return int(n), err
}

// CountOld says how much there is that may be removed.
func (s *Store) CountOld(ctx context.Context, q storage.OldQuery) (old storage.Old, err error) {
	count := func(into *int, asked bool, query string, args ...any) {
		if err != nil || !asked {
			return
		}
		var n int
		err = s.Wrap(ctx, s.get(ctx, s.read, &n, query, args...), "count what is old")
		*into += n
	}
	count(&old.Deliveries, !q.Deliveries.IsZero(), "SELECT count(*) FROM inbox WHERE done AND received < $1", q.Deliveries)
	count(&old.Drafts, !q.Drafts.IsZero(), "SELECT count(*) FROM drafts WHERE status <> 'approved' AND created < $1", q.Drafts)
	for _, kind := range q.Kinds {
		const query = "SELECT count(*) FROM surfaces WHERE kind = $1 AND created < $2 AND since IS NULL"
		count(&old.Messages, !q.Messages.IsZero(), query, kind, q.Messages)
	}
	count(&old.Months, q.Month != "", "SELECT count(*) FROM spend WHERE month < $1", q.Month)
	return old, err
}
