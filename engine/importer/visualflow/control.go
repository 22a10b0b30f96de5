package visualflow

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/flow"
)

// ways are the routes of nodes with execution outputs of their own.
var ways = map[string]func(n *node) []flow.Route{
	"if":     func(n *node) []flow.Route { return decided(n, []string{"true"}, "false") },
	"switch": func(n *node) []flow.Route { return decided(n, n.cases(), "default") },
	"loop":   after("done"), "for": after("done"), "while": after("done"),
	"sequence": after("completed"), "parallel": after("completed"),
	"on_flow_end": func(*node) []flow.Route { return nil },
}

// after is the way on from a block.
func after(handle string) func(*node) []flow.Route {
	return func(n *node) []flow.Route {
		if next := n.next[handle]; next != nil {
			return []flow.Route{{To: next.run, Label: handle}}
		}
		return nil
	}
}

// decided gives a route for every handle, and one for what remains. A handle without an edge ends the path.
func decided(n *node, handles []string, rest string) []flow.Route {
	var all []flow.Route
	for _, handle := range handles {
		all = append(all, flow.Route{If: flow.IfHandle, When: handle, To: n.target(handle), Label: handle})
	}
	return append(all, flow.Route{To: n.target(rest), Label: rest})
}

func (n *node) target(handle string) string {
	if next := n.next[handle]; next != nil {
		return next.run
	}
	return flow.End
}

func choose(c *converter, n *node) flow.Spec {
	return &flow.DecisionSpec{Expr: "'false'", Cases: []flow.Case{{When: call("bool", c.expr(n, "condition")), Value: "true"}}}
}

// cases lists the handles of a switch.
func (n *node) cases() (all []string) {
	list := n.data.Get("switchConfig").Get("cases")
	if list == nil {
		return nil
	}
	for _, v := range list.Items {
		if id := text(v.Get("id")); id != "" && !slices.Contains(all, "case:"+id) {
			all = append(all, "case:"+id)
		}
	}
	return all
}

// switchOver compares the texts of the cases with the text of the value, exactly.
func switchOver(c *converter, n *node) flow.Spec {
	spec := &flow.DecisionSpec{Expr: "'default'"}
	value := "json(str(" + c.expr(n, "value") + "))"
	list := n.data.Get("switchConfig").Get("cases")
	if list == nil {
		return spec
	}
	for _, v := range list.Items {
		if id := text(v.Get("id")); id != "" {
			spec.Cases = append(spec.Cases, flow.Case{When: value + " == json(" + c.caseText(n, id, text(v.Get("value"))) + ")", Value: "case:" + id})
		}
	}
	return spec
}

// caseText writes the value of a case. Boolean values are written in several ways.
func (c *converter) caseText(n *node, id, value string) string {
	if value == "True" || value == "False" {
		value = strings.ToLower(value)
	}
	return c.literal(n, "case-"+id, value)
}

// loop repeats what is behind the handle "loop".
func loop(spec func(c *converter, n *node) *flow.LoopSpec) func(*converter, *node) flow.Spec {
	return func(c *converter, n *node) flow.Spec {
		s := spec(c, n)
		s.As, s.Body = c.roundName(), n.target("loop")
		if s.Body == flow.End || s.Body == n.run {
			s.Body = c.pass(n, "loop")
		}
		return s
	}
}

// roundName is a name for the values of rounds that no node has. Expressions never use it: they read values by the id of the loop.
func (c *converter) roundName() string {
	name := "round"
	for c.taken[name] {
		name += "_"
	}
	return name
}

// pass adds a step that does nothing.
func (c *converter) pass(n *node, handle string) string {
	id := n.run + "-" + handle
	if !c.made[id] {
		c.made[id], c.taken[id] = true, true
		c.add(flow.Node{ID: id, Name: "Nothing", Spec: &flow.ComputeSpec{}}, n)
	}
	return id
}

func eachItem(c *converter, n *node) *flow.LoopSpec {
	return &flow.LoopSpec{Type: flow.LoopEach, Items: call("list", c.expr(n, "items"))}
}

func whileTrue(c *converter, n *node) *flow.LoopSpec {
	return &flow.LoopSpec{Type: flow.LoopWhile, While: call("bool", c.expr(n, "condition"))}
}

func count(c *converter, n *node) *flow.LoopSpec {
	return &flow.LoopSpec{Type: flow.LoopFor, From: c.or(n, "start", "0"), To: c.expr(n, "end"), Step: c.or(n, "step", "1")}
}

// round reads the present round of a loop.
func round(_ *converter, n *node, of, pin string) string {
	switch pin {
	case "i", "item":
		return of + ".value"
	}
	return member(of, pin)
}

// branches lists the connected branches of a block, in order.
func (n *node) branches() (all []flow.Route) {
	for _, handle := range n.handles() {
		if handle != "completed" && n.next[handle] != n {
			all = append(all, flow.Route{To: n.next[handle].run, Label: handle})
		}
	}
	return all
}

func sequence(c *converter, n *node) flow.Spec {
	parts := n.branches()
	if len(parts) == 0 {
		return &flow.ComputeSpec{}
	}
	return &flow.SequenceSpec{Branches: parts}
}

// joinTimeout is how long branches that run side by side may take. The format has no limit.
const joinTimeout = 24 * time.Hour

// parallel runs its branches side by side. If one sets a variable, they follow each other: they share their variables.
func parallel(c *converter, n *node) flow.Spec {
	parts := n.branches()
	if len(parts) < 2 || n.setsVariables() {
		return sequence(c, n)
	}
	return &flow.ParallelSpec{Branches: parts, Join: flow.Join{Type: "all", Timeout: flow.Duration{Clock: joinTimeout}, TimeoutSet: true}}
}

// setsVariables reports whether a variable is set within the branches of a block.
func (n *node) setsVariables() bool {
	seen := map[*node]bool{n: true}
	var open []*node
	for _, handle := range n.handles() {
		if handle != "completed" {
			open = append(open, n.next[handle])
		}
	}
	for len(open) > 0 {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[last] {
			continue
		}
		seen[last] = true
		if strings.HasPrefix(last.kind, "set_var") || last.kind == "add_message" {
			return true
		}
		for _, handle := range last.handles() {
			open = append(open, last.next[handle])
		}
	}
	return false
}

// byNumber orders handles such as then:2 and then:10 by their numbers.
func byNumber(a, b string) int {
	if x, y, ok := numbers(a, b); ok {
		return x - y
	}
	return strings.Compare(a, b)
}

func numbers(a, b string) (x, y int, ok bool) {
	_, left, _ := strings.Cut(a, ":")
	_, right, _ := strings.Cut(b, ":")
	x, one := strconv.Atoi(left)
	y, other := strconv.Atoi(right)
	return x, y, one == nil && other == nil
}
