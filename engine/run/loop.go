package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// enterLoop begins a loop, or goes on after one of its rounds.
func enterLoop(m *machine, n *compile.Node, t history.Token, spec *flow.LoopSpec) {
	if t.Block() == nil {
		b, nerr := openLoop(m, n, t, spec)
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		m.emit(t, b)
		t = m.Token(t.ID)
	}
	more, nerr := anotherRound(m, n, t, spec)
	switch {
	case nerr != nil:
		m.fail(t.ID, *nerr)
	case !more:
		loopOver(m, n, t)
	default:
		if l := limitsOf(m).after(0, 1); l != nil {
			loopAtLimit(m, n, t, *l)
			return
		}
		b := t.Block()
		start := &history.RoundStarted{Round: b.Next, Head: spec.Body, Edge: flow.BodyEdge(t.Node), Item: loopItem(m, n, t)}
		seq := m.emit(t, start)
		if start.Item != nil {
			m.Fresh[seq] = start.Read()
		}
		m.Queue = append(m.Queue, t.ID)
	}
}

// openLoop evaluates the expressions that all rounds share.
func openLoop(m *machine, n *compile.Node, t history.Token, spec *flow.LoopSpec) (*history.BlockOpened, *history.NodeError) {
	b := &history.BlockOpened{}
	switch spec.Type {
	case flow.LoopFor:
		if nerr := openFor(m, n, t, b); nerr != nil {
			return nil, nerr
		}
	case flow.LoopEach:
		list, nerr := listItems(m, n, t)
		if nerr != nil {
			return nil, nerr
		}
		b.Total = len(list)
		if nerr := tooManyRounds(m, t, b.Total); nerr != nil || b.Total == 0 {
			return b, nerr
		}
		b.List, b.Width = m.State.Seq+1, scope.ItemsWidth
		for part := range slices.Chunk(list, scope.ItemsWidth) {
			b := &history.ItemsListed{Items: part}
			m.Fresh[m.emit(t, b)] = b.Read()
		}
	}
	return b, tooManyRounds(m, t, b.Total)
}

// openFor counts the rounds of a for.
func openFor(m *machine, n *compile.Node, t history.Token, b *history.BlockOpened) *history.NodeError {
	var bounds [3]float64 // from, to, step
	for i, c := range n.Bounds {
		sc := m.Scope(t)
		v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return c.Expr.Eval(sc, m.Options(t)) })
		if nerr != nil {
			return nerr
		}
		number, err := strconv.ParseFloat(strings.TrimSpace(expr.Text(v)), 64)
		if err != nil && m.Unknown {
			return nil // in a trial: the number of rounds is unknown
		}
		if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
			return loopError(t, "%s is %q, not a number", c.Source, expr.Text(v))
		}
		bounds[i] = number
	}
	from, to, step := bounds[0], bounds[1], bounds[2]
	if step == 0 && m.Unknown {
		return nil
	}
	if step == 0 {
		return loopError(t, "the step is 0: the loop would have no end")
	}
	rounds := max(math.Ceil((to-from)/step), 0)
	if rounds > math.MaxInt32 {
		rounds = math.MaxInt32 // more than any limit allows
	}
	b.Total, b.From, b.By = int(rounds), from, step
	return nil
}

func loopError(t history.Token, format string, args ...any) *history.NodeError {
	return &history.NodeError{Node: t.Node, Type: history.ErrorExpression, Permanent: true, Message: fmt.Sprintf(format, args...)}
}

// tooManyRounds checks limits.items.
func tooManyRounds(m *machine, t history.Token, rounds int) *history.NodeError {
	most := cmp.Or(m.Program.Flow().Limits.Items, itemsMost)
	if rounds <= most {
		return nil
	}
	m.emit(t, &history.LimitReached{Limit: history.LimitItems, Action: flow.LimitFail, Value: int64(rounds)})
	return &history.NodeError{
		Node: t.Node, Type: history.ErrorLimit, Permanent: true,
		Message: fmt.Sprintf("the loop wants %d rounds; limits.items allows %d", rounds, most),
	}
}

