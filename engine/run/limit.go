package run

import (
	"fmt"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/talk"
)

const (
	visitsCeiling = 1000 // of an acyclic flow without a cap
	stepsMost     = flow.StepsDefault
	itemsMost     = flow.ItemsDefault
)

// failTooLarge fails a step that gives more than it may, and reports whether it does. What a tool gives is bounded where it is received: its
// act is done, and that must not be lost for the size of an answer.
func failTooLarge(m *machine, t history.Token, out history.Output) bool {
	n := m.Node(t)
	size := max(len(out.Text), len(out.Data))
	if n == nil || n.Kind == flow.KindTool || n.Kind == flow.KindToolexec || size <= m.Program.Most.Output {
		return false
	}
	m.emit(t, &history.LimitReached{Limit: history.LimitOutput, Action: flow.LimitFail, Value: int64(size)})
	m.fail(t.ID, history.NodeError{
		Node: t.Node, Type: history.ErrorLimit, Permanent: true,
		Message: fmt.Sprintf("what the step gives takes %d KiB, and may take %d; an operator can raise SLUICE_MAX_OUTPUT_KB", (size+1023)>>10, m.Program.Most.Output>>10),
	})
	return true
}

// limitHit is a limit that the next visits would break.
type limitHit struct {
	name   string
	action flow.LimitAction
	value  int64  // visits so far, or milliseconds of active time
	left   int    // visits that are still allowed
	scope  string // what the visits are counted for: run, item or round
	node   string // the visits are those of this node
}

// limits compares the resources that a run has used with the limits of its flow.
type limits struct {
	state *history.State
	flow  *flow.Flow
}

func limitsOf(m *machine) limits { return limits{m.State, m.Program.Flow()} }

// more tells whether a token may make more visits; nil means it may. Inside a foreach max_iterations counts per item, inside a
// loop per round.
func (u limits) more(t history.Token, more int) *limitHit {
	if visits, scope := u.state.Counted(&t); visits != nil {
		l := u.after(*visits, more)
		if l != nil && l.name == history.LimitVisits {
			l.scope = scope
		}
		return l
	}
	return u.after(u.state.Steps-u.state.Inside, more)
}

// after tells whether more visits are allowed after so many that max_iterations counts. A limit that was lifted counts for
// as many times more.
func (u limits) after(made, more int) *limitHit {
	f := u.flow
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
	}{{history.LimitVisits, made, visits}, {history.LimitSteps, u.state.Steps, steps}} {
		if left := l.most*(1+u.state.Lifted[l.name]) - l.made; left < more {
			return u.hit(l.name, int64(l.made), left)
		}
	}
	if most := f.Timeout.Clock * time.Duration(1+u.state.Lifted[history.LimitActive]); most > 0 && u.state.Active > most {
		return u.hit(history.LimitActive, u.state.Active.Milliseconds(), 0)
	}
	return nil
}

// hit is a limit that was reached, with what the flow says about it.
func (u limits) hit(name string, value int64, left int) *limitHit {
	l := &limitHit{name: name, action: u.flow.OnLimit.Action, value: value, left: max(left, 0), scope: "run"}
	if l.action == "" || l.action == flow.LimitHandoff && u.state.Lifted[name] > 0 {
		l.action = flow.LimitEndPath
	}
	return l
}

// atLimit applies the flow's rule for a limit to the token that would have gone on.
func (m *machine) atLimit(t history.Token, l limitHit) {
	m.emit(t, &history.LimitReached{Limit: l.name, Action: l.action, Value: l.value})
	switch l.action {
	case flow.LimitHandoff:
		m.emit(t, handedOff(m, t, l))
		m.Queue = append(m.Queue, t.ID)
	case flow.LimitInterrupt:
		openFailure(m, t, l.error(t))
	case flow.LimitFail:
		m.stop(t, l.error(t))
	default:
		m.endPathAs(t.ID, history.EndLimit, l.outcome())
	}
}

// outcome is the outcome of a run whose path the limit ends.
func (l limitHit) outcome() history.Outcome {
	if l.name == history.LimitActive {
		return history.OutcomeTimedOut
	}
	return ""
}

