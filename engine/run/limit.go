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
	LimitItems  = "items"
	LimitNode   = "node_visits/" // before the node's id
	// Limits of a node itself: an error of the node first, see nodeLimit.
	LimitNodeTime = "node_timeout"
	LimitAgent    = "agent_limits" // turns, tokens, money and time of an agent
)

const (
	visitsCeiling = 1000    // of an acyclic flow without a cap (S3-x15)
	stepsMost     = 100_000 // default of limits.steps
	itemsMost     = 10_000  // default of limits.items
)

// limitHit is a limit that the next visits would break.
type limitHit struct {
	name   string
	action flow.LimitAction
	value  int64  // visits so far, or milliseconds of active time
	left   int    // visits that are still allowed
	who    string // whose visits they are: run, item or round
	node   string // the visits are those of this node
}

// limit tells whether a token may make more visits; nil means it may. Inside a foreach max_iterations counts per item, inside a
// loop per round.
func (m *machine) limit(t Token, more int) *limitHit {
	if visits, who := m.s.counted(&t); visits != nil {
		l := m.limitAfter(*visits, more)
		if l != nil && l.name == LimitVisits {
			l.who = who
		}
		return l
	}
	return m.limitAfter(m.s.Steps-m.s.Inside, more)
}

// limitAfter tells whether more visits are allowed after so many that max_iterations counts. A limit that was lifted counts for
// as many times more.
func (m *machine) limitAfter(made, more int) *limitHit {
	f := m.p.flow
	visits := f.MaxVisits
	if visits == 0 {
		visits = visitsCeiling
	}
	steps := f.Limits.Steps
	if steps == 0 {
		steps = stepsMost
	}
	for _, l := range []struct {
		name string
		made int
		most int
	}{{LimitVisits, made, visits}, {LimitSteps, m.s.Steps, steps}} {
		if left := l.most*(1+m.s.Lifted[l.name]) - l.made; left < more {
			return m.hit(l.name, int64(l.made), left)
		}
	}
	if most := f.Timeout.Clock * time.Duration(1+m.s.Lifted[LimitActive]); most > 0 && m.s.Active > most {
		return m.hit(LimitActive, m.s.Active.Milliseconds(), 0)
	}
	return nil
}

// hit is a limit that was reached, with what the flow says about it.
func (m *machine) hit(name string, value int64, left int) *limitHit {
	l := &limitHit{name: name, action: m.p.flow.OnLimit.Action, value: value, left: max(left, 0), who: "run"}
	if l.action == "" || l.action == flow.LimitHandoff && m.s.Lifted[name] > 0 {
		l.action = flow.LimitEndPath
	}
	return l
}

// atLimit does what the flow says about a limit, with the token that would have gone on.
func (m *machine) atLimit(t Token, l limitHit) {
	m.emit(t, &LimitReached{Limit: l.name, Action: l.action, Value: l.value})
	switch l.action {
	case flow.LimitHandoff:
		m.emit(t, m.handedOff(t, l))
		m.todo = append(m.todo, t.ID)
	case flow.LimitInterrupt:
		m.openFailure(t, l.error(t))
	case flow.LimitFail:
		m.stop(t, l.error(t))
	default:
		m.endPath(t.ID, EndLimit)
	}
}

// nodeLimit does what the flow says about a limit of a single node whose error nothing has caught, and reports whether it says anything:
// to fail is what an error does anyway. So it is for end_path in a native flow, where that is what holds when nobody has said anything,
// and an error that nothing catches must not end silently.
func (m *machine) nodeLimit(t Token, attempt int, e NodeError) bool {
	action := m.p.flow.OnLimit.Action
	reached := &LimitReached{Limit: e.Limit, Action: action, Value: int64(attempt)}
	switch {
	case e.Limit == "":
		return false
	case action == flow.LimitInterrupt:
		m.emit(t, reached)
		m.openFailure(t, e)
		return true
	case action == flow.LimitHandoff && m.s.Lifted[e.Limit] == 0, action == flow.LimitEndPath && m.p.flow.Profile != flow.ProfileNative:
	default:
		reached.Action = flow.LimitFail
		m.emit(t, reached)
		return false
	}
	m.emit(t, &StepFailed{Error: e, Attempt: attempt, Next: NextRoute})
	m.closeFork(t.ID, joinFailed)
	t = m.tok(t.ID)
	m.emit(t, reached)
	if action == flow.LimitEndPath {
		m.endPath(t.ID, EndLimit)
		return true
	}
	m.emit(t, m.handedOff(t, limitHit{name: e.Limit}))
	m.todo = append(m.todo, t.ID)
	return true
}

// handedOff takes a token to the node that goes on at a limit.
func (m *machine) handedOff(t Token, l limitHit) *RouteTaken {
	return &RouteTaken{Edge: flow.LimitEdge(t.Node), To: m.p.flow.OnLimit.To, Why: "limit " + l.name}
}

func (l limitHit) error(t Token) NodeError {
	if l.node != "" {
		return NodeError{
			Node: t.Node, Type: ErrorLimit, Permanent: true,
			Message: fmt.Sprintf("the node %s has been visited %d times, as often as the flow allows", l.node, l.value),
		}
	}
	message := fmt.Sprintf("the %s has made %d node visits, the limit that %s sets", l.who, l.value, l.name)
	if l.name == LimitActive {
		message = fmt.Sprintf("the run has been active for %s, longer than its timeout", time.Duration(l.value)*time.Millisecond)
	}
	return NodeError{Node: t.Node, Type: ErrorLimit, Message: message, Permanent: true}
}
