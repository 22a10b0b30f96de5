package run

import (
	"time"

	"sluice/engine/calendar"
	"sluice/engine/expr"
	"sluice/engine/flow"
)

// setTimer writes a due row.
func (m *machine) setTimer(t Token, tm Timer) {
	tm.ID, tm.Token = m.s.NextTimer, t.ID
	m.emit(t, &TimerSet{Timer: tm})
}

func (m *machine) stopTimer(id int, fired bool) {
	tm := *m.s.Timer(id)
	t := Token{ID: tm.Token}
	if live := m.s.Token(tm.Token); live != nil {
		t = *live
	}
	m.emit(t, &TimerGone{ID: id, Fired: fired})
}

func (m *machine) stopJoinTimer(frame int) {
	if fr := m.s.frame(frame); fr != nil && fr.Timer != 0 {
		m.stopTimer(fr.Timer, false)
	}
}

// fired decides about a timer that is due.
func (m *machine) fired(in Fired) error {
	found := m.s.Timer(in.ID)
	if found == nil {
		return ErrNoSuchTimer
	}
	switch {
	case found.Kept:
		return ErrNoSuchTimer
	case len(m.s.Holds) > 0:
		m.emit(m.tok(found.Token), &TimerKept{ID: in.ID})
		return nil
	}
	m.fire(*found, in.Nobody)
	return nil
}

// fire does what a timer is for.
func (m *machine) fire(tm Timer, nobody string) {
	m.stopTimer(tm.ID, true)
	switch tm.Kind {
	case TimerRetry:
		m.todo = append(m.todo, tm.Token)
	case TimerWait:
		m.keep(m.tok(tm.Token), &StepFinished{Aside: true})
		m.leave(tm.Token)
	case TimerTimeout:
		m.waitedTooLong(m.tok(tm.Token))
	case TimerJoin:
		m.joinTimedOut(*m.s.frame(tm.Frame))
	case TimerDeadline:
		m.gateTimedOut(*m.s.Gate(tm.Gate))
	case TimerRemind, TimerEscalate:
		m.remind(tm)
	case TimerPeople:
		if nobody != "" {
			m.unanswerable(*m.s.Gate(tm.Gate), nobody)
		}
	}
}

// remind asks again, or asks somebody else.
func (m *machine) remind(tm Timer) {
	t := m.tok(tm.Token)
	n := m.node(t)
	b := &GateReminded{Gate: tm.Gate}
	var d *flow.Deadline
	if n != nil {
		d = n.deadline()
	}
	if tm.Kind == TimerEscalate {
		if d == nil || d.Escalate == nil {
			return
		}
		b.Escalated = d.Escalate.To
		m.emit(t, b)
		return
	}
	m.emit(t, b)
	m.setReminder(t, tm.Gate, d)
}

// wait lets a token rest for a time, or until an event.
func (m *machine) wait(n *node, t Token, spec *flow.WaitSpec) {
	if spec.Event != "" {
		m.waitForEvent(n, t)
		return
	}
	due := m.due(spec.For)
	if spec.Until != "" {
		sc := &scope{m: m, t: t}
		v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return n.templateFor(t).Render(sc, m.options(t)) })
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		var ok bool
		if due, ok = m.parseTime(v); !ok && m.doubt {
			due, ok = m.now, true
		}
		if !ok {
			m.fail(t.ID, NodeError{
				Node: t.Node, Type: ErrorExpression, Permanent: true,
				Message: "wait until " + expr.Text(v) + ": not a time; write for example 2026-12-01T09:00 or 2026-12-01T09:00:00+01:00",
			})
			return
		}
	}
	m.setTimer(t, Timer{Kind: TimerWait, Due: due})
}

// timeForms are the ways to write a time; those without a zone are in the installation's.
var timeForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"}

func (m *machine) parseTime(v any) (time.Time, bool) {
	zone := m.c.Zone
	if zone == nil {
		zone = time.UTC
	}
	for _, form := range timeForms {
		at, err := time.Parse(form, expr.Text(v))
		if err != nil {
			continue
		}
		if form != time.RFC3339Nano {
			at = calendar.At(at, zone)
		}
		return at.UTC().Truncate(time.Microsecond), true
	}
	return time.Time{}, false
}

// holdJoins stops the clock of a join while every unfinished branch waits for a person, a timer or an event, and lets it run
// again otherwise; a timeout that was written out in the flow runs on.
func (m *machine) holdJoins() {
	for i := range m.s.Frames {
		fr := m.s.Frames[i]
		n := m.p.nodes[fr.Node]
		if fr.ID == 0 || n == nil || fr.Timer == 0 && fr.Left == 0 {
			continue
		}
		if spec, ok := n.Spec.(*flow.ParallelSpec); !ok || spec.Join.TimeoutSet {
			continue
		}
		busy := false
		for _, t := range m.inside(fr.ID) {
			busy = busy || t.carried()
		}
		parent := m.tok(fr.Token)
		switch {
		case busy && fr.Timer == 0:
			m.setTimer(parent, Timer{Kind: TimerJoin, Frame: fr.ID, Due: m.now.Add(fr.Left)})
		case !busy && fr.Timer != 0:
			left := max(m.s.Timer(fr.Timer).Due.Sub(m.now), time.Millisecond)
			m.emit(parent, &TimerGone{ID: fr.Timer, Left: left})
		}
	}
}
