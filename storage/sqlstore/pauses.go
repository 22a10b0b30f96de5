package sqlstore

import (
	"context"
	"time"

	"sluice/storage"
)

// unpaused is the condition of schedules whose flow may start runs. It counts, because Postgres would make a join of NOT EXISTS and
// then read both tables whole.
const unpaused = `(SELECT count(*) FROM pauses WHERE pauses.flow IN ('', schedules.flow)) = 0`

type pauseRow struct {
	storage.Pause
	Since stamp
}

func (r pauseRow) value() storage.Pause {
	r.Pause.Since = time.Time(r.Since)
	return r.Pause
}

// Pauses lists what people have paused, by flow.
func (s *Store) Pauses(ctx context.Context) ([]storage.Pause, error) {
	return list[pauseRow](ctx, s, "list what is paused", "SELECT flow, actor, reason, since FROM pauses ORDER BY flow")
}

// pauseParts deletes before it puts: what is in both is put.
func pauseParts(b *storage.Batch) []Part {
	gone := Part{
		Name: "no_pauses", SQL: "DELETE FROM pauses WHERE flow IN (SELECT flow FROM {rows})", Columns: []Column{{"flow", Text}},
	}
	put := map[string]bool{}
	var rows [][]any
	for _, p := range b.Pause {
		put[p.Flow] = true
		rows = append(rows, []any{p.Flow, p.Actor, p.Reason, p.Since})
	}
	for _, flow := range b.Unpause {
		if !put[flow] {
			gone.Rows = append(gone.Rows, []any{flow})
		}
	}
	return []Part{gone, pauses.part(rows)}
}

// LiveRuns lists runs that are not ended, newest first and with their states.
func (s *Store) LiveRuns(ctx context.Context, q storage.LiveQuery, before *storage.Run) ([]storage.Run, error) {
	if before == nil {
		before = &storage.Run{Started: latest}
	}
	where := "ended IS NULL AND (started, id) < ($1, $2) AND ($3 = '' OR status = $3)"
	args := []any{before.Started, before.ID, q.Status, atMost(q.Limit)}
	if q.Flow != "" {
		where += " AND flow = $5"
		args = append(args, q.Flow)
	}
	query := "SELECT " + runList + ", state FROM runs WHERE " + where + " ORDER BY started DESC, id DESC LIMIT $4"
	return list[runRow](ctx, s, "list live runs", query, args...)
}

// latest is after the start of any run.
var latest = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
