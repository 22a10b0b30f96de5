package engine

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

// KindMessage is the kind of the surfaces that are messages of steps and tools.
const KindMessage = "message"

// MessagesRef is what the messages of a run refer to.
func MessagesRef(runID string) string { return "messages:" + runID }

// MessageBody is the body of the surface of a message that a step or a tool wants to have posted, once. It is not edited afterwards.
type MessageBody struct {
	Run     string `json:"run"`
	To      string `json:"to"`               // "#name", "@name" or an id
	Thread  string `json:"thread,omitempty"` // timestamp of the message to answer
	Own     bool   `json:"own,omitempty"`    // it belongs into the run's thread, when it goes to the channel where the run lives
	Text    string `json:"text"`
	Key     string `json:"key"`               // the same for all attempts: by it a message is found that was posted before
	Seek    bool   `json:"seek,omitempty"`    // it may have been posted by an earlier attempt
	Step    int    `json:"step,omitempty"`    // that waits for it; 0 = none does: a call inside a step has asked for it
	Token   int    `json:"token,omitempty"`   // of that step
	Epoch   int    `json:"epoch,omitempty"`   // of that step
	Result  bool   `json:"result,omitempty"`  // the step gives where the message is, instead of its text
	Refused string `json:"refused,omitempty"` // why it will never be posted
}

// DecodeMessage reads the body of a message's surface.
func DecodeMessage(s storage.Surface) (MessageBody, error) {
	var b MessageBody
	if err := json.Unmarshal(s.Body, &b); err != nil {
		return b, fmt.Errorf("read the message %s: %w", s.ID, err)
	}
	return b, nil
}

func (b MessageBody) surface(id string, at time.Time) (storage.Surface, error) {
	body, err := json.Marshal(b)
	return storage.Surface{ID: id, Kind: KindMessage, Ref: MessagesRef(b.Run), Channel: b.To, Thread: b.Thread, Body: body, Created: at}, err
}

// Refuse notes on a message's surface why it will never be posted.
func (b MessageBody) Refuse(s *storage.Surface, why string) (err error) {
	b.Refused = why
	s.Body, err = json.Marshal(b)
	return err
}

// messageOver is the signal that says what became of a message.
type messageOver struct {
	Message string             `json:"message"`
	Step    int                `json:"step"`
	Token   int                `json:"token"`
	Epoch   int                `json:"epoch"`
	Channel string             `json:"channel,omitempty"`
	TS      string             `json:"ts,omitempty"`
	Output  history.Output     `json:"output"`
	Error   *history.NodeError `json:"error,omitempty"`
}

// MessageOver tells the run whose step waits for a message what became of it: s has a TS, or nerr says why it will never have one. It may
// be told more than once.
func (e *Engine) MessageOver(ctx context.Context, s storage.Surface, b MessageBody, nerr *history.NodeError) error {
	if b.Step == 0 {
		return nil
	}
	over := messageOver{Message: s.ID, Step: b.Step, Token: b.Token, Epoch: b.Epoch, Channel: s.Channel, TS: s.TS, Error: nerr}
	if nerr == nil {
		over.Output = history.Output{Text: b.Text}
		if b.Result {
			over.Output = postedOutput(b.To, s)
		}
	}
	body, err := json.Marshal(over)
	if err == nil {
		err = e.cfg.Store.Write(ctx, &storage.Batch{
			Signals: []storage.Timer{{ID: "over/" + s.ID, Run: b.Run, Kind: signalMessageOver, Due: e.Now(), Body: body}},
		})
	}
	if err != nil {
		return fmt.Errorf("tell of the message %s: %w", s.ID, err)
	}
	e.wakeTimers()
	return nil
}

func postedOutput(to string, s storage.Surface) history.Output {
	data, _ := json.Marshal(map[string]any{"channel": s.Channel, "ts": s.TS})
	return history.Output{Text: "posted to " + to, Data: data}
}

// deliverMessage tells a run what became of the message that its step waits for.
func (e *Engine) deliverMessage(ctx context.Context, t storage.Timer) error {
	var l messageOver
	if err := json.Unmarshal(t.Body, &l); err != nil {
		return err
	}
	_, err := e.runner.Transition(ctx, t.Run, run.Delivered{
		At: e.Now(), Message: l.Message, Token: l.Token, Step: l.Step, Epoch: l.Epoch, Channel: l.Channel, TS: l.TS, Output: l.Output, Error: l.Error,
	}, answered(t))
	return err
}

// fillMessages writes the messages that a decision wants to have posted, and makes those stale of which it changes whether they may be.
func (e *Engine) fillMessages(b *storage.Batch, d run.Decision) error {
	r := b.Run.Run
	again := false
	for _, eff := range d.Effects {
		switch eff := eff.(type) {
		case run.PostMessage:
			m := eff.Message
			s, err := MessageBody{
				Run: r.ID, To: m.Channel, Thread: m.Thread, Own: m.Own, Text: m.Text, Key: m.Key, Seek: m.Seek, Result: m.Result,
				Step: eff.Step, Token: eff.Token, Epoch: eff.Epoch,
			}.surface(eff.ID, e.Now())
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
		b.Stale = append(b.Stale, MessagesRef(r.ID))
	}
	return nil
}

// MessageState says what is to be done about a message that is not posted.
type MessageState int

// What is to be done about a message.
const (
	MessageWanted    MessageState = iota // it is to be posted
	MessageHeld                          // its run is paused: not now
	MessageWithdrawn                     // the step or call that asked for it is over
)

// MessageState looks whether a message may be posted: it is taken back when what ended its step came first.
func (e *Engine) MessageState(ctx context.Context, id string, b MessageBody) (MessageState, error) {
	row, err := e.cfg.Store.Run(ctx, b.Run)
	if errors.Is(err, storage.ErrNotFound) {
		return MessageWithdrawn, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for the run of the message %s: %w", id, err)
	}
	if b.Step == 0 {
		if history.Status(row.Status) == history.Cancelled {
			return MessageWithdrawn, nil
		}
		return MessageWanted, nil
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		return 0, fmt.Errorf("look at the run of the message %s: %w", id, err)
	}
	switch t := st.Token(b.Token); {
	case t == nil || t.Message != id:
		return MessageWithdrawn, nil
	case len(st.Holds) > 0:
		return MessageHeld, nil
	}
	return MessageWanted, nil
}

// OutboxStore is what an Outbox needs of the database.
type OutboxStore interface {
	Run(ctx context.Context, id string) (storage.Run, error)
	Surface(ctx context.Context, id string) (storage.Surface, error)
	Write(ctx context.Context, b *storage.Batch) error
}

// Outbox posts the messages of agents' calls: it stores them for the sender, and waits for a moment. It implements tool.Messenger.
type Outbox struct {
	Store OutboxStore
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
	body := MessageBody{Run: m.Run, To: m.Channel, Thread: m.Thread, Own: m.Own, Text: m.Text, Key: m.Key}
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
			body, err = DecodeMessage(s)
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
