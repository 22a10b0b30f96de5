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
)

// loop begins a loop, or goes on after one of its rounds.
func (m *machine) loop(n *node, t Token, spec *flow.LoopSpec) {
	if t.block() == nil {
		b, nerr := m.openLoop(n, t, spec)
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		m.emit(t, b)
		t = m.tok(t.ID)
	}
	more, nerr := m.anotherRound(n, t, spec)
	switch {
	case nerr != nil:
		m.fail(t.ID, *nerr)
	case !more:
		m.loopOver(n, t)
	default:
		if l := m.limitAfter(0, 1); l != nil {
			m.loopAtLimit(n, t, *l)
			return
		}
		b := t.block()
		start := &RoundStarted{Round: b.Next, Head: spec.Body, Edge: flow.BodyEdge(t.Node), Item: m.loopItem(n, t)}
		seq := m.emit(t, start)
		if start.Item != nil {
			m.fresh[seq] = start.output()
		}
		m.todo = append(m.todo, t.ID)
	}
}

// openLoop evaluates what is fixed for all rounds.
func (m *machine) openLoop(n *node, t Token, spec *flow.LoopSpec) (*BlockOpened, *NodeError) {
	b := &BlockOpened{}
	switch spec.Type {
	case flow.LoopFor:
		if nerr := m.openFor(n, t, b); nerr != nil {
			return nil, nerr
		}
	case flow.LoopEach:
		list, nerr := m.list(n, t)
		if nerr != nil {
			return nil, nerr
		}
		b.Total = len(list)
		if nerr := m.tooManyRounds(t, b.Total); nerr != nil || b.Total == 0 {
			return b, nerr
		}
		b.List, b.Width = m.s.Seq+1, itemsWidth
		for part := range slices.Chunk(list, itemsWidth) {
			b := &ItemsListed{Items: part}
			m.fresh[m.emit(t, b)] = b.output()
		}
	}
	return b, m.tooManyRounds(t, b.Total)
}

// openFor counts the rounds of a for.
func (m *machine) openFor(n *node, t Token, b *BlockOpened) *NodeError {
	var bounds [3]float64 // from, to, step
	for i, c := range n.bounds {
		sc := &scope{m: m, t: t}
		v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return c.expr.Eval(sc, m.options(t)) })
		if nerr != nil {
			return nerr
		}
		number, err := strconv.ParseFloat(strings.TrimSpace(expr.Text(v)), 64)
		if err != nil && m.doubt {
			return nil // in a trial: how many rounds there are is open
		}
		if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
			return loopError(t, "%s is %q, not a number", c.source, expr.Text(v))
		}
		bounds[i] = number
	}
	from, to, step := bounds[0], bounds[1], bounds[2]
	if step == 0 && m.doubt {
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

func loopError(t Token, format string, args ...any) *NodeError {
	return &NodeError{Node: t.Node, Type: ErrorExpression, Permanent: true, Message: fmt.Sprintf(format, args...)}
}

// tooManyRounds checks limits.items.
func (m *machine) tooManyRounds(t Token, rounds int) *NodeError {
	most := cmp.Or(m.p.flow.Limits.Items, itemsMost)
	if rounds <= most {
		return nil
	}
	m.emit(t, &LimitReached{Limit: LimitItems, Action: flow.LimitFail, Value: int64(rounds)})
	return &NodeError{
		Node: t.Node, Type: ErrorLimit, Permanent: true,
		Message: fmt.Sprintf("the loop wants %d rounds; limits.items allows %d", rounds, most),
	}
}

// anotherRound tells whether the loop goes on.
func (m *machine) anotherRound(n *node, t Token, spec *flow.LoopSpec) (bool, *NodeError) {
	b := t.block()
	m.doubt = false
	if spec.Type != flow.LoopWhile {
		more := b.Next < b.Total
		return m.tryRound(t, spec, b.Opened, more), nil
	}
	sc := &scope{m: m, t: t}
	v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return n.value.expr.Test(sc, m.options(t)) })
	if nerr != nil {
		return false, nerr
	}
	more, _ := v.(bool)
	if !m.tryRound(t, spec, 0, more) {
		return false, nil
	}
	return true, m.tooManyRounds(t, b.Next+1)
}

