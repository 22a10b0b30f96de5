package sqlstore

import (
	"context"
	"time"

	"sluice/storage"
)

// unpaused is the condition of schedules whose flow may start runs. It counts, because Postgres would make a join of NOT EXISTS and
// then read both tables whole.
const unpaused = `(SELECT count(*) FROM pauses WHERE pauses.flow IN ('', schedules.flow)) = 0`

var (
	pauseColumns = []Column{{"flow", Text}, {"actor", Bytes}, {"reason", Text}, {"since", Time}}
	pauses       = table{"pauses", pauseColumns, "ON CONFLICT (flow) DO NOTHING"}
)

type pauseRow struct {
	storage.Pause
	Since stamp
}

func (r pauseRow) value() storage.Pause {
	r.Pause.Since = time.Time(r.Since)
	return r.Pause
}

// Pauses lists what people have paused, by flow.
func (s flowStore) Pauses(ctx context.Context) ([]storage.Pause, error) {
	return list[pauseRow](ctx, s.database, "list what is paused", "SELECT flow, actor, reason, since FROM pauses ORDER BY flow")
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
