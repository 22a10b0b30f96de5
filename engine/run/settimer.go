package run

import (
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// setTimer emits a timer.
func (m *machine) setTimer(t history.Token, tm history.Timer) {
	tm.ID, tm.Token = m.State.NextTimer, t.ID
	m.emit(t, &history.TimerSet{Timer: tm})
}

func (m *machine) stopTimer(id int, fired bool) {
	tm := *m.State.Timer(id)
	t := history.Token{ID: tm.Token}
	if live := m.State.Token(tm.Token); live != nil {
		t = *live
	}
	m.emit(t, &history.TimerGone{ID: id, Fired: fired})
}

func (m *machine) stopJoinTimer(frame int) {
	if fr := m.State.Frame(frame); fr != nil && fr.Timer != 0 {
		m.stopTimer(fr.Timer, false)
	}
}

// setTimeout bounds how long a node may wait for another run or an event, or for its branches or items.
func (m *machine) setTimeout(n *compile.Node, t history.Token) {
	if !n.Timeout.IsZero() {
		m.setTimer(t, history.Timer{Kind: history.TimerTimeout, Due: m.due(n.Timeout)})
	}
}

func (m *machine) stopTimeout(t history.Token) {
	if tm := m.State.Timer(t.Timer); tm != nil && tm.Kind == history.TimerTimeout {
		m.stopTimer(t.Timer, false)
	}
}

// setReminder sets the next reminder of a gate: as its node says, or after each working day when it waits without a deadline.
func setReminder(m *machine, t history.Token, gate int, d *flow.Deadline) {
	switch {
	case d != nil && !d.Remind.IsZero():
		m.setTimer(t, history.Timer{Kind: history.TimerRemind, Gate: gate, Due: m.due(d.Remind)})
	case m.c.Due != nil && !d.Ends():
		m.setTimer(t, history.Timer{Kind: history.TimerRemind, Gate: gate, Due: m.due(flow.Duration{WorkingDays: 1})})
	}
}
