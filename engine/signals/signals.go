// Package signals has what runs tell each other: subflows, events, key queues, and what became of a message.
//
//	decision of one run --> Fill: a due row in its transaction --> Deliver, in any process --> Transition of the other run, which deletes the row
//
// No transaction touches two runs: what one run wants of another is a signal, a row of the timers' table that is due at once. It is written
// in the transition that wants it and deleted in the transition that it leads to. The machine refuses a signal that is delivered twice.
//
// The package starts no run: a child is started by Config.StartChild, which package engine fills in. It knows nothing of schedules and people.
//
// Where to look next: signals.go (kinds, writing, delivering), events.go, keyqueue.go, children.go, messages.go; engine/timer, which calls
// Deliver.
package signals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"sluice/engine/history"
	"sluice/engine/outbox"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/storage"
)

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

// ChildStart asks for a run of a subflow node.
type ChildStart struct {
	Parent string         `json:"parent"`
	Flow   string         `json:"flow"`
	Inputs map[string]any `json:"inputs,omitempty"`
	Depth  int            `json:"depth"`
}

type (
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

// Fill writes the signals that a decision asks for, and the waits for events that begin or end.
func Fill(b *storage.Batch, d run.Decision, before *history.State, now time.Time) error {
	r := b.Run.Run
	for _, eff := range d.Effects {
		t := storage.Timer{Run: r.ID, Due: now}
		var body any
		switch eff := eff.(type) {
		case run.StartChild:
			t.ID, t.Run, t.Kind = startKey(eff.Child), eff.Child, signalChildStart
			body = ChildStart{Parent: r.ID, Flow: eff.Flow, Inputs: eff.Inputs, Depth: eff.Depth}
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
		t, err := queueMoved(r.ID, now)
		if err != nil {
			return err
		}
		b.Signals = append(b.Signals, t)
	}
	fillWaits(b.Run, d.State, before)
	return outbox.Fill(b, d, now)
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

// Runner moves the runs that signals are for.
type Runner interface {
	Transition(ctx context.Context, id string, in run.Input, add func(*storage.Batch)) (*runner.Moved, error)
	Result(ctx context.Context, id string) (history.Output, *history.Ending, error)
}

// Signals delivers. Its methods are safe for concurrent use.
type Signals struct {
	*Queue
	Runner Runner
	Log    *slog.Logger
	// StartChild starts the run that a subflow node asked for, under this id, and takes the signal away in its transaction (RunWrite.Take).
	// Errors: storage.ErrConflict when the signal is gone, *usererror.Error when the child cannot be started.
	StartChild func(ctx context.Context, parent storage.Run, id string, c ChildStart, signal string) error
}

// Deliver handles a signal. false: the row is a timer.
func (s *Signals) Deliver(ctx context.Context, t storage.Timer) (signal bool, err error) {
	switch t.Kind {
	case signalChildStart:
		err = s.startChild(ctx, t)
	case signalChildCancel:
		err = s.deliverCancel(ctx, t)
	case signalChildOver:
		err = s.deliverOver(ctx, t)
	case signalMessageOver:
		err = s.deliverMessage(ctx, t)
	case signalEvent:
		err = s.deliverEvent(ctx, t)
	case signalEventLook:
		err = s.lookForEvent(ctx, t)
	case signalQueueLook:
		err = s.lookInQueue(ctx, t)
	case signalQueueMove:
		err = s.moveQueue(ctx, t)
	case signalEventFanOut:
		err = s.Store.Write(ctx, &storage.Batch{
			FanOut: []storage.FanOut{{Event: t.ID, Kind: signalEvent, Due: s.Now()}}, NoSignals: []string{t.ID},
		})
	default:
		return false, nil
	}
	var broken *json.SyntaxError
	if runner.IsAnswer(err) || errors.As(err, &broken) {
		s.Log.Debug("a signal concerns no run any more", "run", t.Run, "signal", t.ID, "error", err)
		err = s.dropSignal(ctx, t)
	}
	if err != nil {
		err = fmt.Errorf("deliver %s: %w", t.ID, err)
	}
	return true, err
}

func (s *Signals) dropSignal(ctx context.Context, t storage.Timer) error {
	return s.Store.Write(ctx, &storage.Batch{NoSignals: []string{t.ID}})
}

// answered deletes a signal in the transition that it leads to.
func answered(t storage.Timer) func(*storage.Batch) {
	return func(b *storage.Batch) { b.Run.NoTimer = append(b.Run.NoTimer, t.ID) }
}
