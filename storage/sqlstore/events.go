package sqlstore

import (
	"context"
	"time"

	"sluice/storage"
)

const eventList = `id, name, at, body`

var (
	eventColumns = []Column{{"id", Text}, {"name", Text}, {"at", Time}, {"body", Bytes}}
	waitColumns  = []Column{{"run", Text}, {"token", Int}, {"name", Text}, {"since", Time}}
)

var (
	events = table{"events", eventColumns, "ON CONFLICT (id) DO NOTHING"}
	waits  = table{"waits", waitColumns, replace("run, token", waitColumns...)}
)

type eventRow struct {
	storage.Event
	At stamp
}

func (r eventRow) value() storage.Event {
	r.Event.At = time.Time(r.At)
	return r.Event
}

// Events lists events of a name that happened at since or later, in order of time and id.
func (s timerStore) Events(ctx context.Context, name string, since time.Time, limit int) ([]storage.Event, error) {
	const query = "SELECT " + eventList + " FROM events WHERE name = $1 AND at >= $2 ORDER BY at, id LIMIT $3"
	return list[eventRow](ctx, s.database, "list events called "+name, query, name, since, atMost(limit))
}

// ForgetEvents deletes up to limit events from before a time, unless a due row with their id is still to be worked on.
func (s timerStore) ForgetEvents(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := s.exec(ctx, "forget old events", s.dialect.Statement(ForgetEvents), before, atMost(limit))
	return int(n), err
}

func eventRows(list []storage.Event) Part {
	list = newest(list, func(e storage.Event) any { return e.ID })
	rows := make([][]any, len(list))
	for i, e := range list {
		rows[i] = []any{e.ID, e.Name, e.At, e.Body}
	}
	return events.part(rows)
}

func waitRows(run string, list []storage.Wait) Part {
	list = newest(list, func(w storage.Wait) any { return w.Token })
	rows := make([][]any, len(list))
	for i, w := range list {
		rows[i] = []any{run, w.Token, w.Name, w.Since}
	}
	return waits.part(rows)
}

func deleteWaits(w *storage.RunWrite) Part {
	put := map[int]bool{}
	for _, x := range w.Waits {
		put[x.Token] = true
	}
	var rows [][]any
	for _, token := range w.NoWait {
		if !put[token] {
			rows = append(rows, []any{w.Run.ID, token})
		}
	}
	return Part{
		Name: "no_waits", SQL: "DELETE FROM waits WHERE (run, token) IN (SELECT run, token FROM {rows})",
		Columns: []Column{{"run", Text}, {"token", Int}}, Rows: rows,
	}
}

// fanOut writes signals to the runs that wait for events that are stored already.
func fanOut(list []storage.FanOut) Part {
	rows := make([][]any, len(list))
	for i, s := range list {
		rows[i] = []any{s.Event, s.Kind, s.Due}
	}
	return Part{
		Name: "spread",
		SQL: `INSERT INTO timers (id, run, num, kind, due, wake, body)
			SELECT e.id || '/' || w.run || '/' || w.token, w.run, 0, v.kind, v.due, v.due, e.body
			FROM {rows} JOIN events AS e ON e.id = v.event JOIN waits AS w ON w.name = e.name
			WHERE w.since <= e.at ON CONFLICT (id) DO NOTHING`,
		Columns: []Column{{"event", Text}, {"kind", Text}, {"due", Time}}, Rows: rows,
	}
}
