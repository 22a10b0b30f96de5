package run

import (
	"fmt"

	"sluice/engine/history"
)

// queueMessage has a token wait for the delivery of its step's message.
func queueMessage(m *machine, t history.Token, msg Message) {
	id := fmt.Sprintf("message-%s-%d", m.c.RunID, m.State.Seq+1)
	m.emit(t, &history.MessageQueued{Message: id, Channel: msg.Channel, Key: msg.Key})
	m.effect(PostMessage{ID: id, Token: t.ID, Step: t.Step, Epoch: t.Epoch, Message: msg})
}

// takeDelivered moves the token that waits for a message. Of a withdrawn message it stores the outcome alone.
func takeDelivered(m *machine, in Delivered) error {
	for _, u := range m.State.Unsettled {
		if u.Token == in.Token && u.Step == in.Step && u.Epoch == in.Epoch {
			m.emit(history.Token{ID: u.Token, Node: u.Node, Step: u.Step}, late(in.Output, in.Error))
			return nil
		}
	}
	t := m.State.Token(in.Token)
	if t == nil || t.Phase != history.PhaseMessage || t.Message != in.Message {
		return ErrNoWaiter
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
