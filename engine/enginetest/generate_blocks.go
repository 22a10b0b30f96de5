package enginetest

import (
	"fmt"

	"sluice/engine/flow"
)

// values makes some values that are made when they are read, for all expressions that follow. None needs itself: each reads only
// what was there before it.
func (g *generator) values() {
	if !g.shape.Foreign {
		return
	}
	for range g.r.IntN(3) {
		var value any = g.template()
		if g.chance(50) {
			value = map[string]any{"n": "{{" + g.path() + "}}", "text": g.template()}
		}
		g.add(flow.KindCompute, &flow.ComputeSpec{Value: value, Pull: true}, "")
	}
}

// entry puts a node in front where the run begins, and sometimes another one.
func (g *generator) entry(head string) string {
	if !g.shape.Foreign || !g.chance(40) || head == flow.End {
		return head
	}
	if g.chance(50) {
		g.add(flow.KindEntry, &flow.EntrySpec{Start: flow.StartEvent, Event: "e"}, head)
	}
	spec := &flow.EntrySpec{}
	if g.chance(50) {
		spec.Outputs = map[string]any{"n": "{{inputs.n}}", "s": "{{inputs.s}}"}
		if g.chance(50) {
			spec.Vars = []string{"n"}
		}
	}
	return g.add(flow.KindEntry, spec, head)
}

// foreign makes one node of a foreign kind that a token passes.
func (g *generator) foreign(next string) string {
	switch g.r.IntN(8) {
	case 1, 2:
		return g.external(next)
	case 3:
		return g.add(flow.KindLLM, &flow.LLMSpec{Prompt: "ask " + g.template(), System: g.template()}, next)
	case 0:
		id := g.add(flow.KindOpaque, &flow.OpaqueSpec{Type: "code", Source: map[string]any{"x": 1.0}}, next)
		if g.chance(70) {
			g.node(id).OnError = []flow.ErrorRoute{{Default: true, To: next}}
		}
		return id
	default:
		return g.add(flow.KindCompute, &flow.ComputeSpec{Value: map[string]any{"n": "{{" + g.path() + "}}", "text": g.template()}}, next)
	}
}

// rounds makes a loop that stays on its token.
func (g *generator) rounds(size int, next string, depth int) string {
	spec := &flow.LoopSpec{As: fmt.Sprintf("round%d", len(g.flow.Nodes))}
	most := 2
	if depth == 0 {
		most = 4
	}
	switch g.r.IntN(3) {
	case 0:
		spec.Type, spec.To, spec.Step = flow.LoopFor, fmt.Sprint(g.r.IntN(2*most)), "2"
		if g.chance(20) {
			spec.To = g.path()
		}
	case 1:
		spec.Type, spec.While = flow.LoopWhile, fmt.Sprintf("%s < %d", spec.As, g.r.IntN(most+1))
		if g.chance(50) {
			spec.While += " and not (" + g.condition("") + ")"
		}
	default:
		spec.Type, spec.Items = flow.LoopEach, g.list(depth+1)
	}
	spec.Body = g.inner(size/2, depth)
	id := g.add(flow.KindLoop, spec, g.block(size/2, next, depth))
	if n := g.node(id); g.chance(30) {
		n.OnError = []flow.ErrorRoute{{Default: true, To: next}}
	}
	return id
}

// parts makes a sequence.
func (g *generator) parts(size int, next string, depth int) string {
	spec := &flow.SequenceSpec{}
	parts := 1 + g.r.IntN(3)
	for range parts {
		spec.Branches = append(spec.Branches, flow.Route{To: g.inner(size/parts, depth)})
	}
	if g.chance(20) {
		spec.Branches = append(spec.Branches, flow.Route{To: flow.End})
	}
	return g.add(flow.KindSequence, spec, next)
}

// inner makes what is inside a loop, a part or an item: at least one node.
func (g *generator) inner(size, depth int) string {
	head := g.block(max(size, 1), flow.End, depth+1)
	if head == flow.End {
		head = g.single(flow.End)
	}
	return head
}

// arrivals gives some tools other parameters for the tokens that come by one of their edges.
func (g *generator) arrivals() {
	if !g.shape.Foreign {
		return
	}
	for i := range g.flow.Nodes {
		for _, e := range g.flow.Nodes[i].Edges() {
			to := g.node(e.To)
			if to == nil || to.Kind != flow.KindTool || !g.chance(10) {
				continue
			}
			if to.Arrivals == nil {
				to.Arrivals = map[string]map[string]any{}
			}
			to.Arrivals[e.ID] = map[string]any{"a": g.template()}
		}
	}
}
