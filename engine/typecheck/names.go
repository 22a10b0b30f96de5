package typecheck

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// roots are the first words of paths that are no names of nodes.
var roots = []string{"event", "inputs", "input", "vars", "nodes", "approvals", "previous", "error", "run", "secret", "state", "output"}

// fixed are the fields of names that are the same in every flow.
var fixed = map[string]shape{
	"error": {kinds: object, bound: closed, fields: map[string]shape{"node": {kinds: text}, "type": {kinds: text}, "message": {kinds: text}}},
	"run": {kinds: object, bound: closed, fields: map[string]shape{
		"id": {kinds: text}, "name": {kinds: text}, "title": {kinds: text}, "started_by": {kinds: text}, "started_at": {}, "url": {kinds: text},
		"outcome": {kinds: text},
	}},
}

// path gives the shape of a name with its members, and reports what nothing gives.
func (c *checker) path(t expr.Term, optional bool) shape {
	root, rest := t.Path[0], len(t.Path) > 1
	if base, ok := fixed[root]; ok {
		return c.members(base, t, 1)
	}
	switch root {
	case "event", "previous", "output", "state":
		return shape{}
	case "secret":
		c.secret(t)
		return shape{kinds: text}
	case "inputs", "input":
		if !rest {
			return shape{kinds: object}
		}
		return c.input(t)
	case "vars":
		if !rest {
			return shape{kinds: object}
		}
		return c.variable(t)
	case "nodes", "approvals":
		if !rest {
			return shape{kinds: object}
		}
		return c.step(t, 1, root == "approvals", optional)
	}
	if _, ok := c.nodes[root]; ok {
		return c.step(t, 0, false, optional)
	}
	if _, ok := c.items[root]; ok {
		return c.members(c.itemShape(root), t, 1)
	}
	if c.counts[root] {
		return c.members(shape{kinds: number}, t, 1)
	}
	return c.bare(t)
}

// members follows the members of a path from the i-th name on.
func (c *checker) members(s shape, t expr.Term, i int) shape {
	for ; i < len(t.Path); i++ {
		member, found, how := s.field(t.Path[i])
		if !found {
			c.noField(s, t, i, how)
			return shape{}
		}
		s = member
	}
	return s
}

// noField reports a field that a value does not have.
func (c *checker) noField(s shape, t expr.Term, i int, how bound) {
	if how == open || c.quiet() {
		return
	}
	report, name, base := c.warn, t.Path[i], written(t.Path[:i])
	if how == closed {
		report = c.error
	}
	message, hint := fmt.Sprintf("'%s' has no field '%s'", base, name), c.suggest(name, s.names())
	switch {
	case s.kinds != 0 && s.kinds&(object|list) == 0 && s.fields == nil:
		message, hint = fmt.Sprintf("'%s' is %s and has no fields", base, s.kinds.words()), fmt.Sprintf("write '%s' alone", base)
	case s.kinds == list && s.fields == nil:
		message, hint = fmt.Sprintf("'%s' is a list and has no field '%s'", base, name), fmt.Sprintf("write '%s[0].%s' for the first item, or go through the items with foreach", base, name)
	case hint == "" && len(s.names()) > 0 && len(s.names()) <= 12:
		hint = "its fields are " + strings.Join(s.names(), ", ")
	}
	report(c.here.at, t.At[i], "unknown-field", message, hint)
}

func (c *checker) secret(t expr.Term) {
	if len(t.Path) > 1 && c.w.Secret != nil && !c.w.Secret(t.Path[1]) {
		c.warn(c.here.at.about(t.Path[1]), t.Start, "missing-secret", fmt.Sprintf("the secret '%s' is not set", t.Path[1]), "")
	}
}

func (c *checker) input(t expr.Term) shape {
	name := t.Path[1]
	if in := c.inputs[name]; in != nil {
		return c.members(ofInput(*in), t, 2)
	}
	report := c.error
	if len(c.f.Inputs) == 0 || t.Path[0] == "input" { // what other programs wrote declares none
		report = c.warn
	}
	names := make([]string, len(c.f.Inputs))
	for i, in := range c.f.Inputs {
		names[i] = in.Name
	}
	hint := c.suggest(name, names)
	if hint == "" {
		hint = fmt.Sprintf("declare it under inputs, such as %s: {type: string}", name)
	}
	report(c.here.at, t.Start, "unknown-name", fmt.Sprintf("there is no input '%s'", name), hint)
	return shape{}
}

func ofInput(in flow.Input) shape {
	s := shape{kinds: kindOfType[in.Type], enum: in.Enum}
	if in.Type == "" {
		s.kinds = text
	}
	return s
}

