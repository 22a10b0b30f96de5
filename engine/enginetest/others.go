package enginetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
)

// signal takes over what the machine wants other runs to know.
func (d *Driver) signal(e run.Effect) error {
	switch e := e.(type) {
	case run.StartChild:
		if _, again := d.Children[e.Child]; again && !d.resumed {
			return fmt.Errorf("child %s is asked for twice", e.Child)
		}
		d.Children[e.Child] = e
	case run.CancelChild:
		if _, known := d.Children[e.Child]; !known && !d.resumed {
			return fmt.Errorf("child %s is cancelled, but nobody waited for it", e.Child)
		}
		delete(d.Children, e.Child)
		d.Cancelled = append(d.Cancelled, e.Child)
	case run.PostMessage:
		d.Messages[e.ID] = e
	case run.WithdrawMessage:
		if msg, known := d.Messages[e.ID]; known {
			d.Withdrawn = append(d.Withdrawn, msg)
		} else if !d.resumed {
			return fmt.Errorf("%s is withdrawn, but nobody waited for it", e.ID)
		}
		delete(d.Messages, e.ID)
	case run.TellParent:
		d.Told = append(d.Told, e)
	case run.LookForEvent: // the player tells of events by itself
	default:
		return fmt.Errorf("unknown effect %T", e)
	}
	return nil
}

// Waiting lists the tokens that wait for another run, an event or the delivery of a message.
func (d *Driver) Waiting() []history.Token {
	return slices.DeleteFunc(slices.Clone(d.State.Tokens), func(t history.Token) bool {
		return t.Phase != history.PhaseChild && t.Phase != history.PhaseEvent && t.Phase != history.PhaseMessage
	})
}

// checkChildren makes sure that a child is waited for exactly as long as it was asked for and not cancelled.
func (d *Driver) checkChildren() error {
	asked := map[string]bool{}
	for _, t := range d.State.Tokens {
		if (t.Phase == history.PhaseChild) != (t.Child != "") {
			return fmt.Errorf("token %d is %s and has the child %q", t.ID, t.Phase, t.Child)
		}
		if t.Child != "" {
			asked[t.Child] = true
			if _, known := d.Children[t.Child]; !known {
				return fmt.Errorf("token %d waits for %s, which nobody asked for", t.ID, t.Child)
			}
		}
	}
	for id := range d.Children {
		if !asked[id] {
			return fmt.Errorf("nobody waits for %s, and it was not cancelled", id)
		}
	}
	return nil
}

// EndChild reports the end of the child that a token waits for.
func (d *Driver) EndChild(token int, over run.ChildOver) error {
	t := d.State.Token(token)
	if t == nil || t.Child == "" {
		return run.ErrNoWaiter
	}
	over.At, over.Child = d.Now, t.Child
	delete(d.Children, t.Child)
	_, err := d.Feed(over)
	return err
}

// Tell offers an event to the run.
func (d *Driver) Tell(id, name string, at time.Time, payload json.RawMessage) error {
	_, err := d.Feed(run.Happened{At: d.Now, Events: []run.Event{{ID: id, Name: name, At: at, Payload: payload}}})
	return err
}
