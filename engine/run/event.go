package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/expr"
)

// Event is something that happened in the workspace.
type Event struct {
	ID      string          `json:"id"` // the same event is received once, however often it is told
	Name    string          `json:"name"`
	At      time.Time       `json:"at"`
	By      Actor           `json:"by,omitzero"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

const (
	// heardMost bounds how many events a run remembers one by one: they are in the state.
	heardMost = 256
	// heardFor is how long an event is remembered one by one. Nobody tells of older ones.
	heardFor = 2 * time.Hour
	// PayloadMost is how much an event may carry, as JSON.
	PayloadMost = 64 << 10
)

// waitForEvent lets a token rest until an event happens, or has happened since the run started.
func (m *machine) waitForEvent(n *node, t Token) {
	name, nerr := m.eventName(n, t)
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	m.emit(t, &EventWaited{Name: name, Attempt: t.Attempt + 1})
	m.setTimeout(n, t)
	m.effect(LookForEvent{Token: t.ID, Step: t.Step, Name: name})
}

// eventName renders the name of an event.
func (m *machine) eventName(n *node, t Token) (string, *NodeError) {
	name, nerr := m.text(n, t)
	if name = strings.TrimSpace(name); nerr == nil && name == "" {
		nerr = &NodeError{Node: t.Node, Type: ErrorExpression, Message: "the name of the event is empty", Permanent: true}
	}
	return name, nerr
}

// renderEmit gives the event that a node sends. Every run of the workspace may hear it, so sensitive inputs go as dots.
func (m *machine) renderEmit(n *node, t Token) (params map[string]any, shown json.RawMessage, nerr *NodeError) {
	name, nerr := m.eventName(n, t)
	if nerr != nil {
		return nil, nil, nerr
	}
	payload, nerr := m.render(n, t, &scope{m: m, t: t, mask: true})
	if nerr != nil {
		return nil, nil, nerr
	}
	params = map[string]any{"event": name}
	if len(payload) > 0 {
		params["payload"] = native(payload)
	}
	shown = json.RawMessage(expr.JSON(params))
	if size := len(shown); size > PayloadMost {
		return nil, nil, &NodeError{
			Node: t.Node, Type: ErrorLimit, Permanent: true,
			Message: fmt.Sprintf("an event may carry %d KiB; this one would carry %d", PayloadMost>>10, (size+1023)>>10),
		}
	}
	return params, shown, nil
}

// happened gives the first event that somebody waits for to the token that has waited longest.
func (m *machine) happened(in Happened) error {
	for _, e := range in.Events {
		if !m.s.unheard(e) {
			continue
		}
		var t Token
		for _, x := range m.s.Tokens {
			if x.Phase == PhaseEvent && x.Event == e.Name && (t.ID == 0 || x.Step < t.Step) {
				t = x
			}
		}
		if t.ID != 0 {
			m.receive(t, e, in.Doubtful)
			return nil
		}
	}
	return ErrNobodyWaits
}

func (m *machine) receive(t Token, e Event, doubtful bool) {
	if e.By != (Actor{}) {
		m.actor = e.By
	}
	m.stopTimeout(t)
	b := &EventReceived{ID: e.ID, Name: e.Name, At: e.At}
	if h := m.s.Heard; h != nil {
		b.Forget = max(0, len(h.Events)+1-heardMost)
		for b.Forget < len(h.Events) && m.now.Sub(h.Events[b.Forget].At) > heardFor {
			b.Forget++
		}
	}
	m.emit(t, b)
	m.doubt = doubtful
	var out Output
	if len(e.Payload) > 0 {
		out = valueOutput(decode(e.Payload))
	}
	m.keep(m.tok(t.ID), &StepFinished{Output: out, Aside: len(e.Payload) == 0 && !doubtful})
	m.leave(t.ID)
}

// unheard reports whether an event counts that is told now: it happened since the run started, and was not received yet.
func (s *State) unheard(e Event) bool {
	if e.At.Before(s.Started) {
		return false
	}
	h := s.Heard
	return h == nil || e.At.After(h.Until) && !slices.ContainsFunc(h.Events, func(x HeardEvent) bool { return x.ID == e.ID })
}

func (b *EventWaited) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.Phase, t.Event = PhaseEvent, b.Name
	t.Attempt = max(t.Attempt, b.Attempt)
	return nil
}

func (b *EventReceived) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if t.Phase != PhaseEvent {
		return fmt.Errorf("token %d does not wait for an event", t.ID)
	}
	t.Phase, t.Event = PhaseReady, ""
	if s.Heard == nil {
		s.Heard = &Heard{}
	}
	h := s.Heard
	if b.Forget > len(h.Events) {
		return fmt.Errorf("%d events cannot be forgotten: %d are remembered", b.Forget, len(h.Events))
	}
	if b.Forget > 0 {
		h.Until = h.Events[b.Forget-1].At
		h.Events = h.Events[b.Forget:]
	}
	at, _ := slices.BinarySearchFunc(h.Events, b.At, func(x HeardEvent, at time.Time) int { return x.At.Compare(at) })
	h.Events = slices.Insert(slices.Clone(h.Events), at, HeardEvent{ID: b.ID, At: b.At})
	return nil
}

func (h *Heard) clone() *Heard {
	if h == nil {
		return nil
	}
	c := *h
	return &c
}