// nodeAtLimit applies the flow's rule for a limit of a single node whose error no route has caught. It reports false when the node shall fail,
// as any error does. In a native flow end_path means that too: it is the default there, and an error that no route catches must not end
// silently.
func nodeAtLimit(m *machine, t history.Token, attempt int, e history.NodeError) bool {
	action := m.Program.Flow().OnLimit.Action
	reached := &history.LimitReached{Limit: e.Limit, Action: action, Value: int64(attempt)}
	switch {
	case e.Limit == "":
		return false
	case action == flow.LimitInterrupt:
		m.emit(t, reached)
		openFailure(m, t, e)
		return true
	case action == flow.LimitHandoff && m.State.Lifted[e.Limit] == 0, action == flow.LimitEndPath && m.Program.Flow().Profile != flow.ProfileNative:
	default:
		reached.Action = flow.LimitFail
		m.emit(t, reached)
		return false
	}
	m.emit(t, &history.StepFailed{Error: e, Attempt: attempt, Next: history.NextRoute})
	m.closeFrame(t.ID, joinFailed)
	t = m.Token(t.ID)
	m.emit(t, reached)
	if action == flow.LimitEndPath {
		m.endPath(t.ID, history.EndLimit)
		return true
	}
	m.emit(t, handedOff(m, t, limitHit{name: e.Limit}))
	m.Queue = append(m.Queue, t.ID)
	return true
}

// grantLimit applies a person's answer at the limit of an agent.
func grantLimit(m *machine, t history.Token, choice string) {
	if choice != history.ChoiceContinue {
		return // a person answers in its place, which needs no limit
	}
	limit := history.LimitAgent
	if n := m.Node(t); n != nil && talk.TooMany(m.Reader, n, t) != nil {
		limit = history.LimitTurns
	}
	m.emit(t, &history.LimitLifted{Limit: limit})
}

// handedOff moves a token to the node that the flow names for a limit.
func handedOff(m *machine, t history.Token, l limitHit) *history.RouteTaken {
	return &history.RouteTaken{Edge: flow.LimitEdge(t.Node), To: m.Program.Flow().OnLimit.To, Why: "limit " + l.name}
}

func (l limitHit) error(t history.Token) history.NodeError {
	if l.node != "" {
		return history.NodeError{
			Node: t.Node, Type: history.ErrorLimit, Permanent: true,
			Message: fmt.Sprintf("the node %s has been visited %d times, as often as the flow allows", l.node, l.value),
		}
	}
	e := history.NodeError{Node: t.Node, Type: history.ErrorLimit, Permanent: true}
	e.Message = fmt.Sprintf("the %s has made %d node visits, the limit that %s sets", l.scope, l.value, l.name)
	if l.name == history.LimitActive {
		e.Limit = history.LimitActive
		e.Message = fmt.Sprintf("the run has been active for %s, longer than its timeout", time.Duration(l.value)*time.Millisecond)
	}
	return e
}

// ofNode tells whether a node was visited as often as the flow's rules allow.
func (u limits) ofNode(to string) *limitHit {
	most := u.flow.Rules.Visits
	if most <= 0 {
		return nil
	}
	name := history.LimitNode + to
	made := u.state.Visits[to]
	if made < most*(1+u.state.Lifted[name]) {
		return nil
	}
	l := u.hit(name, int64(made), 0)
	l.node = to
	return l
}

// at tells whether a token may go on to a node, as one of so many that go on with it; nil means it may. A way back to a block that
// the token is inside of leaves it: the visit counts where that block counts.
func (u limits) at(t history.Token, to string, more int) *limitHit {
	t.Restart(to)
	if l := u.more(t, more); l != nil {
		return l
	}
	return u.ofNode(to)
}

// exhausted finds the limit that keeps a token from its next nodes.
func exhausted(m *machine, t history.Token) *limitHit {
	n := m.Node(t)
	if n == nil {
		return nil
	}
	targets := n.Targets()
	if n.NoMatch == flow.NoMatchCaller {
		targets = append(targets, cameFrom(t))
	}
	if t.Answered() {
		targets = []string{n.ID}
	}
	for _, to := range targets {
		if l := limitsOf(m).at(t, to, 1); l != nil {
			return l
		}
	}
	return nil
}