// anotherRound tells whether the loop goes on.
func anotherRound(m *machine, n *compile.Node, t history.Token, spec *flow.LoopSpec) (bool, *history.NodeError) {
	b := t.Block()
	m.Unknown = false
	if spec.Type != flow.LoopWhile {
		more := b.Next < b.Total
		return tryRound(m, t, spec, b.Opened, more), nil
	}
	sc := m.Scope(t)
	v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.Value.Expr.Test(sc, m.Options(t)) })
	if nerr != nil {
		return false, nerr
	}
	more, _ := v.(bool)
	if !tryRound(m, t, spec, 0, more) {
		return false, nil
	}
	return true, tooManyRounds(m, t, b.Next+1)
}

// tryRound decides about another round. If the condition or the list of the loop is unknown, the trial chooses between one more round and
// none. opened is the fact that holds the list, whose values may be unknown as well.
func tryRound(m *machine, t history.Token, spec *flow.LoopSpec, opened int64, more bool) bool {
	if opened != 0 {
		m.Note(scope.Read{What: scope.ReadOutput, Seq: opened})
	}
	if !m.Unknown {
		return more
	}
	return m.Trial.Choose(t, []scope.Way{{Edge: flow.BodyEdge(t.Node), To: spec.Body}, {}}) == 0
}

// loopItem reads the item of the next round from its part of the list; nil when the loop has no list.
func loopItem(m *machine, n *compile.Node, t history.Token) json.RawMessage {
	b := t.Block()
	if n.Spec.(*flow.LoopSpec).Type != flow.LoopEach {
		return nil
	}
	if b.Next >= b.Total {
		return json.RawMessage("null") // in a trial: an unknown item
	}
	item, ok := m.ListItem(b.List, b.Width, b.Next)
	if !ok {
		m.Foresee(t, n.AheadOnEntry)
	}
	return item
}

// loopOver ends a loop that has no more rounds: its token goes on.
func loopOver(m *machine, n *compile.Node, t history.Token) {
	b := t.Block()
	fields := map[string]any{"total": b.Next}
	if b.Next > 0 {
		fields["index"] = b.Next - 1
		if n.Spec.(*flow.LoopSpec).Type == flow.LoopFor {
			fields["value"] = scope.RoundValue(b, b.Next-1)
		}
	}
	m.storeOutput(t, &history.StepFinished{Output: history.Output{Data: json.RawMessage(expr.JSON(history.Normal(fields)))}, Aside: true})
	m.leave(t.ID)
}

// loopAtLimit applies the flow's rule for a limit that allows no further rounds. If a person is asked the loop stays open, and a retry
// makes the other rounds.
func loopAtLimit(m *machine, n *compile.Node, t history.Token, l limitHit) {
	if l.action == flow.LimitHandoff {
		fields := map[string]any{"total": t.Block().Next}
		m.storeOutput(t, &history.StepFinished{Output: history.Output{Data: json.RawMessage(expr.JSON(history.Normal(fields)))}, Aside: true})
	}
	m.atLimit(m.Token(t.ID), l)
}

// enterSequence takes the next part of a sequence, or the routes when all are over.
func enterSequence(m *machine, n *compile.Node, t history.Token, spec *flow.SequenceSpec) {
	if t.Block() == nil {
		m.emit(t, &history.BlockOpened{Total: len(spec.Branches), Sequence: true})
		t = m.Token(t.ID)
	}
	next := t.Block().Next
	for next < len(spec.Branches) && spec.Branches[next].To == flow.End {
		next++
	}
	if next >= len(spec.Branches) {
		m.storeOutput(t, &history.StepFinished{Aside: true})
		m.leave(t.ID)
		return
	}
	if l := limitsOf(m).more(t, 1); l != nil {
		m.atLimit(t, *l)
		return
	}
	m.emit(t, &history.RoundStarted{Round: next, Head: spec.Branches[next].To, Edge: flow.BranchEdge(t.Node, next)})
	m.Queue = append(m.Queue, t.ID)
}
