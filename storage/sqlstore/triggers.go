package sqlstore

import (
	"context"
	"time"

	"sluice/storage"
)

const (
	triggerList      = `id, flow, revision, num, kind, subject, body, owner, channel`
	triggerStartList = `flow, kind, event, run, at`
)

var (
	triggerColumns = []Column{
		{"id", Text},
		{"flow", Text},
		{"revision", Int},
		{"num", Int},
		{"kind", Text},
		{"subject", Text},
		{"body", Bytes},
		{"owner", Text},
		{"channel", Text},
	}
	triggerStartColumns = []Column{{"flow", Text}, {"kind", Text}, {"event", Text}, {"run", Text}, {"at", Time}}
	// triggers leaves a row alone that belongs to another flow.
	triggers      = table{"triggers", triggerColumns, replace("id", triggerColumns...) + " WHERE triggers.flow = excluded.flow"}
	triggerStarts = table{"trigger_starts", triggerStartColumns, "ON CONFLICT (flow, kind, event) DO NOTHING"}
)

// triggerStore has what starts runs: schedules and triggers.
type triggerStore struct{ *database }

type triggerRow struct{ storage.Trigger }

func (r triggerRow) value() storage.Trigger { return r.Trigger }

type triggerStartRow struct {
	storage.TriggerStart
	At stamp
}

func (r triggerStartRow) value() storage.TriggerStart {
	r.TriggerStart.At = time.Time(r.At)
	return r.TriggerStart
}

// Triggers lists the triggers of a kind that listen to a subject, by flow and number.
func (s triggerStore) Triggers(ctx context.Context, kind, subject string) ([]storage.Trigger, error) {
	const query = "SELECT " + triggerList + " FROM triggers WHERE kind = $1 AND subject = $2 ORDER BY flow, num"
	return list[triggerRow](ctx, s.database, "list triggers of kind "+kind, query, kind, subject)
}

// TriggersOf lists the triggers of a flow by number.
func (s triggerStore) TriggersOf(ctx context.Context, flow string) ([]storage.Trigger, error) {
	const query = "SELECT " + triggerList + " FROM triggers WHERE flow = $1 ORDER BY num"
	return list[triggerRow](ctx, s.database, "list the triggers of "+flow, query, flow)
}

// TriggerStart says which run of a flow an event has started.
func (s triggerStore) TriggerStart(ctx context.Context, flow, kind, event string) (storage.TriggerStart, error) {
	const query = "SELECT " + triggerStartList + " FROM trigger_starts WHERE flow = $1 AND kind = $2 AND event = $3"
	return one[triggerStartRow](ctx, s.database, "find the run of "+flow+" that an event has started", query, flow, kind, event)
}

// triggerParts deletes before it puts: what is in both is put.
func triggerParts(b *storage.Batch) []Part {
	put := map[string]bool{}
	var rows [][]any
	for _, t := range newest(b.Triggers, func(t storage.Trigger) any { return t.ID }) {
		put[t.ID] = true
		rows = append(rows, []any{t.ID, t.Flow, t.Revision, t.Num, t.Kind, t.Subject, t.Body, t.Owner, t.Channel})
	}
	var gone []string
	for _, id := range b.NoTrigger {
		if !put[id] {
			gone = append(gone, id)
		}
	}
	into := triggers.part(rows)
	into.Must, into.Else = len(rows), storage.ErrConflict
	return []Part{removeRows("triggers", "id", gone), into}
}

func triggerStartRows(starts []storage.TriggerStart) Part {
	rows := make([][]any, len(starts))
	for i, t := range starts {
		rows[i] = []any{t.Flow, t.Kind, t.Event, t.Run, t.At}
	}
	p := triggerStarts.part(rows)
	p.Must, p.Else = len(rows), storage.ErrStarted
	return p
}
