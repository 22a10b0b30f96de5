package run

import (
	"encoding/json"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// canPerform reports whether the input's worker can go on with the token.
func (m *machine) canPerform(id int) bool { return m.idle && (id == m.worker || m.c.Follow) }

// dispatch asks for a worker. The worker that held the token before is fenced.
func (m *machine) dispatch(id int) {
	t := m.Token(id)
	if t.Phase == history.PhaseHeld {
		return
	}
	if !m.made[id] {
		m.emit(t, &history.TokenHanded{Epoch: t.Epoch + 1, Reason: "dispatch"})
		t = m.Token(id)
	}
	if t.Phase == history.PhaseHeld { // it had started before the run was paused
		return
	}
	delete(m.made, id)
	if id == m.worker {
		m.worker, m.idle = 0, false
	}
	m.effect(Dispatch{Token: id, Epoch: t.Epoch})
}

// adopt lets the worker go on with another token than the one it held.
func (m *machine) adopt(t history.Token) history.Token {
	if !m.made[t.ID] {
		m.emit(t, &history.TokenHanded{Epoch: t.Epoch + 1, Reason: "dispatch"})
	}
	delete(m.made, t.ID)
	m.worker = t.ID
	return m.Token(t.ID)
}

// held finds the token that a worker says it holds.
func (m *machine) held(token, epoch int) (history.Token, error) {
	t := m.State.Token(token)
	if t == nil || t.Epoch != epoch {
		return history.Token{}, ErrFenced
	}
	return *t, nil
}

// started finds the token whose step a worker is performing. ended is true when something else ended the token meanwhile.
func (m *machine) started(token, step, epoch int) (t history.Token, ended bool, err error) {
	for _, u := range m.State.Unsettled {
		if u.Token == token && u.Step == step && u.Epoch == epoch {
			return history.Token{ID: u.Token, Node: u.Node, Step: u.Step}, true, nil
		}
	}
	t, err = m.held(token, epoch)
	if err == nil && (t.Step != step || t.Phase != history.PhaseStarted) {
		err = ErrFenced
	}
	return t, false, err
}

// begins stores that a step starts, and has the worker perform it. shown is the stored part of its parameters.
func (m *machine) begins(n *compile.Node, t history.Token, p Perform, shown json.RawMessage) {
	if t.ID != m.worker {
		t = m.adopt(t)
	}
	b := &history.StepStarted{Attempt: t.Attempt + 1, Epoch: t.Epoch, Gen: t.Gen, Effects: m.effectsOf(n), Params: shown}
	if t.Resume {
		b.Attempt, b.Resumed = max(t.Attempt, 1), true
	}
	b.GoesOn = dropsRefusal(&t, n, b.Effects)
	p.Prefix = m.prefix(t)
	if !n.Journals() {
		b.Key = Key(p.Prefix, 1, t.Gen)
	}
	m.emit(t, b)
	t = m.Token(t.ID)
	p.Token, p.Step, p.Epoch, p.Attempt, p.Resumed, p.Node, p.Key, p.Gen = t.ID, t.Step, t.Epoch, b.Attempt, b.Resumed, n.Node, b.Key, t.Gen
	p.Calls, p.Effects, p.Permit, p.Granted, p.ByHand = t.Calls, b.Effects, t.Permit, t.Granted, t.ByHand
	m.effect(p)
	m.worker, m.idle = 0, false
}

// effectsOf gives the effects of the node's act: whether it may be repeated.
func (m *machine) effectsOf(n *compile.Node) flow.Effects {
	if of := m.kinds[n.Kind].effects; of != nil {
		return of(m, n)
	}
	return flow.EffectsOnce
}
