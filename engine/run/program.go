package run

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// Program is a flow made ready to run: every expression and template is parsed once. It does not change, and may be used by
// many goroutines and runs at once.
type Program struct {
	flow      *flow.Flow
	nodes     map[string]*node
	sensitive map[string]bool // inputs that are shown as dots
	title     *expr.Template
	key       *expr.Template
	items     map[string]bool // names that a foreach gives to its items, see itemNames
}

// node is a compiled node.
type node struct {
	*flow.Node
	routes   []route
	errors   []errorRoute
	retry    *regexp.Regexp // nil = every error
	cases    []condition    // of a decision, before its value
	value    condition      // of a decision; the list of a foreach; what keeps a loop going
	bounds   []condition    // of a for: from, to, step
	hidden   bool           // the list of a foreach or a loop, or the value of a decision, is made of sensitive inputs
	template *expr.Template // message of say, ask and approval; until or event of wait; event of emit
	arrivals map[string]arrival
	params   *expr.Value // of tool, agent, say, set, terminal, subflow and emit
	show     []condition
	fields   map[string]flow.FormField // of the answers that its gates take
	broken   error                     // why the node cannot start: a broken expression
	enter    paths                     // what is read when a token comes to the node
	leave    paths                     // what its routes read
	ahead    paths                     // leave, and what the nodes behind it read within the same transition
	ahead0   paths                     // enter and ahead of a pure node, enter of another
}

// route is a compiled route; a default has no condition.
type route struct {
	flow.Route
	edge    string
	literal bool // when is a bare literal (of a decision)
	condition
}

// condition is an expression that may be broken: that is an error of the node that evaluates it, when it does.
type condition struct {
	source string
	expr   *expr.Expr
	err    error
}

type errorRoute struct {
	flow.ErrorRoute
	edge string
	re   *regexp.Regexp // nil = matches only as default
}

// supported lists the kinds that this machine runs.
var supported = []flow.Kind{
	flow.KindAgent, flow.KindTool, flow.KindParallel, flow.KindApproval, flow.KindDecision, flow.KindTerminal,
	flow.KindAsk, flow.KindSay, flow.KindWait, flow.KindForeach, flow.KindSet, flow.KindSubflow, flow.KindEmit,
	flow.KindEntry, flow.KindLLM, flow.KindToolexec, flow.KindLoop, flow.KindSequence, flow.KindCompute, flow.KindOpaque,
}

// Unsupported names the nodes that this version does not run, with their kind: "more (python)". Such a flow can be drawn and
// discussed, but not started.
func Unsupported(f *flow.Flow) []string {
	var names []string
	for i := range f.Nodes {
		if n := &f.Nodes[i]; !slices.Contains(supported, n.Kind) {
			names = append(names, fmt.Sprintf("%s (%s)", n.ID, n.Kind))
		}
	}
	return names
}

// Compile makes a flow ready to run. The flow must be valid, as room flow checks it, and must not change afterwards. A node
// that this version does not run is an error; a broken expression is not: it fails the node that evaluates it, at run time.
func Compile(f *flow.Flow) (*Program, error) {
	if names := Unsupported(f); len(names) > 0 {
		return nil, fmt.Errorf("flow %s has nodes that this version does not run: %s", f.Name, strings.Join(names, ", "))
	}
	p := &Program{flow: f, nodes: make(map[string]*node, len(f.Nodes)), sensitive: map[string]bool{}, items: map[string]bool{}}
	for _, in := range f.Inputs {
		p.sensitive[in.Name] = in.Sensitive
	}
	ids := make([]string, len(f.Nodes))
	for i := range f.Nodes {
		ids[i] = f.Nodes[i].ID
	}
	for i := range f.Nodes {
		n := p.compile(&f.Nodes[i], ids)
		p.nodes[n.ID] = n
	}
	if p.nodes[f.Entry] == nil {
		return nil, fmt.Errorf("flow %s starts at %q, which is not one of its nodes", f.Name, f.Entry)
	}
	var err error
	if p.title, err = expr.ParseTemplate(f.Run.Title, ids); err != nil {
		return nil, fmt.Errorf("run.title of flow %s: %w", f.Name, err)
	}
	if p.key, err = expr.ParseTemplate(f.Run.Key, ids); err != nil {
		return nil, fmt.Errorf("run.key of flow %s: %w", f.Name, err)
	}
	for _, n := range p.nodes {
		n.enter.sort(p)
		n.leave.sort(p)
	}
	p.pullAll()
	for _, n := range p.nodes {
		p.look(&n.ahead, n, map[string]bool{})
		n.ahead.done = n.leave.done
		n.ahead0 = n.enter.clone()
		if n.pure() {
			n.ahead0.add(n.ahead)
		}
	}
	return p, nil
}

