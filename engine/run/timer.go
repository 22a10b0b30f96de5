package run

import (
	"time"

	"sluice/engine/calendar"
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// takeFired decides about a timer that is due.
func takeFired(m *machine, in Fired) error {
	found := m.State.Timer(in.ID)
	if found == nil {
		return ErrNoSuchTimer
	}
	switch {
	case found.Kept:
		return ErrNoSuchTimer
	case len(m.State.Holds) > 0:
		m.emit(m.Token(found.Token), &history.TimerKept{ID: in.ID})
		return nil
	}
	fireTimer(m, *found, in.Unanswerable)
	return nil
}

// fireTimer performs the action of a timer.
func fireTimer(m *machine, tm history.Timer, nobody string) {
	m.stopTimer(tm.ID, true)
	switch tm.Kind {
	case history.TimerRetry:
		m.Queue = append(m.Queue, tm.Token)
	case history.TimerWait:
		m.storeOutput(m.Token(tm.Token), &history.StepFinished{Aside: true})
		m.leave(tm.Token)
	case history.TimerTimeout:
		waitedTooLong(m, m.Token(tm.Token))
	case history.TimerJoin:
		joinTimedOut(m, *m.State.Frame(tm.Frame))
	case history.TimerDeadline:
		gateTimedOut(m, *m.State.Gate(tm.Gate))
	case history.TimerRemind, history.TimerEscalate:
		remindGate(m, tm)
	case history.TimerPeople:
		if nobody != "" {
			closeUnanswerable(m, *m.State.Gate(tm.Gate), nobody)
		}
	}
}

// remindGate reminds the people of a gate, or escalates to others.
func remindGate(m *machine, tm history.Timer) {
	t := m.Token(tm.Token)
	n := m.Node(t)
	b := &history.GateReminded{Gate: tm.Gate}
	var d *flow.Deadline
	if n != nil {
		d = n.Deadline()
	}
	if tm.Kind == history.TimerEscalate {
		if d == nil || d.Escalate == nil {
			return
		}
		b.Escalated = d.Escalate.To
		m.emit(t, b)
		return
	}
	m.emit(t, b)
	if d == nil || !d.RemindOnce {
		setReminder(m, t, tm.Gate, d)
	}
}

// ends is when a gate ends by itself; the zero time = it does not.
func (m *machine) ends(d *flow.Deadline) (due time.Time) {
	if d.Ends() {
		if due = m.due(d.After); d.Until != "" {
			due, _ = calendar.Read(d.Until, m.Now, m.c.Zone) // a flow with another text is not saved
		}
	}
	return due
}

// enterWait has a token wait for a time, or for an event.
func enterWait(m *machine, n *compile.Node, t history.Token, spec *flow.WaitSpec) {
	if spec.Event != "" {
		waitForEvent(m, n, t)
		return
	}
	due := m.due(spec.For)
	if spec.Until != "" {
		sc := m.Scope(t)
		v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.TemplateFor(t).Render(sc, m.Options(t)) })
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		var ok bool
		if due, ok = calendar.Read(expr.Text(v), m.Now, m.c.Zone); !ok && m.Unknown {
			due, ok = m.Now, true
		}
		if !ok {
			m.fail(t.ID, history.NodeError{
				Node: t.Node, Type: history.ErrorExpression, Permanent: true,
				Message: "wait until " + expr.Text(v) + ": not a time; write for example 09:00, 2026-12-01T09:00 or 2026-12-01T09:00:00+01:00",
			})
			return
		}
	}
	m.setTimer(t, history.Timer{Kind: history.TimerWait, Due: due})
}

// holdJoins stops the timeout of a join while every unfinished branch waits for a person, a timer or an event, and lets it run otherwise. A
// timeout that the flow itself sets always runs.
func holdJoins(m *machine) {
	for i := range m.State.Frames {
		fr := m.State.Frames[i]
		n := m.Program.Nodes[fr.Node]
		if fr.ID == 0 || n == nil || fr.Timer == 0 && fr.Left == 0 {
			continue
		}
		if spec, ok := n.Spec.(*flow.ParallelSpec); !ok || spec.Join.TimeoutSet {
			continue
		}
		busy := false
		for t := range m.each(fr.ID) {
			if busy = t.Runnable(); busy {
				break
			}
		}
		parent := m.Token(fr.Token)
		switch {
		case busy && fr.Timer == 0:
			m.setTimer(parent, history.Timer{Kind: history.TimerJoin, Frame: fr.ID, Due: m.Now.Add(fr.Left)})
		case !busy && fr.Timer != 0:
			left := max(m.State.Timer(fr.Timer).Due.Sub(m.Now), time.Millisecond)
			m.emit(parent, &history.TimerGone{ID: fr.Timer, Left: left})
		}
	}
}
