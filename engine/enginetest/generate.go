package enginetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
)

// Shape says what Generate may make.
type Shape struct {
	Size     int  // nodes, roughly
	Ordered  bool // what branches do must not depend on who is first: joins wait for all, without a timeout
	Acyclic  bool
	Alone    bool // no other run has a part in it: no subflows, no events
	Branches int  // depth of forks and foreach nodes inside each other
	Foreign  bool // with what only other formats have
	Steps    int  // visits after which every run comes to its end; 0 = 1000
}

// Generate makes a random valid flow. The same random source gives the same flow.
func Generate(r *rand.Rand, shape Shape) *flow.Flow {
	g := &generator{r: r, shape: shape, flow: &flow.Flow{
		Name: "generated", MaxVisits: 400, OnLimit: flow.OnLimit{Action: flow.LimitEndPath},
		Inputs: []flow.Input{{Name: "n", Type: "number"}, {Name: "s", Type: "string", Sensitive: true}},
		Agents: []flow.Agent{{ID: "bot", Instructions: "Answer."}},
	}}
	if shape.Acyclic {
		g.flow.MaxVisits = 0
	}
	g.rules()
	g.values()
	g.flow.Entry = g.entry(g.block(shape.Size, flow.End, 0))
	if g.flow.Entry == flow.End {
		g.flow.Entry = g.add(flow.KindSay, &flow.SaySpec{Message: "nothing to do"}, flow.End)
	}
	g.limits()
	g.prune()
	g.arrivals()
	return g.flow
}

// limits makes every run come to an end, and some of them to a limit that says what follows. Which token comes to it depends on the order.
func (g *generator) limits() {
	g.flow.Limits.Steps = cmp.Or(g.shape.Steps, 1000)
	if g.shape.Ordered || !g.chance(20) {
		return
	}
	if !g.shape.Acyclic {
		g.flow.MaxVisits = 3 + g.r.IntN(20)
	}
	if g.chance(30) {
		g.flow.Timeout = flow.Duration{Clock: 30 * time.Minute}
	}
	actions := []flow.LimitAction{flow.LimitEndPath, flow.LimitInterrupt, flow.LimitHandoff, flow.LimitFail}
	g.flow.OnLimit.Action = actions[g.r.IntN(len(actions))]
	if g.flow.OnLimit.Action == flow.LimitHandoff {
		g.flow.OnLimit.To = g.add(flow.KindSay, &flow.SaySpec{Message: "somebody else goes on"}, flow.End)
	}
}