func (c *checker) variable(t expr.Term) shape {
	name := t.Path[1]
	setters, ok := c.setters[name]
	if !ok {
		c.error(c.here.at, t.Start, "unknown-name", fmt.Sprintf("no step sets the variable '%s'", name), c.suggest(name, sorted(c.setters)))
		return shape{}
	}
	s := c.remember("variable", name, func() shape {
		var all []shape
		for _, v := range setters {
			all = append(all, c.value(place{}, v))
		}
		s := either(all...)
		s.written = false
		return s
	})
	return c.members(s, t, 2)
}

// itemShape is the shape of the item that a foreach gives to its body.
func (c *checker) itemShape(name string) shape {
	return c.remember("item", name, func() shape { return c.expression(place{}, c.items[name], true).item() })
}

// step is what a node gave, or what was decided at a gate; the id is the i-th name of the path.
func (c *checker) step(t expr.Term, i int, gate, optional bool) shape {
	id := t.Path[i]
	n := c.node(id)
	var s shape
	switch {
	case n == nil:
		c.noNode(t, i, gate)
		return s
	case gate && n.Spec != nil && !isGate(n):
		c.error(c.here.at, t.At[i], "unknown-name", fmt.Sprintf("'%s' is no gate", id), c.suggest(id, c.gates()))
		return s
	case gate:
		s = decided(n)
	default:
		s = c.result(n)
	}
	c.ran(t, id, optional)
	return c.members(s, t, i+1)
}

// noNode reports an id that no node has, unless a route that leads there has said so.
func (c *checker) noNode(t expr.Term, i int, gate bool) {
	id := t.Path[i]
	if c.order.dangling[id] {
		return
	}
	what, ids := "node", c.ids
	if gate {
		what, ids = "gate", c.gates()
	}
	c.error(c.here.at, t.Start, "unknown-name", fmt.Sprintf("there is no %s '%s'", what, id), c.suggest(id, ids))
}

func isGate(n *flow.Node) bool {
	switch n.Spec.(type) {
	case *flow.ApprovalSpec, *flow.AskSpec:
		return true
	}
	return false
}

func (c *checker) gates() []string {
	var ids []string
	for i := range c.f.Nodes {
		if isGate(&c.f.Nodes[i]) {
			ids = append(ids, c.f.Nodes[i].ID)
		}
	}
	return ids
}

// bare is a name that is neither a root nor a node nor an item: a field of the latest agent's answer, or nothing.
func (c *checker) bare(t expr.Term) shape {
	name := t.Path[0]
	s, found, how := c.agents.field(name)
	if found {
		return c.members(s, t, 1)
	}
	if c.order.dangling[name] || c.quiet() {
		return shape{}
	}
	hint := c.suggest(name, slices.Concat(roots, c.ids, sorted(c.items), c.agents.names()))
	report := c.error
	switch {
	case how == open && (hint == "" || len(t.Path) < 2 || !slices.Contains([]string{"result", "output", "text", "data"}, t.Path[1])):
		return shape{}
	case how != closed:
		report = c.warn
	}
	if len(t.Path) == 1 {
		hint = cmp.Or(c.choiceHint(name), hint, "put a text in quotes")
	}
	report(c.here.at, t.Start, "unknown-name", fmt.Sprintf("nothing gives '%s'", name), hint)
	return shape{}
}

// choiceHint shows how a route of a gate asks for one of its choices.
func (c *checker) choiceHint(name string) string {
	if c.here.node < 0 || !c.here.after {
		return ""
	}
	n := &c.f.Nodes[c.here.node]
	if n.Spec == nil || !isGate(n) || !slices.Contains(decided(n).enum, any(name)) {
		return ""
	}
	return fmt.Sprintf("write approvals.%s == '%s'", n.ID, name)
}

// agentFields are the fields that the answer of any agent may have.
func (c *checker) agentFields() shape {
	all := shape{fields: map[string]shape{}, bound: closed}
	for i := range c.f.Nodes {
		s, ok := c.f.Nodes[i].Spec.(*flow.AgentSpec)
		if !ok {
			continue
		}
		answer := shape{}
		if a := c.agent[s.Agent]; a != nil {
			answer = ofSchema(asAny(a.Output))
		}
		all.bound = min(all.bound, answer.bound)
		for _, name := range answer.names() {
			field, _, _ := answer.field(name)
			if other, twice := all.fields[name]; twice {
				field = either(other, field)
			}
			all.fields[name] = field
		}
	}
	return all
}

// asAny keeps a nil schema nil.
func asAny(schema map[string]any) any {
	if schema == nil {
		return nil
	}
	return schema
}
