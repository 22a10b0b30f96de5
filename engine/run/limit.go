package run

import (
	"fmt"
	"time"

	"sluice/engine/flow"
)

// Names of the limits, in LimitReached.
const (
	LimitVisits = "max_iterations"
	LimitSteps  = "steps"
	LimitActive = "timeout"
	LimitVars   = "vars"
)

const (
	visitsCeiling = 1000    // of an acyclic flow without a cap (S3-x15)
	stepsMost     = 100_000 // default of limits.steps
)

// limitHit is a limit that the next visits would break.
type limitHit struct {
	name   string
	action flow.LimitAction
	value  int64 // visits so far, or milliseconds of active time
	left   int   // visits that are still allowed
}

// limit tells whether more visits are allowed; nil means they are. A limit that was lifted counts for as many times more.
func (m *machine) limit(more int) *limitHit {
	f := m.p.flow
	visits := f.MaxVisits
	if visits == 0 {
		visits = visitsCeiling
	}
	steps := f.Limits.Steps
	if steps == 0 {
		steps = stepsMost
	}
	hit := func(name string, value int64, left int) *limitHit {
		l := &limitHit{name: name, action: f.OnLimit.Action, value: value, left: max(left, 0)}
		if l.action == "" || l.action == flow.LimitHandoff && m.s.Lifted[name] > 0 {
			l.action = flow.LimitEndPath
		}
		return l
	}
	for _, l := range []struct {
		name string
		most int
	}{{LimitVisits, visits}, {LimitSteps, steps}} {
		if left := l.most*(1+m.s.Lifted[l.name]) - m.s.Steps; left < more {
			return hit(l.name, int64(m.s.Steps), left)
		}
	}
	if most := f.Timeout.Clock * time.Duration(1+m.s.Lifted[LimitActive]); most > 0 && m.s.Active > most {
		return hit(LimitActive, m.s.Active.Milliseconds(), 0)
	}
	return nil
}

// atLimit does what the flow says about a limit, with the token that would have gone on.
func (m *machine) atLimit(t Token, l limitHit) {
	m.emit(t, &LimitReached{Limit: l.name, Action: l.action, Value: l.value})
	switch l.action {
	case flow.LimitHandoff:
		m.emit(t, &RouteTaken{Edge: flow.LimitEdge(t.Node), To: m.p.flow.OnLimit.To, Why: "limit " + l.name})
		m.todo = append(m.todo, t.ID)
	case flow.LimitInterrupt:
		m.openFailure(t, l.error(t))
	case flow.LimitFail:
		m.stop(t, l.error(t))
	default:
		m.endPath(t.ID, EndLimit)
	}
}

func (l limitHit) error(t Token) NodeError {
	message := fmt.Sprintf("the run has made %d node visits, the limit that %s sets", l.value, l.name)
	if l.name == LimitActive {
		message = fmt.Sprintf("the run has been active for %s, longer than its timeout", time.Duration(l.value)*time.Millisecond)
	}
	return NodeError{Node: t.Node, Type: ErrorLimit, Message: message, Permanent: true}
}
