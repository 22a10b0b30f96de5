package direct

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/change"
	"sluice/engine/planner/values"
)

// remove takes a step out: what led to it leads to where it led.
func (c *changing) remove(m []string) error {
	n, err := c.step(m[1])
	if err != nil {
		return err
	}
	heir := flow.End
	for _, r := range n.Routes {
		switch {
		case r.To == n.ID || r.To == heir:
		case heir != flow.End:
			return cannot("Several ways lead on from %s, so I cannot say where the step before it goes on.", c.name(n))
		default:
			heir = r.To
		}
	}
	if n.ID == c.f.Entry && heir == flow.End {
		return cannot("Nothing would be left without %s.", c.name(n))
	}
	id := n.ID
	c.also(func(f *flow.Flow) { without(f, id, heir) })
	c.change.Said = fmt.Sprintf("%s (%s) is removed.", sentence(c.name(n)), n.DisplayName())
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
		retarget(n, func(to string) string {
			if to == id {
				return heir
			}
			return to
		})
		n.Routes = slices.DeleteFunc(n.Routes, func(r flow.Route) bool { return r.To == flow.End && r.If == flow.IfAlways && heir == flow.End })
		s, ok := n.Spec.(*flow.AgentSpec)
		used = used || ok && s.Agent == agent
	}
	if !used {
		f.Agents = slices.DeleteFunc(f.Agents, func(a flow.Agent) bool { return a.ID == agent })
	}
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (c *changing) rename(m []string) error {
	n, err := c.step(m[1])
	if err != nil {
		return err
	}
	name, id := unquoted(m[2]), n.ID
	c.also(func(f *flow.Flow) { f.Node(id).Name = name })
	c.change.Said = fmt.Sprintf("%s is called “%s”.", sentence(c.name(n)), name)
	return nil
}

// reword gives a step other words: those that it says first.
func (c *changing) reword(m []string) error {
	n, err := c.step(m[1])
	if err != nil {
		return err
	}
	if s, ok := n.Spec.(*flow.AgentSpec); ok && c.f.AgentByID(s.Agent) == nil {
		return cannot("%s is done by the agent “%s”, whose instructions are not part of the flow.", sentence(c.name(n)), s.Agent)
	}
	all := texts(c.f, n)
	if len(all) == 2 { // its description and its name
		return cannot("%s says nothing that words could change.", sentence(c.name(n)))
	}
	return c.write(n, all[0], m[2])
}

// write gives a text of a step other words.
func (c *changing) write(n *flow.Node, t text, said string) error {
	v, ok := like(t.value, said)
	if !ok {
		return cannot("The %s of %s is %v: write it like that.", t.key, c.name(n), t.value)
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

// setIn gives one text of a step, by what people call it, another value.
func (c *changing) setIn(m []string) error {
	n, err := c.step(m[1])
	if err != nil {
		return err
	}
	var found []text
	for _, t := range texts(c.f, n) {
		if t.called(m[2]) {
			found = append(found, t)
		}
	}
	if len(found) == 0 {
		return change.ErrNone
	}
	return c.write(n, found[0], m[3])
}

// replaceIn changes words within a step.
func (c *changing) replaceIn(m []string) error {
	n, err := c.step(m[1])
	if err != nil {
		return err
	}
	return c.exchange(texts(c.f, n), m[2], m[3])
}

func (c *changing) replace(m []string) error {
	if n, err := c.step(strings.TrimPrefix(m[1], "step ")); err == nil && unquoted(m[1]) == strings.TrimSpace(m[1]) {
		return c.reword([]string{"", n.ID, m[2]})
	}
	var all []text
	for i := range c.f.Nodes {
		all = append(all, texts(c.f, &c.f.Nodes[i])...)
	}
	return c.exchange(all, m[1], m[2])
}

// exchange changes words in the one step that has them.
func (c *changing) exchange(all []text, old, new string) error {
	old, new = unquoted(old), unquoted(new)
	whole := regexp.MustCompile(`(?i)(^|[^\pL\pN])(` + regexp.QuoteMeta(old) + `)($|[^\pL\pN])`)
	found := map[string][]text{}
	for _, t := range all {
		was := fmt.Sprint(t.value)
		if t.value == nil || !whole.MatchString(was) || t.key == "description" && t.value == "" {
			continue
		}
		v, ok := like(t.value, whole.ReplaceAllString(was, "${1}"+strings.ReplaceAll(new, "$", "$$")+"${3}"))
		if ok {
			t.value = v
			found[t.node] = append(found[t.node], t)
		}
	}
	switch len(found) {
	case 0:
		return change.ErrNone
	case 1:
	default:
		return cannot("Several steps have “%s”: name one, such as “in step 2 change %s to %s”.", old, old, new)
	}
	for id, texts := range found {
		c.also(func(f *flow.Flow) { // all of them
			for _, t := range texts {
				t.set(f, t.value)
			}
		})
		for _, t := range texts {
			c.also(func(f *flow.Flow) { t.set(f, t.value) })
		}
		c.change.Said = fmt.Sprintf("%s has “%s” instead of “%s”.", sentence(c.name(c.f.Node(id))), new, old)
	}
	return nil
}

// question is who answers a step, and until when; nil = it asks nobody.
func question(n *flow.Node) (who **flow.Who, limit **flow.Deadline) {
	switch s := n.Spec.(type) {
	case *flow.ApprovalSpec:
		return &s.Who, &s.Deadline
	case *flow.AskSpec:
		return &s.Who, &s.Deadline
	}
	return nil, nil
}

// ask changes a step that people answer.
func (c *changing) ask(words, said string, edit func(who **flow.Who, limit **flow.Deadline)) error {
	n, err := c.step(words)
	if err != nil {
		return err
	}
	if who, _ := question(n); who == nil {
		return cannot("%s asks nobody.", sentence(c.name(n)))
	}
	id := n.ID
	c.also(func(f *flow.Flow) { edit(question(f.Node(id))) })
	c.change.Said = fmt.Sprintf("%s %s.", sentence(c.name(n)), said)
	return nil
}

// who names the people who answer.
func (c *changing) who(m []string) error {
	return c.ask(m[1], "goes to "+unquoted(m[2]), func(who **flow.Who, _ **flow.Deadline) {
		*who = &flow.Who{Users: []string{strings.Trim(unquoted(m[2]), "<@>")}}
	})
}

// deadline gives people so much time to answer.
func (c *changing) deadline(m []string) error {
	term, _ := values.Term(m[2])
	after, err := flow.ParseDuration(term)
	if err != nil {
		return change.ErrNone
	}
	return c.ask(m[1], "has "+m[2], func(_ **flow.Who, limit **flow.Deadline) { *limit = &flow.Deadline{After: after} })
}