// prune takes out what a terminal or a missing default has cut off.
func (g *generator) prune() {
	reached := map[string]bool{}
	todo := []string{g.flow.Entry, g.flow.OnLimit.To}
	for _, n := range g.flow.Nodes {
		switch s := n.Spec.(type) {
		case *flow.EntrySpec:
			todo = append(todo, n.ID)
		case *flow.ComputeSpec:
			if s.Pull {
				todo = append(todo, n.ID)
			}
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		n := g.node(todo[0])
		if n == nil || reached[n.ID] {
			continue
		}
		reached[n.ID] = true
		for _, e := range n.Edges() {
			todo = append(todo, e.To)
		}
	}
	g.flow.Nodes = slices.DeleteFunc(g.flow.Nodes, func(n flow.Node) bool { return !reached[n.ID] })
}

type generator struct {
	r     *rand.Rand
	shape Shape
	flow  *flow.Flow
	open  int // ways that must lead to where they meet: nothing ends the run there
}

// add appends a node whose one route leads to next, and gives its id.
func (g *generator) add(kind flow.Kind, spec flow.Spec, next string) string {
	id := fmt.Sprintf("%s%d", kind, len(g.flow.Nodes)+1) // unique: nodes are taken out at the end only
	n := flow.Node{ID: id, Kind: kind, Spec: spec}
	if next != "" {
		n.Routes = []flow.Route{{To: next}}
	}
	g.flow.Nodes = append(g.flow.Nodes, n)
	return id
}

func (g *generator) node(id string) *flow.Node { return g.flow.Node(id) }

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

// block makes about size nodes that lead to next, and gives the id of the first.
func (g *generator) block(size int, next string, depth int) string {
	if size <= 0 {
		return next
	}
	switch rest := size - 1; {
	case size >= 3 && g.shape.Foreign && depth <= g.shape.Branches && g.chance(30):
		return g.several(rest, next, depth)
	case size >= 3 && g.shape.Foreign && depth <= g.shape.Branches && g.chance(20):
		return g.rounds(rest, next, depth)
	case size >= 3 && g.shape.Foreign && depth <= g.shape.Branches && g.chance(12):
		return g.parts(rest, next, depth)
	case size >= 4 && depth <= g.shape.Branches && g.chance(25):
		return g.fork(rest, next, depth)
	case size >= 3 && depth <= g.shape.Branches && g.chance(20):
		return g.foreach(rest, next, depth)
	case size >= 3 && g.chance(25):
		return g.decision(rest, next, depth)
	case size >= 3 && g.chance(20):
		return g.approval(rest, next, depth)
	case size >= 3 && !g.shape.Acyclic && g.chance(15):
		return g.loop(rest, next, depth)
	default:
		return g.single(g.block(rest, next, depth))
	}
}

// single makes one node of a random kind.
func (g *generator) single(next string) string {
	if g.shape.Foreign && g.chance(10) {
		return g.foreign(next)
	}
	kinds := 13
	if g.shape.Alone {
		kinds = 10
	}
	switch g.r.IntN(kinds) {
	case 10:
		return g.subflow(next)
	case 11:
		return g.event(next)
	case 12:
		id := g.add(flow.KindEmit, &flow.EmitSpec{Event: "did", Payload: map[string]any{"about": g.template()}}, next)
		g.failable(id, next)
		return id
	case 0:
		return g.add(flow.KindSet, &flow.SetSpec{Vars: g.variables()}, next)
	case 1:
		return g.add(flow.KindSay, &flow.SaySpec{Message: "say " + g.template()}, next)
	case 2:
		return g.add(flow.KindWait, &flow.WaitSpec{For: flow.Duration{Clock: time.Duration(1+g.r.IntN(90)) * time.Minute}}, next)
	case 3:
		id := g.add(flow.KindAsk, &flow.AskSpec{Message: "ask " + g.template()}, next)
		g.deadline(id, &g.node(id).Spec.(*flow.AskSpec).Deadline)
		return id
	case 4, 5:
		id := g.add(flow.KindAgent, &flow.AgentSpec{Agent: "bot", Input: map[string]any{"about": g.template()}}, next)
		g.failable(id, next)
		return id
	case 6:
		if g.chance(20) && g.open == 0 {
			ends := g.shape.Foreign && !g.shape.Ordered && g.open == 0 && g.chance(50)
			return g.add(flow.KindTerminal, &flow.TerminalSpec{Output: map[string]any{"v": g.template()}, EndsRun: ends}, "")
		}
		fallthrough
	default:
		id := g.add(flow.KindTool, &flow.ToolSpec{
			Tool: "t.act", Effects: g.effects(), Params: map[string]any{"a": g.template(), "b": []any{g.template(), 1.0}},
		}, next)
		g.failable(id, next)
		return id
	}
}

// subflow makes a node that runs another flow.
func (g *generator) subflow(next string) string {
	id := g.add(flow.KindSubflow, &flow.SubflowSpec{Flow: "other", Inputs: map[string]any{"about": g.template(), "s": "{{inputs.s}}"}}, next)
	g.failable(id, next)
	g.timeout(id)
	return id
}

// event makes a node that waits for an event; several nodes may wait for the same one.
func (g *generator) event(next string) string {
	id := g.add(flow.KindWait, &flow.WaitSpec{Event: []string{"paid", "sent", "paid {{inputs.n}}"}[g.r.IntN(3)]}, next)
	g.failable(id, next)
	g.timeout(id)
	return id
}

// timeout bounds how long a node waits. When it is over is a matter of order.
func (g *generator) timeout(id string) {
	if g.chance(30) {
		g.node(id).Timeout = flow.Duration{Clock: time.Hour}
	}
}

func (g *generator) effects() flow.Effects {
	return []flow.Effects{flow.EffectsRead, flow.EffectsIdempotent, flow.EffectsOnce, ""}[g.r.IntN(4)]
}

// variables are some values for a set node, and now and then one that is too large for the state.
func (g *generator) variables() map[string]any {
	vars := map[string]any{g.variable(): g.template(), g.variable(): float64(g.r.IntN(10))}
	if g.chance(15) {
		vars[g.variable()] = "{{" + g.path() + "}}" + strings.Repeat(" and more", 1000)
	}
	return vars
}

func (g *generator) variable() string { return string(rune('p' + g.r.IntN(4))) }

// failable gives a node what to do about errors.
func (g *generator) failable(id, next string) {
	n := g.node(id)
	if g.chance(30) {
		n.Retry = &flow.Retry{MaxAttempts: 2 + g.r.IntN(2), BackoffMS: 1000}
	}
	if g.chance(30) {
		n.OnError = append(n.OnError, flow.ErrorRoute{Match: "Soft|Timeout", To: next})
	}
	if g.chance(30) {
		n.OnError = append(n.OnError, flow.ErrorRoute{Default: true, To: flow.End})
	}
	if g.chance(15) {
		n.Routes = append([]flow.Route{{When: g.condition(id), To: flow.End}}, n.Routes...)
	}
	if g.shape.Foreign && g.chance(30) {
		g.foreignRoutes(n)
	}
}

func (g *generator) deadline(id string, d **flow.Deadline) {
	if !g.chance(40) {
		return
	}
	*d = &flow.Deadline{After: flow.Duration{Clock: time.Hour}}
	if g.chance(50) {
		(*d).Remind = flow.Duration{Clock: 25 * time.Minute}
		(*d).RemindOnce = g.chance(30)
	}
	if n := g.node(id); g.chance(60) {
		n.OnError = []flow.ErrorRoute{{Match: "GateTimeout", To: flow.End}}
	}
}

func (g *generator) decision(size int, next string, depth int) string {
	arms := 2 + g.r.IntN(2)
	var routes []flow.Route
	for i := range arms {
		to := g.block(size/arms, next, depth)
		when := ""
		if i < arms-1 {
			when = []string{"true", "0", "x", g.condition("")}[g.r.IntN(4)]
		}
		routes = append(routes, flow.Route{When: when, To: to})
	}
	if g.chance(20) {
		routes = routes[:len(routes)-1] // no default: the path may end
	}
	id := g.add(flow.KindDecision, &flow.DecisionSpec{Expr: g.condition("")}, "")
	g.node(id).Routes = routes
	return id
}

func (g *generator) approval(size int, next string, depth int) string {
	yes, no := g.block(size/2, next, depth), g.block(size/2, flow.End, depth)
	id := g.add(flow.KindApproval, &flow.ApprovalSpec{
		Message: "go on? " + g.template(), Choices: []string{"approve", "reject", "later"}, Show: []string{g.path()},
	}, "")
	n := g.node(id)
	spec := n.Spec.(*flow.ApprovalSpec)
	if g.chance(30) {
		spec.Who = &flow.Who{Quorum: 2}
	}
	g.deadline(id, &spec.Deadline)
	n.Routes = []flow.Route{{When: "approvals." + id + " == 'approve'", To: yes}, {When: "approvals." + id + " == 'timeout'", To: no}}
	if g.chance(50) {
		n.Routes = append(n.Routes, flow.Route{To: no})
	}
	return id
}

func (g *generator) fork(size int, next string, depth int) string {
	branches := 2 + g.r.IntN(3)
	spec := &flow.ParallelSpec{Join: flow.Join{Type: "all"}}
	for range branches {
		head := g.block(max(size/branches, 1), flow.End, depth+1)
		if head == flow.End {
			head = g.single(flow.End)
		}
		spec.Branches = append(spec.Branches, flow.Route{To: head})
	}
	if !g.shape.Ordered {
		spec.Join.Type = []string{"all", "all", "any", "count"}[g.r.IntN(4)]
		if spec.Join.Type == "count" {
			spec.Join.Count = 1 + g.r.IntN(branches)
		}
		if g.chance(50) {
			spec.Join.Timeout = flow.Duration{Clock: time.Minute}
			spec.Join.TimeoutSet = g.chance(30)
		}
	}
	id := g.add(flow.KindParallel, spec, next)
	n := g.node(id)
	g.timeout(id)
	if g.chance(40) {
		n.OnError = []flow.ErrorRoute{{Default: true, To: next}}
	}
	if g.chance(20) {
		n.Retry = &flow.Retry{MaxAttempts: 2, BackoffMS: 1000}
	}
	return id
}

// foreach makes a body that is repeated for the items of a list. Which item begins before an error that stops the rest is a matter
// of order, unless there is one item at a time.
func (g *generator) foreach(size int, next string, depth int) string {
	spec := &flow.ForeachSpec{Items: g.list(depth), As: "item", MaxParallel: 1, OnItemError: "stop"}
	if depth > 0 && g.chance(50) {
		spec.As = fmt.Sprintf("item%d", depth)
	}
	if g.chance(50) {
		spec.OnItemError = "keep"
	}
	if !g.shape.Ordered || spec.OnItemError == "keep" {
		spec.MaxParallel = 1 + g.r.IntN(4)
	}
	spec.Body = g.inner(size/2, depth)
	id := g.add(flow.KindForeach, spec, g.block(size/2, next, depth))
	n := g.node(id)
	g.timeout(id)
	if g.chance(30) {
		n.OnError = []flow.ErrorRoute{{Default: true, To: next}}
	}
	if g.chance(20) {
		n.Retry = &flow.Retry{MaxAttempts: 2, BackoffMS: 1000}
	}
	if g.chance(30) {
		n.Routes = append([]flow.Route{{When: id + ".result.1.n > 4", To: flow.End}}, n.Routes...)
	}
	return id
}

// list is an expression that gives items, or what is none or one. Lists inside lists are short: their numbers multiply.
func (g *generator) list(depth int) string {
	switch g.r.IntN(5) {
	case 0:
		return g.path()
	case 1:
		return "[" + g.path() + ", " + g.path() + "]"
	case 2:
		return "[[1, 2], " + g.path() + ", [3]]"
	case 3:
		if depth == 0 {
			return "[1, 'two', 3, " + g.path() + ", 5, 6]"
		}
		fallthrough
	default:
		return "[1, 'two', " + g.path() + "]"
	}
}

// loop makes a body that is repeated while a condition holds, up to the cap of the flow.
func (g *generator) loop(size int, next string, depth int) string {
	tail := g.add(flow.KindDecision, &flow.DecisionSpec{Expr: g.condition("")}, "")
	head := g.block(max(size-1, 1), tail, depth)
	if head == tail {
		head = g.single(tail)
	}
	g.node(tail).Routes = []flow.Route{{When: "true", To: head}, {To: next}}
	return head
}

// path is something an expression may read; names that mean nothing are among them.
func (g *generator) path() string {
	any := func() string {
		if len(g.flow.Nodes) == 0 {
			return "nobody"
		}
		return g.flow.Nodes[g.r.IntN(len(g.flow.Nodes))].ID
	}
	switch g.r.IntN(12) {
	case 10:
		if g.chance(50) {
			return fmt.Sprintf("round%d%s", g.r.IntN(len(g.flow.Nodes)+1), []string{"", "_index", "_number", "_total"}[g.r.IntN(4)])
		}
		return []string{"item", "item1", "item_index", "item_number", "item_total"}[g.r.IntN(5)]
	case 11:
		return any() + ".result.0.n"
	case 0:
		return "vars." + g.variable()
	case 1:
		return "inputs.n"
	case 2:
		return "previous"
	case 3:
		return "tag"
	case 4:
		return "approvals." + any()
	case 5:
		return "nodes." + any() + ".text"
	case 6:
		return "error.message"
	case 7:
		return any() + ".output"
	default:
		return any() + ".result.n"
	}
}

func (g *generator) template() string {
	switch g.r.IntN(4) {
	case 0:
		return "plain"
	case 1:
		return "{{" + g.path() + "}}"
	default:
		return "a {{" + g.path() + "}} b {{" + g.path() + " | json}}"
	}
}

func (g *generator) condition(own string) string {
	if own != "" && g.chance(50) {
		return "output.n > 5"
	}
	return []string{
		g.path() + " == 'approve'", g.path() + " > 4", g.path() + " and not " + g.path(), g.path() + " != " + g.path(), g.path(),
	}[g.r.IntN(5)]
}
