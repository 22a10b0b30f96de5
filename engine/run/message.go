package run

import (
	"fmt"
	"time"

	"sluice/engine/history"
)

// Message is what a step wants to say in chat. It is delivered while nobody holds the step's token.
type Message struct {
	Channel string // "#name", "@name" or an id
	Thread  string // timestamp of the message to answer; empty = see Own
	Text    string // with sensitive values; only the effect contains it, no fact does
	Key     string // idempotency key of the act
	Own     bool   // it belongs into the thread of the run, when it goes to the channel where the run lives
	Seek    bool   // an earlier attempt, or the run that this one was forked from, may have posted it: look before posting
	Result  bool   // the step gives where the message is, instead of its text
}

// Delivered says what became of a message: it was posted, refused for good, or taken back in time.
type Delivered struct {
	At                 time.Time
	Message            string // id
	Token, Step, Epoch int
	Channel, TS        string             // where it is
	Output             history.Output     // of the step, when the message was posted
	Error              *history.NodeError // nil = it was posted
}

func (Delivered) input() {}

type (
	// PostMessage asks for a message to be delivered, once, however long that takes.
	PostMessage struct {
		ID                 string
		Token, Step, Epoch int
		Message            Message
	}
	// WithdrawMessage says that nobody waits for a message any more, see MessageWithdrawn.
	WithdrawMessage struct{ ID string }
)

func (PostMessage) effect()     {}
func (WithdrawMessage) effect() {}

// queueMessage lets a token wait for the delivery of its step's message.
func queueMessage(m *machine, t history.Token, msg Message) {
	id := fmt.Sprintf("message-%s-%d", m.c.RunID, m.State.Seq+1)
	m.emit(t, &history.MessageQueued{Message: id, Channel: msg.Channel, Key: msg.Key})
	m.effect(PostMessage{ID: id, Token: t.ID, Step: t.Step, Epoch: t.Epoch, Message: msg})
}

// withdrawMessage says that nobody waits for a token's message any more.
func withdrawMessage(m *machine, t history.Token) {
	m.emit(t, &history.MessageWithdrawn{Message: t.Message})
	m.effect(WithdrawMessage{ID: t.Message})
}

// takeDelivered takes the token on that waits for a message. Of a message that was withdrawn it keeps what became of it.
func takeDelivered(m *machine, in Delivered) error {
	for _, u := range m.State.Unsettled {
		if u.Token == in.Token && u.Step == in.Step && u.Epoch == in.Epoch {
			m.emit(history.Token{ID: u.Token, Node: u.Node, Step: u.Step}, late(in.Output, in.Error))
			return nil
		}
	}
	t := m.State.Token(in.Token)
	if t == nil || t.Phase != history.PhaseMessage || t.Message != in.Message {
		return ErrNobodyWaits
	}
	id := t.ID
	m.emit(*t, &history.MessageOver{Message: in.Message, Channel: in.Channel, TS: in.TS})
	if in.Error != nil {
		e := *in.Error
		e.Node = m.Token(id).Node
		m.fail(id, e)
		return nil
	}
	m.finish(id, in.Output, nil, false)
	return nil
}

// late keeps the outcome of an act whose token was ended.
func late(out history.Output, e *history.NodeError) *history.LateResult {
	if e != nil {
		return &history.LateResult{Error: e}
	}
	return &history.LateResult{Output: &out}
}
