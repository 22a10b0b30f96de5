package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/storage"
)

const (
	eventsKept   = time.Hour   // how long an event can be received by a run that begins to wait
	eventsAtOnce = 300         // events of a name that are looked at; more than a run remembers one by one
	forgetEvery  = time.Minute // between two looks for events that are too old
	forgetAtOnce = 1000
)

// Emit tells of an event: every run that waits for it receives it, and so does every run of now that begins to wait within an hour,
// each once. An event with a key that is known is the same event: nothing happens. The payload is a JSON object, or nil.
// Errors: *UserError for a name or a payload that cannot be.
func (e *Engine) Emit(ctx context.Context, name string, payload map[string]any, actor history.Actor, key string) error {
	if name = strings.TrimSpace(name); name == "" || key == "" {
		return &UserError{Code: "bad_event", Text: "An event needs a name and a key.", Hint: "The key tells it from other events of the same name."}
	}
	return e.emit(ctx, name, payload, actor, "event/"+url.PathEscape(key)) // a slash would make it look like a signal of another event
}

// emit stores an event and a due row for it. The process that handles that row reads the waiting runs after the event is stored, and a run
// that begins to wait reads the events after its wait is there: at least one of the two sees the other, without a lock between them.
func (e *Engine) emit(ctx context.Context, name string, payload map[string]any, actor history.Actor, id string) error {
	ev := run.Event{ID: id, Name: name, At: e.Now().UTC().Truncate(time.Microsecond), By: actor}
	if len(payload) > 0 {
		var err error
		if ev.Payload, err = json.Marshal(payload); err != nil {
			return &UserError{Code: "bad_event", Text: "The event's payload is not JSON.", Err: err}
		}
	}
	if size := len(ev.Payload); size > run.PayloadMost {
		return &UserError{Code: "bad_event", Text: fmt.Sprintf("An event's payload may have %d KiB; this one has %d.", run.PayloadMost>>10, (size+1023)>>10)}
	}
	body, err := json.Marshal(ev)
	if err != nil {
		return fmt.Errorf("write event %s: %w", name, err)
	}
	err = e.cfg.Store.Write(ctx, &storage.Batch{
		Events:  []storage.Event{{ID: id, Name: name, At: ev.At, Body: body}},
		Signals: []storage.Timer{{ID: id, Kind: signalEventFanOut, Due: e.Now()}},
	})
	if err == nil {
		e.wakeTimers()
	}
	return err
}

// emitAct is the act of an emit node. Its key is the event's id: a repeat is the same event.
func (e *Engine) emitAct(r storage.Run) func(ctx context.Context, name string, payload map[string]any, key string) error {
	return func(ctx context.Context, name string, payload map[string]any, key string) error {
		return e.outage.Repeat(ctx, func() error {
			return e.emit(ctx, name, payload, history.Actor{User: r.By, Via: history.ViaRun}, "event/"+key)
		}, runner.IsAnswer)
	}
}

// deliverEvent gives an event to a run that waited for it when it was spread.
func (e *Engine) deliverEvent(ctx context.Context, t storage.Timer) error {
	var ev run.Event
	if err := json.Unmarshal(t.Body, &ev); err != nil {
		return err
	}
	_, err := e.runner.Transition(ctx, t.Run, run.Happened{At: e.Now(), Events: []run.Event{ev}}, answered(t))
	return err
}

// lookForEvent gives a run that has begun to wait an event that happened since it started, if there is one.
func (e *Engine) lookForEvent(ctx context.Context, t storage.Timer) error {
	var l eventLook
	if err := json.Unmarshal(t.Body, &l); err != nil {
		return err
	}
	row, err := e.cfg.Store.Run(ctx, t.Run)
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
	if kept := e.Now().Add(-eventsKept); kept.After(since) {
		since = kept
	}
	stored, err := e.cfg.Store.Events(ctx, l.Name, since, eventsAtOnce)
	if err != nil {
		return err
	}
	in := run.Happened{At: e.Now()}
	for _, s := range stored {
		var ev run.Event
		if err := json.Unmarshal(s.Body, &ev); err != nil {
			return fmt.Errorf("read event %s: %w", s.ID, err)
		}
		in.Events = append(in.Events, ev)
	}
	_, err = e.runner.Transition(ctx, t.Run, in, answered(t))
	return err
}

// forgetEvents deletes what is too old to be received, now and then. It says when it last did.
func (e *Engine) forgetEvents(ctx context.Context, last time.Time) (time.Time, error) {
	now := e.Now()
	if now.Sub(last) < forgetEvery {
		return last, nil
	}
	_, err := e.cfg.Store.ForgetEvents(ctx, now.Add(-eventsKept), forgetAtOnce)
	return now, err
}