// tryRound decides about another round where what the loop goes by may be doubtful: then there may be one more, or none. What a
// fact of the loop holds is looked at too.
func (m *machine) tryRound(t Token, spec *flow.LoopSpec, opened int64, more bool) bool {
	if opened != 0 {
		m.read(Read{What: ReadOutput, Seq: opened})
	}
	if !m.doubt {
		return more
	}
	return m.c.Trial.Choose(t, []Way{{flow.BodyEdge(t.Node), spec.Body}, {}}) == 0
}

// loopItem reads the item of the next round from its part of the list; nil when the loop has no list.
func (m *machine) loopItem(n *node, t Token) json.RawMessage {
	b := t.block()
	if n.Spec.(*flow.LoopSpec).Type != flow.LoopEach {
		return nil
	}
	if b.Next >= b.Total {
		return json.RawMessage("null") // in a trial: an item that nobody knows
	}
	item, ok := m.listed(b.List, b.Width, b.Next)
	if !ok {
		m.foresee(t, n.ahead0)
	}
	return item
}

// loopOver takes the token on from a loop that has no more rounds.
func (m *machine) loopOver(n *node, t Token) {
	b := t.block()
	fields := map[string]any{"total": b.Next}
	if b.Next > 0 {
		fields["index"] = b.Next - 1
		if n.Spec.(*flow.LoopSpec).Type == flow.LoopFor {
			fields["value"] = b.value(b.Next - 1)
		}
	}
	m.keep(t, &StepFinished{Output: Output{Data: json.RawMessage(expr.JSON(normal(fields)))}, Aside: true})
	m.leave(t.ID)
}

// loopAtLimit does what the flow says about a limit that keeps further rounds out. If a person is asked the loop stays open, and
// a retry goes on with the rest.
func (m *machine) loopAtLimit(n *node, t Token, l limitHit) {
	if l.action == flow.LimitHandoff {
		fields := map[string]any{"total": t.block().Next}
		m.keep(t, &StepFinished{Output: Output{Data: json.RawMessage(expr.JSON(normal(fields)))}, Aside: true})
	}
	m.atLimit(m.tok(t.ID), l)
}

// sequence takes the next part of a sequence, or the routes when all are over.
func (m *machine) sequence(n *node, t Token, spec *flow.SequenceSpec) {
	if t.block() == nil {
		m.emit(t, &BlockOpened{Total: len(spec.Branches), Sequence: true})
		t = m.tok(t.ID)
	}
	next := t.block().Next
	for next < len(spec.Branches) && spec.Branches[next].To == flow.End {
		next++
	}
	if next >= len(spec.Branches) {
		m.keep(t, &StepFinished{Aside: true})
		m.leave(t.ID)
		return
	}
	if l := m.limit(t, 1); l != nil {
		m.atLimit(t, *l)
		return
	}
	m.emit(t, &RoundStarted{Round: next, Head: spec.Branches[next].To, Edge: flow.BranchEdge(t.Node, next)})
	m.todo = append(m.todo, t.ID)
}

// value is the number of a round of a for.
func (b *Block) value(round int) any {
	return json.Number(strconv.FormatFloat(b.From+float64(round)*b.By, 'f', -1, 64))
}

func loopName(spec *flow.LoopSpec) string {
	switch {
	case spec.As != "":
		return spec.As
	case spec.Type == flow.LoopEach:
		return flow.DefaultItemName
	}
	return flow.DefaultIndexName
}

// compileLoop parses what keeps a loop going.
func (n *node) compileLoop(s *flow.LoopSpec, ids []string) {
	sources := []string{cmp.Or(s.From, "0"), s.To, cmp.Or(s.Step, "1")}
	switch s.Type {
	case flow.LoopWhile:
		sources = []string{s.While}
	case flow.LoopEach:
		sources = []string{s.Items}
	}
	for _, source := range sources {
		c := newCondition(source, ids)
		n.broken = cmp.Or(n.broken, c.err)
		n.enter.read(c.expr)
		n.bounds = append(n.bounds, c)
	}
	n.value = n.bounds[0]
}