// Flow gives the flow that was compiled.
func (p *Program) Flow() *flow.Flow { return p.flow }

// look collects what may be read within the transition that leaves n: its routes, and the pure nodes behind them.
func (p *Program) look(into *paths, n *node, seen map[string]bool) {
	if seen[n.ID] {
		return
	}
	seen[n.ID] = true
	into.add(n.leave)
	for _, to := range slices.Concat(n.targets(), p.callers(n)) {
		next := p.nodes[to]
		if next == nil {
			continue
		}
		into.add(next.enter)
		if next.pure() {
			p.look(into, next, seen)
		}
	}
}

// callers lists the nodes that a token may go back to when no route of n is taken.
func (p *Program) callers(n *node) []string {
	var all []string
	for id, other := range p.nodes {
		switch {
		case n.NoMatch == flow.NoMatchCaller && slices.Contains(other.targets(), n.ID),
			n.Kind == flow.KindToolexec && other.external():
			all = append(all, id)
		}
	}
	return all
}

func (n *node) targets() []string {
	var all []string
	for _, r := range n.routes {
		all = append(all, r.To)
	}
	for _, r := range n.errors {
		all = append(all, r.To)
	}
	switch s := n.Spec.(type) {
	case *flow.ParallelSpec:
		for _, b := range s.Branches {
			all = append(all, b.To)
		}
	case *flow.ForeachSpec:
		all = append(all, s.Body)
	case *flow.LoopSpec:
		all = append(all, s.Body)
	case *flow.SequenceSpec:
		for _, b := range s.Branches {
			all = append(all, b.To)
		}
	}
	return all
}

// pure reports whether a token passes the node within the transition that reaches it.
func (n *node) pure() bool { return !n.acts() }

// acts reports whether a worker performs the node.
func (n *node) acts() bool {
	switch n.Kind {
	case flow.KindAgent, flow.KindTool, flow.KindSay, flow.KindEmit, flow.KindLLM, flow.KindToolexec:
		return true
	}
	return false
}

func (p *Program) compile(fn *flow.Node, ids []string) *node {
	n := &node{Node: fn}
	switch spec := fn.Spec.(type) {
	case *flow.AgentSpec:
		n.fields = schemaFields(p.flow.AgentByID(spec.Agent))
	case *flow.LLMSpec:
		n.fields = schemaFields(&flow.Agent{Output: spec.Schema})
	}
	n.compileSpec(ids)
	switch spec := fn.Spec.(type) {
	case *flow.ForeachSpec:
		p.compileForeach(n, spec)
	case *flow.LoopSpec:
		p.compileRounds(n, spec)
	case *flow.DecisionSpec:
		p.hide(n)
	}
	decision := fn.Kind == flow.KindDecision
	for i, r := range fn.Routes {
		c := route{Route: r, edge: flow.RouteEdge(fn.ID, i)}
		if r.If == flow.IfExpr && !r.Default() {
			if decision {
				_, c.literal = expr.Literal(r.When)
			}
			if !c.literal {
				c.condition = newCondition(r.When, ids)
				n.leave.read(c.expr)
			}
		}
		ofStep := r.If == flow.IfLLM || r.If == flow.IfEquals || decision && (c.literal || r.If == flow.IfHandle)
		n.leave.done = n.leave.done || ofStep
		n.routes = append(n.routes, c)
	}
	n.leave.done = n.leave.done || len(fn.Criteria) > 0
	for i, r := range fn.OnError {
		n.errors = append(n.errors, errorRoute{ErrorRoute: r, edge: flow.ErrorEdge(fn.ID, i), re: pattern(r.Match)})
	}
	if fn.Retry != nil {
		n.retry = pattern(fn.Retry.Match)
	}
	return n
}

