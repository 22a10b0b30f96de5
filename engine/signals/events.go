package signals

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"sluice/engine/history"
	"sluice/engine/outage"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/engine/usererror"
	"sluice/storage"
)

const (
	eventsKept   = time.Hour   // how long an event can be received by a run that begins to wait
	eventsAtOnce = 300         // events of a name that are looked at; more than a run remembers one by one
	forgetEvery  = time.Minute // between two looks for events that are too old
	forgetAtOnce = 1000
)

// EventStore is the part of the store that has the events.
type EventStore interface {
	Write(ctx context.Context, b *storage.Batch) error
	ForgetEvents(ctx context.Context, before time.Time, limit int) (int, error)
}

// Events tells of events. Its methods are safe for concurrent use.
type Events struct {
	Store  EventStore
	Outage *outage.Watch
	Now    func() time.Time
	Wake   func() // says that something is due
}

// Emit tells of an event: every run that waits for it receives it, and so does every run of now that begins to wait within an hour,
// each once. An event with a key that is known is the same event: nothing happens. The payload is a JSON object, or nil.
// Errors: *usererror.Error for a name or a payload that cannot be.
func (v *Events) Emit(ctx context.Context, name string, payload map[string]any, actor history.Actor, key string) error {
	if name = strings.TrimSpace(name); name == "" || key == "" {
		return &usererror.Error{Code: "bad_event", Text: "An event needs a name and a key.", Hint: "The key tells it from other events of the same name."}
	}
	return v.emit(ctx, name, payload, actor, "event/"+url.PathEscape(key)) // a slash would make it look like a signal of another event
}

// emit stores an event and a due row for it. The process that handles that row reads the waiting runs after the event is stored, and a run
// that begins to wait reads the events after its wait is there: at least one of the two sees the other, without a lock between them.
func (v *Events) emit(ctx context.Context, name string, payload map[string]any, actor history.Actor, id string) error {
	ev := run.Event{ID: id, Name: name, At: v.Now().UTC().Truncate(time.Microsecond), By: actor}
	if len(payload) > 0 {
		var err error
		if ev.Payload, err = json.Marshal(payload); err != nil {
			return &usererror.Error{Code: "bad_event", Text: "The event's payload is not JSON.", Err: err}
		}
	}
	if size := len(ev.Payload); size > run.PayloadMost {
		return &usererror.Error{Code: "bad_event", Text: fmt.Sprintf("An event's payload may have %d KiB; this one has %d.", run.PayloadMost>>10, (size+1023)>>10)}
	}
	body, err := json.Marshal(ev)
	if err != nil {
		return fmt.Errorf("write event %s: %w", name, err)
	}
	err = v.Store.Write(ctx, &storage.Batch{
		Events:  []storage.Event{{ID: id, Name: name, At: ev.At, Body: body}},
		Signals: []storage.Timer{{ID: id, Kind: signalEventFanOut, Due: v.Now()}},
	})
	if err == nil {
		v.Wake()
	}
	return err
}

// Act is the act of an emit node. Its key is the event's id: a repeat is the same event.
func (v *Events) Act(r storage.Run) func(ctx context.Context, name string, payload map[string]any, key string) error {
	return func(ctx context.Context, name string, payload map[string]any, key string) error {
		return v.Outage.Repeat(ctx, func() error {
			return v.emit(ctx, name, payload, history.Actor{User: r.By, Via: history.ViaRun}, "event/"+key)
		}, runner.IsAnswer)
	}
}

// Forget deletes what is too old to be received, now and then. It says when it last did.
func (v *Events) Forget(ctx context.Context, last time.Time) (time.Time, error) {
	now := v.Now()
	if now.Sub(last) < forgetEvery {
		return last, nil
	}
	_, err := v.Store.ForgetEvents(ctx, now.Add(-eventsKept), forgetAtOnce)
	return now, err
}

// deliverEvent gives an event to a run that waited for it when it was spread.
func (s *Signals) deliverEvent(ctx context.Context, t storage.Timer) error {
	var ev run.Event
	if err := json.Unmarshal(t.Body, &ev); err != nil {
		return err
	}
	_, err := s.Runner.Transition(ctx, t.Run, run.Happened{At: s.Now(), Events: []run.Event{ev}}, answered(t))
	return err
}

// lookForEvent gives a run that has begun to wait an event that happened since it started, if there is one.
func (s *Signals) lookForEvent(ctx context.Context, t storage.Timer) error {
	var l eventLook
	if err := json.Unmarshal(t.Body, &l); err != nil {
		return err
	}
	row, err := s.Store.Run(ctx, t.Run)
	if err != nil {
		return err
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		return err
	}
	since := st.Started
	if st.Heard != nil && st.Heard.Until.After(since) {
		since = st.Heard.Until
	}
	if kept := s.Now().Add(-eventsKept); kept.After(since) {
		since = kept
	}
	stored, err := s.Store.Events(ctx, l.Name, since, eventsAtOnce)
	if err != nil {
		return err
	}
	in := run.Happened{At: s.Now()}
	for _, row := range stored {
		var ev run.Event
		if err := json.Unmarshal(row.Body, &ev); err != nil {
			return fmt.Errorf("read event %s: %w", row.ID, err)
		}
		in.Events = append(in.Events, ev)
	}
	_, err = s.Runner.Transition(ctx, t.Run, in, answered(t))
	return err
}
