package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sluice/storage"
)

var (
	timerColumns = []Column{
		{"id", Text}, {"run", Text}, {"num", Int}, {"kind", Text}, {"due", Time}, {"wake", Time}, {"body", Bytes},
	}
	timers  = table{"timers", timerColumns, replace("id", timerColumns...)}
	signals = table{"timers", timerColumns, "ON CONFLICT (id) DO NOTHING"}
)

// timerStore has the due rows of runs, and the events that they wait for.
type timerStore struct{ *database }

type timerRow struct {
	storage.Timer
	Due stamp
}

func (r timerRow) value() storage.Timer {
	r.Timer.Due = time.Time(r.Due)
	return r.Timer
}

// ClaimTimers takes up to limit due timers until now+hold and returns them, earliest first.
func (s timerStore) ClaimTimers(ctx context.Context, worker string, now time.Time, hold time.Duration, limit int) ([]storage.Timer, error) {
	query := s.dialect.Statement(ClaimTimers)
	var by any // NULL for a worker without a name
	if worker != "" {
		by = worker
	}
	claimed, err := listFrom[timerRow](ctx, s.database, s.write, "claim due timers", query, now, now.Add(hold), atMost(limit), by)
	slices.SortFunc(claimed, func(a, b storage.Timer) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID))
	})
	return claimed, err
}

// FreeTimers ends the claims of these workers; nil = of all whose claims have a name.
func (s timerStore) FreeTimers(ctx context.Context, workers []string) (int, error) {
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
func (s timerStore) NextDue(ctx context.Context) (time.Time, error) {
	const query = `SELECT min(due) FROM (SELECT min(wake) AS due FROM timers
		UNION ALL SELECT min(next) AS due FROM schedules WHERE NOT paused AND ` + unpaused + `) AS both_kinds`
	var due stamp
	err := s.get(ctx, s.read, &due, query)
	return time.Time(due), s.Wrap(ctx, err, "find what is due next")
}

func timerRows(run string, list []storage.Timer) Part {
	list = newest(list, func(t storage.Timer) any { return t.ID })
	rows := make([][]any, len(list))
	for i, t := range list {
		rows[i] = []any{t.ID, run, t.Num, t.Kind, t.Due, t.Due, t.Body}
	}
	return timers.part(rows)
}

func deleteTimers(w *storage.RunWrite) Part {
	put := map[string]bool{}
	for _, t := range w.Timers {
		put[t.ID] = true
	}
	var gone []string
	for _, id := range w.NoTimer {
		if !put[id] {
			gone = append(gone, id)
		}
	}
	return deleteDue(gone)
}

// insertSignals are due rows with a body. Writing one twice is nothing.
func insertSignals(list []storage.Timer) Part {
	list = newest(list, func(t storage.Timer) any { return t.ID })
	rows := make([][]any, len(list))
	for i, t := range list {
		rows[i] = []any{t.ID, t.Run, t.Num, t.Kind, t.Due, t.Due, t.Body}
	}
	p := signals.part(rows)
	p.Name = "mail"
	return p
}

func deleteSignals(ids []string) Part {
	p := deleteDue(ids)
	p.Name = "no_mail"
	return p
}

// deleteDue deletes due rows by their ids.
func deleteDue(ids []string) Part {
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{id}
	}
	return Part{
		Name: "no_timers", SQL: "DELETE FROM timers WHERE id IN (SELECT id FROM {rows})",
		Columns: []Column{{"id", Text}}, Rows: rows,
	}
}

// take deletes a due row that must still be there: somebody else may have done what it is about, or may have called it off.
func take(id string) Part {
	p := deleteDue([]string{id})
	p.Name, p.Must, p.Else = "take", 1, storage.ErrConflict
	return p
}
