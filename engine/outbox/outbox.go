// Package outbox has the messages of steps and tools: surfaces that are stored when a message is wanted, and posted by another package.
//
//	transition, or a tool call inside a step --> surface (Body) --> the sender asks StateOf, posts --> engine/signals tells the run
//
// The package posts nothing and knows no Slack. Look next at bot/slack, which sends, and bot/project, which asks what is to be sent.
package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/tool"
	"sluice/storage"
)

// Kind is the kind of the surfaces that are messages of steps and tools.
const Kind = "message"

// Ref is what the messages of a run refer to.
func Ref(runID string) string { return "messages:" + runID }

// Body is the body of the surface of a message that a step or a tool wants to have posted, once. It is not edited afterwards.
type Body struct {
	Run     string   `json:"run"`
	To      string   `json:"to"`               // "#name", "@name" or an id
	Thread  string   `json:"thread,omitempty"` // timestamp of the message to answer
	Own     bool     `json:"own,omitempty"`    // it belongs into the run's thread, when it goes to the channel where the run lives
	Text    string   `json:"text"`
	Model   [][2]int `json:"model,omitempty"`   // the bytes of the text that a language model wrote, from and to
	Key     string   `json:"key"`               // the same for all attempts: by it a message is found that was posted before
	Seek    bool     `json:"seek,omitempty"`    // it may have been posted by an earlier attempt
	Step    int      `json:"step,omitempty"`    // that waits for it; 0 = none does: a call inside a step has asked for it
	Token   int      `json:"token,omitempty"`   // of that step
	Epoch   int      `json:"epoch,omitempty"`   // of that step
	Result  bool     `json:"result,omitempty"`  // the step gives where the message is, instead of its text
	Refused string   `json:"refused,omitempty"` // why it will never be posted
}

// Decode reads the body of a message's surface.
func Decode(s storage.Surface) (Body, error) {
	var b Body
	if err := json.Unmarshal(s.Body, &b); err != nil {
		return b, fmt.Errorf("read the message %s: %w", s.ID, err)
	}
	return b, nil
}

func (b Body) surface(id string, at time.Time) (storage.Surface, error) {
	body, err := json.Marshal(b)
	return storage.Surface{ID: id, Kind: Kind, Ref: Ref(b.Run), Channel: b.To, Thread: b.Thread, Body: body, Created: at}, err
}

// Refuse notes on a message's surface why it will never be posted.
func (b Body) Refuse(s *storage.Surface, why string) (err error) {
	b.Refused = why
	s.Body, err = json.Marshal(b)
	return err
}

// Fill writes the messages that a decision wants to have posted, and makes those stale of which it changes whether they may be.
func Fill(b *storage.Batch, d run.Decision, now time.Time) error {
	r := b.Run.Run
	again := false
	for _, eff := range d.Effects {
		switch eff := eff.(type) {
		case run.PostMessage:
			m := eff.Message
			s, err := Body{
				Run: r.ID, To: m.Channel, Thread: m.Thread, Own: m.Own, Text: m.Text, Model: m.Model, Key: m.Key, Seek: m.Seek, Result: m.Result,
				Step: eff.Step, Token: eff.Token, Epoch: eff.Epoch,
			}.surface(eff.ID, now)
			if err != nil {
				return fmt.Errorf("store a message: %w", err)
			}
			b.Surfaces = append(b.Surfaces, s)
		case run.WithdrawMessage:
			again = true
		}
	}
	for _, f := range d.Facts {
		switch f.Body.(type) {
		case *history.RunResumed, *history.RunEnded:
			again = true
		}
	}
	if again {
		b.Stale = append(b.Stale, Ref(r.ID))
	}
	return nil
}

// State says what is to be done about a message that is not posted.
type State int

// What is to be done about a message.
const (
	Wanted    State = iota // it is to be posted
	Held                   // its run is paused: not now
	Withdrawn              // the step or call that asked for it is over
)

// RunStore is the part of the store that StateOf needs.
type RunStore interface {
	Run(ctx context.Context, id string) (storage.Run, error)
}

// StateOf looks whether a message may be posted: it is taken back when what ended its step came first.
func StateOf(ctx context.Context, s RunStore, id string, b Body) (State, error) {
	row, err := s.Run(ctx, b.Run)
	if errors.Is(err, storage.ErrNotFound) {
		return Withdrawn, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for the run of the message %s: %w", id, err)
	}
	if b.Step == 0 {
		if history.Status(row.Status) == history.Cancelled {
			return Withdrawn, nil
		}
		return Wanted, nil
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		return 0, fmt.Errorf("look at the run of the message %s: %w", id, err)
	}
	switch t := st.Token(b.Token); {
	case t == nil || t.Message != id:
		return Withdrawn, nil
	case len(st.Holds) > 0:
		return Held, nil
	}
	return Wanted, nil
}

// Store is what an Outbox needs of the database.
type Store interface {
	Run(ctx context.Context, id string) (storage.Run, error)
	Surface(ctx context.Context, id string) (storage.Surface, error)
	Write(ctx context.Context, b *storage.Batch) error
}

// Outbox posts the messages of agents' calls: it stores them for the sender, and waits for a moment. It implements tool.Messenger.
type Outbox struct {
	Store Store
	Wake  func() // tells the sender; nil = it looks by itself
	Now   func() time.Time
	Wait  time.Duration // default 5 s
}

const (
	outboxWait = 5 * time.Second
	outboxLook = 100 * time.Millisecond
)

// Post stores a message under its key and waits for a moment until it is posted. After that it is queued: it will be posted, once.
func (o *Outbox) Post(ctx context.Context, m tool.Message) (tool.Posted, error) {
	id := "message-" + m.Key
	body := Body{Run: m.Run, To: m.Channel, Thread: m.Thread, Own: m.Own, Text: m.Text, Model: m.Model, Key: m.Key}
	s, err := body.surface(id, o.Now())
	if err == nil {
		err = o.Store.Write(ctx, &storage.Batch{Surfaces: []storage.Surface{s}})
	}
	if err != nil {
		return tool.Posted{}, fmt.Errorf("store the message: %w", err)
	}
	if o.Wake != nil {
		o.Wake()
	}
	wait := o.Wait
	if wait == 0 {
		wait = outboxWait
	}
	over := time.NewTimer(wait)
	defer over.Stop()
	look := time.NewTicker(outboxLook)
	defer look.Stop()
	for {
		if s, err = o.Store.Surface(ctx, id); err == nil && s.TS != "" {
			return tool.Posted{Channel: s.Channel, TS: s.TS}, nil
		}
		if err == nil {
			body, err = Decode(s)
		}
		if err == nil && body.Refused != "" {
			return tool.Posted{}, &tool.Error{Type: "SlackError", Message: body.Refused, Permanent: true}
		}
		select {
		case <-ctx.Done():
			return tool.Posted{}, ctx.Err()
		case <-over.C:
			return tool.Posted{Queued: true}, nil // it is stored, whatever kept us from looking at it
		case <-look.C:
		}
	}
}
