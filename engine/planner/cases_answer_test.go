package planner_test

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner"
	"sluice/engine/planner/env"
	"sluice/engine/planner/tree"
)

// person answers the questions of a draft as an expectation says. Other questions stay open.
type person struct {
	e    *expectation
	w    env.World
	most int      // answers
	add  []string // lines of the sketch that a change adds
}

// decide answers the questions of a tree and says what came of it.
func (p person) decide(id string, t *tree.Tree, differs func(*tree.Tree) string) measured {
	return p.decideBeside(id, t, 0, differs)
}

// decideBeside is decide for a change of a tree that had so many open questions.
func (p person) decideBeside(id string, t *tree.Tree, open int, differs func(*tree.Tree) string) measured {
	m := measured{id: id}
	var plan *planner.Proposal
	for {
		plan = planner.Plan(t, p.w)
		m.draft = t
		if len(plan.Questions) <= open || m.answers == p.most && !strings.HasPrefix(plan.Questions[0].ID, "confirm.long.") {
			break
		}
		if last := plan.Questions[0]; strings.HasPrefix(last.ID, "confirm.long.") { // each long text ends with it: it is no question about a gap
			if why := differs(plan.Tree); why != "" {
				m.outcome, m.why = asked, why
				return m
			}
			next, err := planner.Answer(t, p.w, last.ID, last.Options[0].ID, "", "U1")
			if err != nil {
				m.outcome, m.why = asked, err.Error()
				return m
			}
			t, m.compared = next, true
			continue
		}
		next, why := p.answer(t, plan, differs)
		if next == nil {
			m.outcome, m.why = asked, fmt.Sprintf("%s (%s)", why, differs(plan.Tree))
			return m
		}
		t = next
		m.answers++
	}
	why := differs(plan.Tree)
	switch {
	case plan.Flow == nil:
		m.outcome = plainNo
	case len(plan.Questions) > open || open == 0 && plan.Blocked():
		m.outcome, m.why = asked, fmt.Sprintf("%d open; %s", len(plan.Questions), why)
	case why == "":
		m.outcome = right
	case len(plan.Questions) > 0: // a draft with open questions cannot be approved
		m.outcome, m.why = asked, why
	default:
		m.outcome, m.why = silent, why
	}
	return m
}

// answer answers the first question that the expectation can answer; nil = there is none.
func (p person) answer(t *tree.Tree, plan *planner.Proposal, differs func(*tree.Tree) string) (*tree.Tree, string) {
	why := "a note blocks"
	all := p.allByPeople(plan)
	for _, q := range plan.Questions {
		option, value, ok := p.choose(plan.Tree, q)
		if q.Kind == "confirm" && differs(plan.Tree) == "" {
			option, ok = q.Default, true
		}
		if !ok {
			why = "? " + q.Text
			continue
		}
		if option == "person" && all {
			option = "all"
		}
		next, err := planner.Answer(t, p.w, q.ID, option, value, "U1")
		if err != nil {
			why = err.Error()
			continue
		}
		return next, ""
	}
	return nil, why
}

// allByPeople reports whether one person can be chosen for several steps at once: each of them is expected to be done by people.
func (p person) allByPeople(plan *planner.Proposal) bool {
	offered := false
	for _, q := range plan.Questions {
		if !slices.ContainsFunc(q.Options, func(o planner.Option) bool { return o.ID == "all" }) {
			continue
		}
		if option, _, ok := p.choose(plan.Tree, q); !ok || option != "person" {
			return false
		}
		offered = true
	}
	return offered
}

