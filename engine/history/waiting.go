package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

func (b *ChildStarted) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.proceed(b.GoesOn)
	t.Phase, t.Child, t.Attempt, t.Gen = PhaseChild, b.Child, b.Attempt, b.Gen
	if t.Started.IsZero() {
		t.Started = f.At
	}
	return nil
}

var errNoChild = errors.New("the token waits for another child, or for none")

func (b *ChildEnded) apply(s *State, f Fact) error {
	if err := s.withoutChild(f.Token, b.Child); err != nil || b.Ending == nil || b.Status != Succeeded {
		return err
	}
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.Ending = b.Ending.weak()
	t.Ending.Run, t.Ending.At, t.Ending.Fact = cmp.Or(b.Ending.Run, b.Name), f.At, f.Seq
	return nil
}

func (b *ChildCancelled) apply(s *State, f Fact) error { return s.withoutChild(f.Token, b.Child) }

func (s *State) withoutChild(token int, child string) error {
	t, err := s.need(token)
	if err != nil {
		return err
	}
	if t.Phase != PhaseChild || t.Child != child {
		return errNoChild
	}
	t.Phase, t.Child = PhaseReady, ""
	return nil
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

type (
	// MessageQueued has a token wait until its step's message is delivered.
	MessageQueued struct {
		Message string `json:"message"` // id
		Channel string `json:"channel,omitempty"`
		Key     string `json:"key,omitempty"`
	}
	// MessageOver ends the wait for a message. What follows from it is in the StepFinished or StepFailed after it.
	MessageOver struct {
		Message string `json:"message"`
		Channel string `json:"channel,omitempty"`
		TS      string `json:"ts,omitempty"` // empty = Slack refused it
	}
	// MessageWithdrawn says that the step of a message does not wait for it any more. A message that has not been posted yet will not be; whether
	// it was is kept as a late result.
	MessageWithdrawn struct {
		Message string `json:"message"`
	}
)

func (b *MessageQueued) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.Phase, t.Message = PhaseMessage, b.Message
	return nil
}

func (b *MessageOver) apply(s *State, f Fact) error { return s.withoutMessage(f.Token, b.Message) }

func (b *MessageWithdrawn) apply(s *State, f Fact) error {
	return s.withoutMessage(f.Token, b.Message)
}

// withoutMessage ends the wait for a message. The act of the step then counts as under way: it becomes unsettled when its token ends, and a
// retry repeats it under its key.
func (s *State) withoutMessage(token int, message string) error {
	t, err := s.need(token)
	if err != nil {
		return err
	}
	if t.Phase != PhaseMessage || t.Message != message {
		return fmt.Errorf("token %d does not wait for the message %s", token, message)
	}
	t.Phase, t.Message = PhaseStarted, ""
	return nil
}