// wantRounds notes what the blocks around a token read when its path ends inside them.
func (m *machine) wantRounds(t Token) {
	for i := range t.Blocks {
		b := &t.Blocks[i]
		if b.List == 0 || b.Next >= b.Total {
			continue
		}
		more := 1
		if m.p.passes(b.Node) {
			more = foldMost + 1 // rounds may come and go within one decision
		}
		for part := b.Next / b.Width; part <= (min(b.Next+more, b.Total)-1)/b.Width; part++ {
			m.want(b.List + int64(part))
		}
	}
	m.wantPaths(t, m.beyond(t, paths{}))
}

// passes reports whether a token may pass a round of a loop within one decision.
func (p *Program) passes(loop string) bool {
	n := p.nodes[loop]
	if n == nil {
		return false
	}
	spec, ok := n.Spec.(*flow.LoopSpec)
	if !ok {
		return false
	}
	head := p.nodes[spec.Body]
	return head == nil || head.pure()
}

// beyond adds to what is read ahead of a token what the blocks around it read when its path ends inside them.
func (m *machine) beyond(t Token, p paths) paths {
	all := p.clone()
	for i := range t.Blocks {
		if n := m.p.nodes[t.Blocks[i].Node]; n != nil {
			all.add(n.enter)
			all.add(n.ahead)
		}
	}
	return all
}

// compileRounds notes the names that a loop gives to its rounds.
func (p *Program) compileRounds(n *node, spec *flow.LoopSpec) {
	for _, suffix := range itemParts {
		p.items[loopName(spec)+suffix] = true
	}
	if spec.Type == flow.LoopEach {
		p.hide(n)
	}
}

// roundName finds a name that a loop gives to the round that a token is in.
func (sc *scope) roundName(at *Token, b *Block, name string) (v any, found bool) {
	n := sc.m.p.nodes[b.Node]
	if n == nil {
		return nil, false
	}
	spec, ok := n.Spec.(*flow.LoopSpec)
	if !ok {
		return nil, false
	}
	suffix, ok := strings.CutPrefix(name, loopName(spec))
	if !ok {
		return nil, false
	}
	return sc.roundField(n, spec, at, b, suffix)
}

func (sc *scope) roundField(n *node, spec *flow.LoopSpec, at *Token, b *Block, suffix string) (any, bool) {
	sc.m.read(Read{What: ReadOutput, Seq: b.Opened})
	round := b.round(at)
	switch suffix {
	case "":
		switch spec.Type {
		case flow.LoopFor:
			return b.value(round), true
		case flow.LoopEach:
			return sc.itemOf(n, b.Item), true
		}
		return round, true
	case itemIndex:
		return round, true
	case itemNumber:
		return round + 1, true
	case itemTotal:
		if spec.Type == flow.LoopWhile {
			return nil, true
		}
		return b.Total, true
	}
	return nil, false
}

// repeats reports whether the node has rounds or items that expressions read under its own id.
func (n *node) repeats() bool {
	switch n.Spec.(type) {
	case *flow.LoopSpec, *flow.ForeachSpec:
		return true
	}
	return false
}

// roundOf gives the round of a loop, or the item of a foreach, that the token is inside of: index, number, total, and value or
// item. It is nil outside.
func (sc *scope) roundOf(n *node) (v any) {
	sc.m.s.repeats(&sc.t, func(at *Token, b *Block, fr *Frame, br *Branch) bool {
		switch {
		case b != nil && b.Node == n.ID:
			v = present(func(suffix string) any {
				field, _ := sc.roundField(n, n.Spec.(*flow.LoopSpec), at, b, suffix)
				return field
			})
		case fr != nil && fr.Node == n.ID:
			v = present(func(suffix string) any { return sc.itemField(n, fr, br, suffix) })
		}
		return v != nil
	})
	return v
}

// present is a round as expressions read it under the id of its node.
type present func(suffix string) any

// Member gives a part of the round.
func (p present) Member(key string) any {
	switch key {
	case "value", "item":
		return p("")
	case "index", "number", "total":
		return p("_" + key)
	}
	return nil
}

// Plain is the value of the round.
func (p present) Plain() any { return p("") }
