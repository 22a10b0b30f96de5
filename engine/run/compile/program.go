package compile

import (
	"encoding/json"
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
	Most      Sizes
	flow      *flow.Flow
	Nodes     map[string]*Node
	Sensitive map[string]bool // inputs that are shown as dots
	// Masks are the fields of answers that are shown as dots, by the node that asks for them; "" has those of all nodes.
	Masks map[string]map[string]bool
	title *expr.Template
	key   *expr.Template
	Items map[string]bool // names that a foreach gives to its items, see ItemName
}

// Node is a compiled node.
type Node struct {
	*flow.Node
	Outgoing     []Route
	Caught       []ErrorRoute
	RetryOn      *regexp.Regexp // nil = every error
	Cases        []Condition    // of a decision, before its value
	Value        Condition      // of a decision; the list of a foreach; what keeps a loop going
	Bounds       []Condition    // of a for: from, to, step
	Hidden       bool           // the list of a foreach or a loop, or the value of a decision, is made of what people may not see
	template     *expr.Template // message of say, ask and approval; until or event of wait; event of emit
	byEdge       map[string]arrival
	Params       *expr.Value // of tool, agent, say, set, terminal, subflow and emit
	Show         []Condition
	Fields       map[string]flow.FormField // of the answers that its gates take
	Broken       error                     // why the node cannot start: a broken expression
	Enter        Paths                     // what is read when a token comes to the node
	leave        Paths                     // what its routes read
	Ahead        Paths                     // leave, and what the nodes behind it read within the same transition
	AheadOnEntry Paths                     // enter and ahead of a pure node, enter of another
}

// Route is a compiled route; a default has no condition.
type Route struct {
	flow.Route
	Edge    string
	Literal bool // when is a bare literal (of a decision)
	Condition
}

// Condition is an expression that may be broken: that is an error of the node that evaluates it, when it does.
type Condition struct {
	Source string
	Expr   *expr.Expr
	Err    error
}

// ErrorRoute is a compiled error route.
type ErrorRoute struct {
	flow.ErrorRoute
	Edge    string
	Pattern *regexp.Regexp // nil = matches only as default
}

// Unsupported names the nodes that this version does not run, with their kind: "more (python)". Such a flow can be drawn and
// discussed, but not started.
func Unsupported(f *flow.Flow) []string {
	var names []string
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Spec == nil {
			names = append(names, fmt.Sprintf("%s (%s)", n.ID, n.Kind))
		}
	}
	return names
}

// Flow makes a flow ready to run. The flow must be valid, as package flow checks it, and must not change afterwards. A node
// that this version does not run is an error; a broken expression is not: it fails the node that evaluates it, at run time.
func Flow(f *flow.Flow) (*Program, error) {
	if names := Unsupported(f); len(names) > 0 {
		return nil, fmt.Errorf("flow %s has nodes that this version does not run: %s", f.Name, strings.Join(names, ", "))
	}
	p := &Program{flow: f, Nodes: make(map[string]*Node, len(f.Nodes)), Sensitive: map[string]bool{}, Masks: map[string]map[string]bool{}, Items: map[string]bool{}}
	p.Bound(Sizes{})
	for _, in := range f.Inputs {
		p.Sensitive[in.Name] = in.Sensitive
	}
	ids := make([]string, len(f.Nodes))
	for i := range f.Nodes {
		ids[i] = f.Nodes[i].ID
	}
	for i := range f.Nodes {
		p.mask(&f.Nodes[i])
	}
	for i := range f.Nodes {
		n := p.compile(&f.Nodes[i], ids)
		p.Nodes[n.ID] = n
	}
	if p.Nodes[f.Entry] == nil {
		return nil, fmt.Errorf("flow %s starts at %q, which is not one of its nodes", f.Name, f.Entry)
	}
	var err error
	if p.title, err = expr.ParseTemplate(f.Run.Title, ids); err != nil {
		return nil, fmt.Errorf("run.title of flow %s: %w", f.Name, err)
	}
	if p.key, err = expr.ParseTemplate(f.Run.Key, ids); err != nil {
		return nil, fmt.Errorf("run.key of flow %s: %w", f.Name, err)
	}
	for _, n := range p.Nodes {
		n.Enter.sort(p)
		n.leave.sort(p)
	}
	p.pullAll()
	for _, n := range p.Nodes {
		p.look(&n.Ahead, n, map[string]bool{})
		n.Ahead.Done = n.leave.Done
		n.AheadOnEntry = n.Enter.Clone()
		if n.Pure() {
			n.AheadOnEntry.Add(n.Ahead)
		}
	}
	return p, nil
}

