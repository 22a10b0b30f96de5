package typecheck

import (
	"fmt"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/naming"
	"sluice/engine/tool"
)

// walk checks every part of the flow.
func (c *checker) walk() {
	c.agentTools()
	native := c.f.Profile == flow.ProfileNative
	if native {
		c.start()
	}
	for i := range c.f.Nodes {
		if c.sent >= maxProblems {
			return
		}
		n := &c.f.Nodes[i]
		at := place{path: fmt.Sprintf("flow.nodes[%d]", i), node: n.ID, on: fmt.Sprintf(" on flow node '%s'", n.ID)}
		c.toolNames(at, n)
		if !native {
			c.taken(at, n)
			continue
		}
		c.here = reading{node: i}
		c.spec(at, n)
		c.here.after = true
		c.routes(at, n)
	}
	if native {
		c.reportGaps()
	}
}

// start checks what stands before the nodes.
func (c *checker) start() {
	c.template(place{path: "run.title", on: " in run"}, c.f.Run.Title)
	c.template(place{path: "run.key", on: " in run"}, c.f.Run.Key)
	for i, t := range c.f.Triggers {
		if in, event := t.Channel(); in != nil {
			at := place{on: fmt.Sprintf(" in triggers[%d]", i)}.item("triggers", i).in(event + ".channel")
			c.addresses().check(at, *in, channelKind, true)
		}
	}
}

// spec checks the part of a node that belongs to its kind.
func (c *checker) spec(at place, n *flow.Node) {
	if flow.IsForeign(n.Spec) {
		return
	}
	for _, p := range n.Parts() {
		part := at.in(p.Key)
		switch p.Form {
		case flow.FormText:
			c.template(part, p.Text)
		case flow.FormValue:
			c.given(at, part, n, p.Value)
		case flow.FormList:
			c.list(part, p.Text)
		case flow.FormChoice:
			c.decision(at, n, p.Text)
		default:
			c.expression(part, p.Text, true)
		}
	}
	if q := n.Question(); q != nil {
		c.addresses().people(at, q.Who, q.Deadline)
	}
}

// given checks a value of a node: the parameters of a tool and the inputs of a flow by what they take.
func (c *checker) given(at, part place, n *flow.Node, v any) {
	switch s := n.Spec.(type) {
	case *flow.ToolSpec:
		c.call(part, s)
	case *flow.SubflowSpec:
		c.subflow(at, s)
	default:
		c.value(part, v)
	}
}

// list checks what a foreach goes through.
func (c *checker) list(at place, items string) {
	if s := c.expression(at, items, false); s.kinds != 0 && s.kinds&list == 0 {
		c.error(at, 0, "mixed-types", fmt.Sprintf("'items' must be a list, and %s is %s", shorten(items), s.words()), "")
	}
}

// routes checks the conditions of a node's routes.
func (c *checker) routes(at place, n *flow.Node) {
	_, decision := n.Spec.(*flow.DecisionSpec)
	for i, r := range n.Routes {
		if r.If != flow.IfExpr || r.Default() {
			continue
		}
		if _, literal := expr.Literal(r.When); decision && literal {
			continue
		}
		c.expression(at.item("routes", i).in("when"), r.When, true)
	}
}

// agentTools checks the tools that agents may call.
func (c *checker) agentTools() {
	for i := range c.f.Agents {
		a := &c.f.Agents[i]
		at := place{on: fmt.Sprintf(" on agent '%s'", a.ID)}.item("agents", i)
		for k, name := range a.Tools {
			c.tool(at.item("tools", k), name)
		}
	}
}

// toolNames checks the tools that a node names.
func (c *checker) toolNames(at place, n *flow.Node) {
	if s, ok := n.Spec.(*flow.ToolSpec); ok {
		if strings.TrimSpace(s.Tool) != "" {
			c.tool(at.in("tool"), s.Tool)
		}
		return
	}
	for i, name := range n.Tools() {
		c.tool(at.item("tools", i), name)
	}
}

// tool checks that a tool is there and may be called.
// An agent of an imported flow works without the tools that are not there.
func (c *checker) tool(at place, name string) {
	t := c.tools[name]
	switch {
	case t == nil && c.w.Tools != nil && !c.quiet() && at.node == "" && c.f.Profile != flow.ProfileNative:
		c.warn(at.about(name), -1, "unknown-tool", fmt.Sprintf("the tool '%s' is not installed: the agent works without it", name), naming.DidYouMean(naming.Related(name, sorted(c.tools), 2)))
	case t != nil && t.Policy == tool.Deny:
		c.error(at.about(name), -1, "tool-denied", fmt.Sprintf("the policy of the tool '%s' is deny: nothing may call it", name), "call another tool, or ask a person to do it")
	case t == nil && c.w.Tools != nil && !c.quiet():
		c.error(at.about(name), -1, "unknown-tool", fmt.Sprintf("unknown tool '%s'", name), naming.DidYouMean(naming.Related(name, sorted(c.tools), 2)))
	}
}
