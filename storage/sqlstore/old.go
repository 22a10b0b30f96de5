package sqlstore

import (
	"context"

	"sluice/storage"
)

type queueEntryRow struct {
	storage.QueueEntry
}

func (r queueEntryRow) value() storage.QueueEntry { return r.QueueEntry }

// QueueEntries lists entries of key queues, in order of runs.
func (s *Store) QueueEntries(ctx context.Context, q storage.QueueQuery) ([]storage.QueueEntry, error) {
	live := func(run string) string {
		return "EXISTS (SELECT 1 FROM runs WHERE runs.id = " + run + " AND NOT (" + s.dialect.In("runs.status", 2, Text) + "))"
	}
	query := `SELECT q.run, q.behind,
			NOT ` + live("q.run") + ` AND NOT ` + live("q.behind") + ` AND NOT EXISTS (SELECT 1 FROM timers WHERE timers.id = $3 || q.behind) AS over,
			NOT EXISTS (SELECT 1 FROM run_queue AS b WHERE b.run = q.behind) AS first
		FROM run_queue AS q WHERE q.run > $1 ORDER BY q.run LIMIT $4`
	return list[queueEntryRow](ctx, s, "list entries of key queues", query, q.After, q.Final, q.SignalPrefix, atMost(q.Limit))
}

// RemoveSpend takes what was spent in months before this one away, up to limit rows.
func (s *Store) RemoveSpend(ctx context.Context, before string, limit int) (int, error) {
	const query = `DELETE FROM spend WHERE (flow, month) IN (SELECT flow, month FROM spend WHERE month < $1 ORDER BY month LIMIT $2)`
	n, err := s.exec(ctx, "remove what was spent long ago", query, before, atMost(limit))
	return int(n), err
}

// RemoveUse takes what people used of models before this day away, up to limit rows.
func (s *Store) RemoveUse(ctx context.Context, before string, limit int) (int, error) {
	const query = `DELETE FROM model_use WHERE (person, day, provider) IN (SELECT person, day, provider FROM model_use WHERE day < $1 ORDER BY day LIMIT $2)`
	n, err := s.exec(ctx, "remove what people used of models long ago", query, before, atMost(limit))
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
