package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sluice/engine/run"
	"sluice/storage"
)

// No transaction touches two runs: what one run wants of another is a letter, a row that is due at once. It is written in the
// transition that wants it and deleted in the one that it leads to, whoever of the processes hands it over. A letter that is handed
// over twice is refused by the machine.

// Kinds of letters. Those of timers are the machine's (run.TimerKind).
const (
	mailChildStart  = "child_start"  // to a run that does not exist yet
	mailChildCancel = "child_cancel" // to a child that nobody waits for any more
	mailChildOver   = "child_over"   // to the parent of a run that has ended
	mailEvent       = "event"        // to a run that waits for it
	mailEventLook   = "event_look"   // to a run that has begun to wait: the event may have happened before
	mailEventSpread = "event_spread" // to nobody: an event whose letters are still to be written
	mailLineLook    = "line_look"    // to a run in its key's line: whoever was before it may be over
	mailLineMove    = "line_move"    // to nobody: a run with a key is over, and those behind it are still to be told
)

type (
	childStart struct {
		Parent string         `json:"parent"`
		Flow   string         `json:"flow"`
		Inputs map[string]any `json:"inputs,omitempty"`
		Depth  int            `json:"depth"`
	}
	childCancel struct {
		Parent string    `json:"parent"` // name
		By     run.Actor `json:"by"`
	}
	childOver struct {
		Child  string     `json:"child"`
		Status run.Status `json:"status"`
		Reason string     `json:"reason,omitempty"`
	}
	eventLook struct {
		Name string `json:"name"`
	}
)

func startKey(child string) string  { return "start/" + child }
func cancelKey(child string) string { return "cancel/" + child }
func overKey(child string) string   { return "over/" + child }

// fillMail writes the letters that a decision asks for, and who waits for events from now on.
func (e *Engine) fillMail(b *storage.Batch, d run.Decision, before *run.State) error {
	r := b.Run.Run
	for _, eff := range d.Effects {
		t := storage.Timer{Run: r.ID, Due: e.Now()}
		var body any
		switch eff := eff.(type) {
		case run.StartChild:
			t.ID, t.Run, t.Kind = startKey(eff.Child), eff.Child, mailChildStart
			body = childStart{Parent: r.ID, Flow: eff.Flow, Inputs: eff.Inputs, Depth: eff.Depth}
		case run.CancelChild:
			// Whoever is about to start the child must take this row first: either finds out about the other.
			b.NoMail = append(b.NoMail, startKey(eff.Child))
			t.ID, t.Run, t.Kind = cancelKey(eff.Child), eff.Child, mailChildCancel
			body = childCancel{Parent: r.Name, By: eff.By}
		case run.TellParent:
			t.ID, t.Run, t.Kind = overKey(r.ID), eff.Parent, mailChildOver
			body = childOver{Child: r.ID, Status: eff.Status, Reason: eff.Reason}
		case run.LookForEvent:
			t.ID, t.Kind = fmt.Sprintf("look/%s/%d/%d", r.ID, eff.Token, d.State.Seq), mailEventLook
			body = eventLook{Name: eff.Name}
		default:
			continue
		}
		var err error
		if t.Body, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write a letter (%s): %w", t.Kind, err)
		}
		b.Mail = append(b.Mail, t)
	}
	if r.Key != "" && d.State.Status.Final() && (before == nil || !before.Status.Final()) {
		t, err := e.lineMove(r.ID)
		if err != nil {
			return err
		}
		b.Mail = append(b.Mail, t)
	}
	fillWaits(b.Run, d.State, before)
	return nil
}

// fillWaits keeps a row for each token that waits for an event: whoever tells of one finds it there.
func fillWaits(w *storage.RunWrite, now, before *run.State) {
	waits := func(s *run.State, t run.Token) bool {
		if s == nil {
			return false
		}
		was := s.Token(t.ID)
		return was != nil && was.Phase == run.PhaseEvent && was.Event == t.Event
	}
	for _, t := range now.Tokens {
		if t.Phase == run.PhaseEvent && !waits(before, t) {
			w.Waits = append(w.Waits, storage.Wait{Run: w.Run.ID, Token: t.ID, Name: t.Event, Since: now.Started})
		}
	}
	if before == nil {
		return
	}
	for _, t := range before.Tokens {
		if t.Phase == run.PhaseEvent && !waits(now, t) {
			w.NoWait = append(w.NoWait, t.ID)
		}
	}
}

// deliver hands a letter over. false: the row is a timer.
func (e *Engine) deliver(ctx context.Context, t storage.Timer) (letter bool, err error) {
	switch t.Kind {
	case mailChildStart:
		err = e.startChild(ctx, t)
	case mailChildCancel:
		err = e.deliverCancel(ctx, t)
	case mailChildOver:
		err = e.deliverOver(ctx, t)
	case mailEvent:
		err = e.deliverEvent(ctx, t)
	case mailEventLook:
		err = e.lookForEvent(ctx, t)
	case mailLineLook:
		err = e.lookInLine(ctx, t)
	case mailLineMove:
		err = e.moveLine(ctx, t)
	case mailEventSpread:
		err = e.cfg.Store.Write(ctx, &storage.Batch{
			Spread: []storage.Spread{{Event: t.ID, Kind: mailEvent, Due: e.Now()}}, NoMail: []string{t.ID},
		})
	default:
		return false, nil
	}
	var broken *json.SyntaxError
	if domain(err) || errors.As(err, &broken) {
		e.log.Debug("a letter concerns nobody any more", "run", t.Run, "letter", t.ID, "error", err)
		err = e.dropMail(ctx, t)
	}
	if err != nil {
		err = fmt.Errorf("deliver %s: %w", t.ID, err)
	}
	return true, err
}

func (e *Engine) dropMail(ctx context.Context, t storage.Timer) error {
	return e.cfg.Store.Write(ctx, &storage.Batch{NoMail: []string{t.ID}})
}

// answered deletes a letter in the transition that it leads to.
func answered(t storage.Timer) func(*storage.Batch) {
	return func(b *storage.Batch) { b.Run.NoTimer = append(b.Run.NoTimer, t.ID) }
}