// choose gives the option and the value with which a question is answered.
func (p person) choose(t *tree.Tree, q planner.Question) (option, value string, ok bool) {
	offered := map[string]planner.Option{}
	for _, o := range q.Options {
		offered[o.ID] = o
	}
	quote := strings.ToLower(q.Quote)
	has := func(id string) bool { _, is := offered[id]; return is }
	switch q.Kind {
	case "trigger":
		for _, want := range p.e.triggers {
			if words, is := strings.CutPrefix(want, "asked "); is && occurs(alternatives(words), quote) {
				return "start", "", true
			}
		}
	case "doer":
		return p.doer(t.Step(q.Step), t, offered)
	case "who":
		if s := t.Step(q.Step); s != nil && s.Kind == tree.Do { // who does a step that people are expected to do
			words := stepWords(t, s)
			for _, want := range p.e.all() {
				if slices.Contains(want.kinds, "do") && slices.Contains(want.doers, "person") && occurs(want.want, words) {
					return "name", nameFor(quote), true
				}
			}
		}
		for _, s := range p.e.all() {
			if len(s.wantWho) > 0 && occurs(s.wantWho, quote) {
				return "name", nameFor(quote), true
			}
		}
		if p.most > maxAnswers {
			return "name", nameFor(quote), true
		}
	case "event":
		if p.most > maxAnswers || p.e.expects("wait", quote) {
			return "person", "@dana", true
		}
	case "condition":
		for _, s := range p.e.all() {
			if i := slices.IndexFunc(s.doers, func(d string) bool { return has("look_up." + d) }); i >= 0 {
				return "look_up." + s.doers[i], "", true
			}
		}
		for _, line := range p.add {
			if words, is := strings.CutPrefix(line, "when "); is && occursPart(alternatives(words), quote) && has("input") {
				return "input", "", true
			}
		}
		for _, s := range p.e.all() {
			for _, b := range s.branches {
				if slices.ContainsFunc(b.conds, func(c string) bool { return strings.Contains(c, "person") }) && occursPart(b.want, quote) && has("person") {
					return "person", "@dana", true
				}
			}
		}
		for _, s := range p.e.all() {
			for _, b := range s.branches {
				if p.most > maxAnswers && len(b.conds) == 0 && len(b.want) > 0 && occursPart(b.want, quote) && has("person") {
					return "person", "@dana", true
				}
				if slices.ContainsFunc(b.conds, func(c string) bool { return strings.ContainsAny(c, "<>") }) && occursPart(b.want, quote) && has("input") {
					return "input", "", true
				}
			}
		}
	case "clause":
		for _, a := range p.e.asides {
			if strings.Contains(quote, a) && has("leave") {
				return "leave", "", true
			}
		}
		for _, d := range p.e.details {
			if strings.Contains(quote, d) && has("note") {
				return "note", "", true
			}
		}
	case "rule":
		return "words", "", true
	case "param", "value", "checked":
		if s := t.Step(q.Step); s != nil && s.Kind == tree.Set && !p.e.expects("set", quote) {
			return "", "", false
		}
		return p.value(q, offered)
	}
	return "", "", false
}

// value answers with the words themselves, what is most likely, what the starter gives, or a typed word.
func (p person) value(q planner.Question, offered map[string]planner.Option) (option, value string, ok bool) {
	for _, id := range []string{"words", "checked", "input", "value"} {
		if o, is := offered[id]; is {
			if o.Needs == "value" {
				value = o.Values[0].Value
			}
			return id, value, true
		}
	}
	if q.Free {
		return "", "1", true
	}
	return "", "", false
}

// doer answers with the first expected doer that is offered.
func (p person) doer(s *tree.Step, t *tree.Tree, offered map[string]planner.Option) (option, value string, ok bool) {
	words, all := stepWords(t, s), p.e.all()
	for _, line := range p.add {
		if want, err := parseShape(expectLine{text: line}, nil); err == nil && len(want.doers) > 0 {
			all = append([]*shape{want}, all...)
		}
	}
	for _, want := range all {
		if !slices.Contains(want.kinds, "do") || !occurs(want.want, words) {
			continue
		}
		for _, d := range want.doers {
			switch d {
			case "person":
				return "person", "@dana", true
			case "agent":
				if _, is := offered["agent"]; is {
					return "agent", "", true
				}
			default:
				if slices.ContainsFunc(offered["tool"].Values, func(c planner.Choice) bool { return c.Value == d }) {
					return "tool", d, true
				}
			}
		}
	}
	return "", "", false
}

// all gives every expected element.
func (e *expectation) all() []*shape {
	var out []*shape
	var walk func(list []*shape)
	walk = func(list []*shape) {
		for _, s := range list {
			out = append(out, s)
			for _, b := range s.branches {
				walk(b.steps)
			}
		}
	}
	for _, steps := range append([][]*shape{e.steps}, e.others...) {
		walk(steps)
	}
	walk(e.limited)
	return out
}

// expects reports whether an element of a kind with these words is expected.
func (e *expectation) expects(kind, words string) bool {
	return slices.ContainsFunc(e.all(), func(s *shape) bool { return slices.Contains(s.kinds, kind) && occurs(s.want, words) })
}

// occursPart reports whether words of one alternative occur, where a question may be about a part of a condition.
func occursPart(want [][]string, in string) bool {
	return len(want) == 0 || slices.ContainsFunc(want, func(all []string) bool {
		return slices.ContainsFunc(all, func(w string) bool { return strings.Contains(in, strings.TrimSpace(w)) })
	})
}

// nameFor makes a name of the directory from words.
func nameFor(words string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(words))
	return "@" + strings.Trim(name, "-")
}
