package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// machine makes one decision. It applies each fact that it emits to a scratch copy of the state, so that facts are the only way the state
// changes.
type machine struct {
	*scope.Reader
	c     *Context
	kinds map[flow.Kind]nodeKind
	actor history.Actor

	facts   []history.Fact
	effects []Effect

	worker int          // token that the input's worker holds; 0 = no worker
	idle   bool         // the worker has no step to perform yet
	made   map[int]bool // tokens whose epoch this decision has made or raised: no worker has it yet
	folds  int
	result int64  // the fact with the output of the path that ended last
	reason string // the reason in the fact of the run's end
}

// nodeKind is the record of one kind of node: what the machine does with a token that comes to a node of it.
type nodeKind struct {
	// enter takes the token through the node, or up to the point where it waits.
	enter func(m *machine, n *compile.Node, t history.Token)
	// effects says what repeating the step of a worker would do; nil = it must not be repeated.
	effects func(m *machine, n *compile.Node) flow.Effects
	// render gives the parameters of the act as the outside needs them, and as they are stored; nil = those of the node, see renderParams.
	render func(m *machine, n *compile.Node, t history.Token) (params map[string]any, shown json.RawMessage, nerr *history.NodeError)
}

// emit appends a fact and applies it.
func (m *machine) emit(t history.Token, b history.Body) int64 {
	k := history.KindOf(b)
	f := history.Fact{
		Seq: m.State.Seq + 1, Kind: k, Version: k.Version(), At: m.Now, Actor: m.actor,
		Token: t.ID, Node: t.Node, Step: t.Step, Body: b,
	}
	if err := history.Apply(m.State, f); err != nil {
		panic(scope.Halt{Err: fmt.Errorf("the machine is at fault: %w", err)})
	}
	m.facts = append(m.facts, f)
	m.NoteUnknown(f)
	return f.Seq
}

// unlease ends the leases of tokens that a worker could hold before this decision and that wait or have ended now.
func (m *machine) unlease(before *history.State) {
	for i := range before.Tokens {
		t := &before.Tokens[i]
		if !t.Runnable() {
			continue
		}
		now := m.State.Token(t.ID)
		revoked := slices.Contains(m.effects, Effect(Revoke{Token: t.ID, Epoch: t.Epoch}))
		if (now == nil || !now.Runnable()) && !revoked {
			m.effect(Unlease{Token: t.ID})
		}
	}
}

// dropEnded removes the effects of tokens that the same decision has ended, so that no worker begins them.
func (m *machine) dropEnded() {
	m.effects = slices.DeleteFunc(m.effects, func(e Effect) bool {
		id := 0
		switch e := e.(type) {
		case Dispatch:
			id = e.Token
		case Perform:
			id = e.Token
		}
		return id != 0 && m.State.Token(id) == nil
	})
}

// storeOutput emits a step's output, which the rest of the decision may read.
func (m *machine) storeOutput(t history.Token, b *history.StepFinished) {
	m.Fresh[m.emit(t, b)] = b.Output
}

func (m *machine) effect(e Effect) { m.effects = append(m.effects, e) }

// at fixes the decision's time and actor. Times are stored with microseconds.
func (m *machine) at(t time.Time, a history.Actor) {
	m.Now, m.actor = t.UTC().Truncate(time.Microsecond), a
}

// Key is an idempotency key: prefix is origin-run/step, call the journalled number of the act inside the step (1 for the one
// act of a tool or say node), generation is raised by "run it again".
func Key(prefix string, call, generation int) string {
	return fmt.Sprintf("%s/%d/%d", prefix, call, generation)
}

func (m *machine) prefix(t history.Token) string {
	return fmt.Sprintf("%s/%d", cmp.Or(m.State.Origin, m.c.Origin, m.c.RunID), t.Step)
}

// due adds a duration of the flow to the decision's time.
func (m *machine) due(d flow.Duration) time.Time {
	due := m.Now.Add(d.Clock).AddDate(0, 0, d.WorkingDays)
	if m.c.Due != nil {
		due = m.c.Due(m.Now, d)
	}
	return due.UTC().Truncate(time.Microsecond)
}