// Flow gives the flow that was compiled.
func (p *Program) Flow() *flow.Flow { return p.flow }

// look collects what may be read within the transition that leaves n: its routes, and the pure nodes behind them.
func (p *Program) look(into *Paths, n *Node, seen map[string]bool) {
	if seen[n.ID] {
		return
	}
	seen[n.ID] = true
	into.Add(n.leave)
	for _, to := range slices.Concat(n.Targets(), p.callers(n)) {
		next := p.Nodes[to]
		if next == nil {
			continue
		}
		into.Add(next.Enter)
		if next.Pure() {
			p.look(into, next, seen)
		}
	}
}

// callers lists the nodes that a token may go back to when no route of n is taken.
func (p *Program) callers(n *Node) []string {
	var all []string
	for id, other := range p.Nodes {
		switch {
		case n.NoMatch == flow.NoMatchCaller && slices.Contains(other.Targets(), n.ID),
			n.Kind == flow.KindToolexec && other.External():
			all = append(all, id)
		}
	}
	return all
}

// Pure reports whether a token passes the node within the transition that reaches it.
func (n *Node) Pure() bool { return !n.Acts() }

func (p *Program) compile(fn *flow.Node, ids []string) *Node {
	n := &Node{Node: fn}
	n.Fields = p.fields(fn)
	for _, part := range fn.Parts() {
		p.compilePart(n, part, ids)
	}
	if name := n.Rounds(); name != "" {
		for _, suffix := range ItemParts {
			p.Items[name+suffix] = true
		}
	}
	decision := fn.Kind == flow.KindDecision
	for i, r := range fn.Routes {
		c := Route{Route: r, Edge: flow.RouteEdge(fn.ID, i)}
		if r.If == flow.IfExpr && !r.Default() {
			if decision {
				_, c.Literal = expr.Literal(r.When)
			}
			if !c.Literal {
				c.Condition = newCondition(r.When, ids)
				n.leave.read(c.Expr)
			}
		}
		ofStep := r.If == flow.IfLLM || r.If == flow.IfEquals || decision && (c.Literal || r.If == flow.IfHandle)
		n.leave.Done = n.leave.Done || ofStep
		n.Outgoing = append(n.Outgoing, c)
	}
	n.leave.Done = n.leave.Done || len(fn.Criteria) > 0
	for i, r := range fn.OnError {
		n.Caught = append(n.Caught, ErrorRoute{ErrorRoute: r, Edge: flow.ErrorEdge(fn.ID, i), Pattern: pattern(r.Match)})
	}
	if fn.Retry != nil {
		n.RetryOn = pattern(fn.Retry.Match)
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

func newCondition(src string, ids []string) Condition {
	e, err := expr.Compile(src, ids)
	return Condition{Source: src, Expr: e, Err: err}
}

func (n *Node) compileParams(v any, ids []string) {
	if m, ok := v.(map[string]any); ok && m == nil {
		v = nil
	}
	n.note(&n.Params, v, ids)
	n.compileArrivals(v, "", ids)
}

func (n *Node) compileTemplate(name, src string, ids []string) {
	t, err := expr.ParseTemplate(src, ids)
	if err != nil {
		n.Broken = err
		return
	}
	n.template = t
	n.Enter.addPaths(t.Reads())
	n.compileArrivals(nil, name, ids)
}

// Does is what a node does, as text; where it leads to is left out.
func (p *Program) Does(id string) string {
	n := p.Nodes[id]
	if n == nil {
		return ""
	}
	does := []any{n.Kind, n.Spec}
	if agent := n.Result().Agent; agent != "" {
		does = append(does, p.flow.AgentByID(agent))
	}
	text, err := json.Marshal(does)
	if err != nil {
		return err.Error() // a document that came from JSON goes back to it
	}
	return string(text)
}