// pattern compiles the match of an error route. One that is no regular expression matches literally.
func pattern(src string) *regexp.Regexp {
	if src == "" {
		return nil
	}
	re, err := regexp.Compile(src)
	if err != nil {
		re = regexp.MustCompile(regexp.QuoteMeta(src))
	}
	return re
}

func newCondition(src string, ids []string) condition {
	e, err := expr.Compile(src, ids)
	return condition{source: src, expr: e, err: err}
}

func (n *node) compileSpec(ids []string) {
	switch s := n.Spec.(type) {
	case *flow.AgentSpec:
		n.compileParams(s.Input, ids)
		n.enter.previous = true
	case *flow.ToolSpec:
		n.compileParams(s.Params, ids)
	case *flow.SaySpec:
		n.compileTemplate("message", s.Message, ids)
	case *flow.SetSpec:
		n.compileParams(s.Vars, ids)
	case *flow.TerminalSpec:
		n.compileParams(s.Output, ids)
	case *flow.WaitSpec:
		n.compileTemplate("until", cmp.Or(s.Event, s.Until), ids)
	case *flow.SubflowSpec:
		n.compileParams(s.Inputs, ids)
	case *flow.EmitSpec:
		n.compileTemplate("event", s.Event, ids)
		n.compileParams(s.Payload, ids)
	case *flow.DecisionSpec:
		n.compileDecision(s, ids)
	case *flow.ForeachSpec:
		n.value = newCondition(s.Items, ids)
		n.broken = n.value.err
		n.enter.read(n.value.expr)
	case *flow.LLMSpec:
		n.compileParams(map[string]any{"prompt": s.Prompt, "system": s.System, "model": s.Model}, ids)
	case *flow.ToolexecSpec:
		if s.Calls != "" {
			n.value = newCondition(s.Calls, ids)
			n.broken = n.value.err
			n.enter.read(n.value.expr)
		}
	case *flow.LoopSpec:
		n.compileLoop(s, ids)
	case *flow.EntrySpec:
		n.compileParams(s.Outputs, ids)
	case *flow.ComputeSpec:
		n.compileParams(s.Value, ids)
	case *flow.AskSpec:
		n.fields = s.Form
		n.compileTemplate("message", s.Message, ids)
	case *flow.ApprovalSpec:
		n.fields = s.Form
		n.compileTemplate("message", s.Message, ids)
		for _, src := range s.Show {
			c := newCondition(src, ids)
			if c.err != nil && n.broken == nil {
				n.broken = c.err
			}
			n.show = append(n.show, c)
			n.enter.read(c.expr)
		}
	}
}

func (n *node) compileParams(v any, ids []string) {
	if m, ok := v.(map[string]any); ok && m == nil {
		v = nil
	}
	n.note(&n.params, v, ids)
	n.compileArrivals(v, "", ids)
}

func (n *node) compileTemplate(name, src string, ids []string) {
	t, err := expr.ParseTemplate(src, ids)
	if err != nil {
		n.broken = err
		return
	}
	n.template = t
	n.enter.addPaths(t.Reads())
	n.compileArrivals(nil, name, ids)
}
