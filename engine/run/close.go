package run

import (
	"slices"

	"sluice/engine/history"
)

// Why a frame was closed, in Joined.Reason.
const (
	joinAll     = "all"
	joinAny     = "any"
	joinCount   = "count"
	joinFailed  = "failed"
	joinSkipped = "skipped"
	joinItems   = "items"
	joinMet     = "met"
)

// closeFrame ends the tokens that are left in the frame of a token, and merges the values of its branches. Without an open frame it does nothing.
func (m *machine) closeFrame(token int, reason string) {
	fr := m.State.FrameOf(token)
	if fr == nil {
		return
	}
	m.closeFrameWith(token, &history.Joined{Frame: fr.ID, Reason: reason})
}

func (m *machine) closeFrameWith(token int, b *history.Joined) {
	m.stopTimeout(m.Token(token))
	inside := m.inside(b.Frame)
	m.clear(inside, []int{b.Frame}, history.ChoiceSuperseded)
	for _, t := range inside {
		b.Ended = append(b.Ended, t.ID)
	}
	seq := m.emit(m.Token(token), b)
	if b.Output != nil {
		m.Fresh[seq] = *b.Output
	}
	m.Queue = slices.DeleteFunc(m.Queue, func(id int) bool { return slices.Contains(b.Ended, id) })
}

// clear closes the gates and timers of tokens that are about to end, and has their workers stop.
func (m *machine) clear(tokens []history.Token, frames []int, choice string) {
	actor := m.actor
	m.actor = history.Actor{Via: actor.Via}
	defer func() { m.actor = actor }()
	for _, t := range tokens {
		if fr := m.State.FrameOf(t.ID); fr != nil {
			frames = append(frames, fr.ID)
		}
		if t.Gate != 0 {
			m.closeGate(*m.State.Gate(t.Gate), &history.GateDecided{Gate: t.Gate, Choice: choice})
		}
		if t.Timer != 0 {
			m.stopTimer(t.Timer, false)
		}
		if t.Child != "" {
			cancelChild(m, t, actor)
		}
		if t.Message != "" {
			withdrawMessage(m, t)
		}
		if t.ID != m.worker && !m.made[t.ID] && t.Runnable() {
			m.effect(Revoke{Token: t.ID, Epoch: t.Epoch})
		}
	}
	for _, id := range frames {
		m.stopJoinTimer(id)
	}
}

// cancelChild cancels the child run that a token waits for. A child that the same decision starts is not started.
func cancelChild(m *machine, t history.Token, by history.Actor) {
	m.emit(t, &history.ChildCancelled{Child: t.Child})
	for i, e := range m.effects {
		if start, ok := e.(StartChild); ok && start.Child == t.Child {
			m.effects = append(m.effects[:i:i], m.effects[i+1:]...)
			return
		}
	}
	m.effect(CancelChild{Child: t.Child, By: by})
}

// withdrawMessage withdraws the message that a token waits for.
func withdrawMessage(m *machine, t history.Token) {
	m.emit(t, &history.MessageWithdrawn{Message: t.Message})
	m.effect(WithdrawMessage{ID: t.Message})
}
