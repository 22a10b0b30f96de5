package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/storage"
)

// No transaction touches two runs: what one run wants of another is a signal: a row that is due at once. It is written in the transition
// that wants it and deleted in the transition that it leads to. Any process may deliver it. The machine refuses a signal that is delivered
// twice.

// Kinds of signals, as stored: names of earlier releases stay. The kinds of timers are the machine's (run.TimerKind).
const (
	signalChildStart  = "child_start"  // to a run that does not exist yet
	signalChildCancel = "child_cancel" // to a child that no parent waits for any more
	signalChildOver   = "child_over"   // to the parent of a run that has ended
	signalEvent       = "event"        // to a run that waits for it
	signalEventLook   = "event_look"   // to a run that has begun to wait: the event may have happened before
	signalEventFanOut = "event_spread" // to no run: an event whose signals are still to be written
	signalQueueLook   = "line_look"    // to a queued run: the run before it may be over
	signalMessageOver = "message_over" // to a run whose step waits for the delivery of a message
	signalQueueMove   = "line_move"    // to no run: a run with a key is over, and those behind it are still to be told
)

type (
	childStart struct {
		Parent string         `json:"parent"`
		Flow   string         `json:"flow"`
		Inputs map[string]any `json:"inputs,omitempty"`
		Depth  int            `json:"depth"`
	}
	childCancel struct {
		Parent string        `json:"parent"` // name
		By     history.Actor `json:"by"`
	}
	childOver struct {
		Child  string         `json:"child"`
		Status history.Status `json:"status"`
		Reason string         `json:"reason,omitempty"`
	}
	eventLook struct {
		Name string `json:"name"`
	}
)

func startKey(child string) string  { return "start/" + child }
func cancelKey(child string) string { return "cancel/" + child }
func overKey(child string) string   { return "over/" + child }

// fillSignals writes the signals that a decision asks for, and the waits for events that begin or end.
func (e *Engine) fillSignals(b *storage.Batch, d run.Decision, before *history.State) error {
	r := b.Run.Run
	for _, eff := range d.Effects {
		t := storage.Timer{Run: r.ID, Due: e.Now()}
		var body any
		switch eff := eff.(type) {
		case run.StartChild:
			t.ID, t.Run, t.Kind = startKey(eff.Child), eff.Child, signalChildStart
			body = childStart{Parent: r.ID, Flow: eff.Flow, Inputs: eff.Inputs, Depth: eff.Depth}
		case run.CancelChild:
			// The start of the child must take this row first: either finds out about the other.
			b.NoSignals = append(b.NoSignals, startKey(eff.Child))
			t.ID, t.Run, t.Kind = cancelKey(eff.Child), eff.Child, signalChildCancel
			body = childCancel{Parent: r.Name, By: eff.By}
		case run.TellParent:
			t.ID, t.Run, t.Kind = overKey(r.ID), eff.Parent, signalChildOver
			body = childOver{Child: r.ID, Status: eff.Status, Reason: eff.Reason}
		case run.LookForEvent:
			t.ID, t.Kind = fmt.Sprintf("look/%s/%d/%d", r.ID, eff.Token, d.State.Seq), signalEventLook
			body = eventLook{Name: eff.Name}
		default:
			continue
		}
		var err error
		if t.Body, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write a signal (%s): %w", t.Kind, err)
		}
		b.Signals = append(b.Signals, t)
	}
	if r.Key != "" && d.State.Status.Final() && (before == nil || !before.Status.Final()) {
		t, err := e.queueMove(r.ID)
		if err != nil {
			return err
		}
		b.Signals = append(b.Signals, t)
	}
	fillWaits(b.Run, d.State, before)
	return e.fillMessages(b, d)
}

// fillWaits keeps a row for each token that waits for an event: an event finds it there.
func fillWaits(w *storage.RunWrite, now, before *history.State) {
	waits := func(s *history.State, t history.Token) bool {
		if s == nil {
			return false
		}
		was := s.Token(t.ID)
		return was != nil && was.Phase == history.PhaseEvent && was.Event == t.Event
	}
	for _, t := range now.Tokens {
		if t.Phase == history.PhaseEvent && !waits(before, t) {
			w.Waits = append(w.Waits, storage.Wait{Run: w.Run.ID, Token: t.ID, Name: t.Event, Since: now.Started})
		}
	}
	if before == nil {
		return
	}
	for _, t := range before.Tokens {
		if t.Phase == history.PhaseEvent && !waits(now, t) {
			w.NoWait = append(w.NoWait, t.ID)
		}
	}
}

// deliver handles a signal. false: the row is a timer.
func (e *Engine) deliver(ctx context.Context, t storage.Timer) (signal bool, err error) {
	switch t.Kind {
	case signalChildStart:
		err = e.startChild(ctx, t)
	case signalChildCancel:
		err = e.deliverCancel(ctx, t)
	case signalChildOver:
		err = e.deliverOver(ctx, t)
	case signalMessageOver:
		err = e.deliverMessage(ctx, t)
	case signalEvent:
		err = e.deliverEvent(ctx, t)
	case signalEventLook:
		err = e.lookForEvent(ctx, t)
	case signalQueueLook:
		err = e.lookInQueue(ctx, t)
	case signalQueueMove:
		err = e.moveQueue(ctx, t)
	case signalEventFanOut:
		err = e.cfg.Store.Write(ctx, &storage.Batch{
			FanOut: []storage.FanOut{{Event: t.ID, Kind: signalEvent, Due: e.Now()}}, NoSignals: []string{t.ID},
		})
	default:
		return false, nil
	}
	var broken *json.SyntaxError
	if runner.IsAnswer(err) || errors.As(err, &broken) {
		e.log.Debug("a signal concerns no run any more", "run", t.Run, "signal", t.ID, "error", err)
		err = e.dropSignal(ctx, t)
	}
	if err != nil {
		err = fmt.Errorf("deliver %s: %w", t.ID, err)
	}
	return true, err
}

func (e *Engine) dropSignal(ctx context.Context, t storage.Timer) error {
	return e.cfg.Store.Write(ctx, &storage.Batch{NoSignals: []string{t.ID}})
}

// answered deletes a signal in the transition that it leads to.
func answered(t storage.Timer) func(*storage.Batch) {
	return func(b *storage.Batch) { b.Run.NoTimer = append(b.Run.NoTimer, t.ID) }
}
