package direct

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/change"
	"sluice/engine/planner/english"
	"sluice/engine/planner/quantity"
)

// remove takes a step out: what led to it leads to where it led.
func (c *changing) remove(n *flow.Node, m []string) error {
	heir := flow.End
	for _, r := range n.Routes {
		switch {
		case r.To == n.ID || r.To == heir:
		case heir != flow.End:
			return change.Cannot("Several ways lead on from %s, so I cannot say where the step before it goes on.", c.name(n))
		default:
			heir = r.To
		}
	}
	if n.ID == c.f.Entry && heir == flow.End {
		return change.Cannot("Nothing would be left without %s.", c.name(n))
	}
	id := n.ID
	c.also(func(f *flow.Flow) { without(f, id, heir) })
	c.change.Said = fmt.Sprintf("%s (%s) is removed.", english.SentenceCase(c.name(n)), n.DisplayName())
	return nil
}

// without takes a node out of a flow, with its agent if no other node has it.
func without(f *flow.Flow, id, heir string) {
	var agent string
	if s, ok := f.Node(id).Spec.(*flow.AgentSpec); ok {
		agent = s.Agent
	}
	f.Nodes = slices.DeleteFunc(f.Nodes, func(n flow.Node) bool { return n.ID == id })
	if f.Entry == id {
		f.Entry = heir
	}
	used := false
	for i := range f.Nodes {
		n := &f.Nodes[i]
		n.Routes = slices.DeleteFunc(n.Routes, func(r flow.Route) bool { return r.To == id && heir == n.ID })
		lead(n, id, heir)
		n.Routes = slices.DeleteFunc(n.Routes, func(r flow.Route) bool { return r.To == flow.End && r.If == flow.IfAlways && heir == flow.End })
		s, ok := n.Spec.(*flow.AgentSpec)
		used = used || ok && s.Agent == agent
	}
	if !used {
		f.Agents = slices.DeleteFunc(f.Agents, func(a flow.Agent) bool { return a.ID == agent })
	}
}

func (c *changing) rename(n *flow.Node, m []string) error {
	name, id := unquoted(m[2]), n.ID
	c.also(func(f *flow.Flow) { f.Node(id).Name = name })
	c.change.Said = fmt.Sprintf("%s is called “%s”.", english.SentenceCase(c.name(n)), name)
	return nil
}

// reword gives a step other words: those that it says first.
func (c *changing) reword(n *flow.Node, m []string) error {
	if s, ok := n.Spec.(*flow.AgentSpec); ok && c.f.AgentByID(s.Agent) == nil {
		return change.Cannot("%s is done by the agent “%s”, whose instructions are not part of the flow.", english.SentenceCase(c.name(n)), s.Agent)
	}
	all := texts(c.f, n)
	if len(all) == 2 { // its description and its name
		return change.Cannot("%s says nothing that words could change.", english.SentenceCase(c.name(n)))
	}
	return c.write(n, all[0], m[2])
}

// write gives a text of a step other words.
func (c *changing) write(n *flow.Node, t text, said string) error {
	v, ok := like(t.value, said)
	if !ok {
		return change.Cannot("The %s of %s is %v: write it like that.", t.key, c.name(n), t.value)
	}
	c.also(func(f *flow.Flow) { t.set(f, v) })
	if was, isText := t.value.(string); isText && t.key == "instructions" {
		words, _ := v.(string)
		for _, part := range parts(was, n) {
			c.also(func(f *flow.Flow) { t.set(f, strings.Replace(was, part, words, 1)) })
		}
	}
	c.change.Said = fmt.Sprintf("The %s of %s is “%v”.", t.key, c.name(n), v)
	return nil
}

// mostParts is how many parts of instructions are tried.
const mostParts = 60

// parts lists the parts of instructions that may be the words of the step alone, the longest first: a format may add what holds for all steps.
func parts(instructions string, n *flow.Node) (all []string) {
	if n.Description != "" && strings.Contains(instructions, n.Description) {
		all = append(all, n.Description)
	}
	paragraphs := strings.Split(instructions, "\n\n")
	for length := len(paragraphs) - 1; length > 0; length-- {
		for from := 0; from+length <= len(paragraphs) && len(all) < mostParts; from++ {
			all = append(all, strings.Join(paragraphs[from:from+length], "\n\n"))
		}
	}
	return append(all, n.DisplayName())
}

// set gives one text of a step, by what people call it, another value.
func (c *changing) set(n *flow.Node, m []string) error {
	all := texts(c.f, n)
	at := slices.IndexFunc(all, func(t text) bool { return t.called(m[1]) })
	if at < 0 {
		return change.ErrNone
	}
	return c.write(n, all[at], m[3])
}

// replace changes words within the one step that has them; or all of a step that they name.
func (c *changing) replace(old, new string) error {
	if n, err := c.step(strings.TrimPrefix(old, "step ")); err == nil && unquoted(old) == strings.TrimSpace(old) {
		return c.reword(n, []string{"", "", new})
	}
	var all []text
	for i := range c.f.Nodes {
		all = append(all, texts(c.f, &c.f.Nodes[i])...)
	}
	return c.exchange(all, old, new)
}

// exchange changes words in the one step that has them.
func (c *changing) exchange(all []text, old, new string) error {
	old, new = unquoted(old), unquoted(new)
	var found []text
	for _, t := range all {
		was := fmt.Sprint(t.value)
		now := quantity.Replace(was, old, new)
		if value, ok := like(t.value, now); ok && t.value != nil && now != was {
			t.value = value
			found = append(found, t)
		}
	}
	if len(found) == 0 {
		return change.ErrNone
	}
	id := found[0].node
	if slices.ContainsFunc(found, func(t text) bool { return t.node != id }) {
		return change.Cannot("Several steps have “%s”: name one, such as “in step 2 change %s to %s”.", old, old, new)
	}
	c.also(func(f *flow.Flow) { // all of them
		for _, t := range found {
			t.set(f, t.value)
		}
	})
	for _, t := range found {
		c.also(func(f *flow.Flow) { t.set(f, t.value) })
	}
	c.change.Said = fmt.Sprintf("%s has “%s” instead of “%s”.", english.SentenceCase(c.name(c.f.Node(id))), new, old)
	return nil
}
