package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/expr"
	"sluice/engine/expr/value"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

const (
	// heardMost bounds how many events a run remembers one by one: they are in the state.
	heardMost = 256
	// heardFor is how long each received event is remembered. Older events are not delivered again.
	heardFor = 2 * time.Hour
	// PayloadMost is how much an event may contain, as JSON.
	PayloadMost = 64 << 10
)

// waitForEvent has a token wait for an event, which may have happened since the run started.
func waitForEvent(m *machine, n *compile.Node, t history.Token) {
	name, nerr := eventName(m, n, t)
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	m.emit(t, &history.EventWaited{Name: name, Attempt: t.Attempt + 1})
	m.setTimeout(n, t)
	m.effect(LookForEvent{Token: t.ID, Step: t.Step, Name: name})
}

// eventName renders the name of an event.
func eventName(m *machine, n *compile.Node, t history.Token) (string, *history.NodeError) {
	name, nerr := m.Text(n, t)
	if name = strings.TrimSpace(name); nerr == nil && name == "" {
		nerr = &history.NodeError{Node: t.Node, Type: history.ErrorExpression, Message: "the name of the event is empty", Permanent: true}
	}
	return name, nerr
}

// renderEmit gives the event that a node sends. Every run of the workspace may receive it, so sensitive inputs are sent as dots.
func renderEmit(m *machine, n *compile.Node, t history.Token) (params map[string]any, shown json.RawMessage, nerr *history.NodeError) {
	name, nerr := eventName(m, n, t)
	if nerr != nil {
		return nil, nil, nerr
	}
	payload, nerr := m.Render(n, t, m.Scope(t).Masked())
	if nerr != nil {
		return nil, nil, nerr
	}
	params = map[string]any{"event": name}
	if len(payload) > 0 {
		params["payload"] = value.Native(payload)
	}
	shown = json.RawMessage(expr.JSON(params))
	if size := len(shown); size > PayloadMost {
		return nil, nil, &history.NodeError{
			Node: t.Node, Type: history.ErrorLimit, Permanent: true,
			Message: fmt.Sprintf("an event may contain %d KiB; this one would contain %d", PayloadMost>>10, (size+1023)>>10),
		}
	}
	return params, shown, nil
}

// takeHappened gives the first event that a token waits for to the token that has waited longest.
func takeHappened(m *machine, in Happened) error {
	for _, e := range in.Events {
		if !unheardEvents(m.State, e) {
			continue
		}
		var t history.Token
		for _, x := range m.State.Tokens {
			if x.Phase == history.PhaseEvent && x.Event == e.Name && (t.ID == 0 || x.Step < t.Step) {
				t = x
			}
		}
		if t.ID != 0 {
			receiveEvent(m, t, e, in.Unknown)
			return nil
		}
	}
	return ErrNoWaiter
}

func receiveEvent(m *machine, t history.Token, e Event, unknown bool) {
	if e.By != (history.Actor{}) {
		m.actor = e.By
	}
	m.stopTimeout(t)
	b := &history.EventReceived{ID: e.ID, Name: e.Name, At: e.At}
	if h := m.State.Heard; h != nil {
		b.Forget = max(0, len(h.Events)+1-heardMost)
		for b.Forget < len(h.Events) && m.Now.Sub(h.Events[b.Forget].At) > heardFor {
			b.Forget++
		}
	}
	m.emit(t, b)
	m.Unknown = unknown
	var out history.Output
	if len(e.Payload) > 0 {
		out = scope.ValueOutput(history.Decode(e.Payload))
	}
	m.storeOutput(m.Token(t.ID), &history.StepFinished{Output: out, Aside: len(e.Payload) == 0 && !unknown})
	m.leave(t.ID)
}

// unheardEvents reports whether the run may still receive an event: it happened since the run started, and was not received yet.
func unheardEvents(s *history.State, e Event) bool {
	if e.At.Before(s.Started) {
		return false
	}
	h := s.Heard
	return h == nil || e.At.After(h.Until) && !slices.ContainsFunc(h.Events, func(x history.HeardEvent) bool { return x.ID == e.ID })
}
