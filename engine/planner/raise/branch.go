package raise

import (
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// decision raises a condition with its branches. The way of a missing value is not one of them.
func (r *raiser) decision(n *flow.Node, s *tree.Step, spec *flow.DecisionSpec, stop string) string {
	s.Kind, s.Text = tree.Decide, ""
	routes := n.Routes
	whole := false // no amount is left for another side
	if last := len(routes) - 1; last > 1 && routes[last].Default() && routes[last].Label == idiom.NotKnown {
		routes = routes[:last]
		whole = r.covered(routes)
	}
	for i, route := range routes {
		b := tree.Branch{Label: route.Label, Else: i == len(routes)-1 && !whole}
		if !b.Else {
			when := idiom.OfRoute(spec.Expr, route.When)
			c, ok := r.cond(idiom.ReadCondition(when))
			if !ok {
				return r.fail(n, "has the condition "+english.Quoted(when)+", which steps cannot say")
			}
			c.Words = english.Uncapital(strings.TrimSuffix(n.DisplayName(), "?"))
			b.When = &c
		}
		s.Branches = append(s.Branches, b)
	}
	return r.branches(s, routes, stop)
}

// branches raises the steps of branches, one for each route, and gives where they meet.
func (r *raiser) branches(s *tree.Step, routes []flow.Route, stop string) string {
	meet := r.meeting(targets(routes), stop)
	for i := range s.Branches {
		s.Branches[i].Steps = r.list(routes[i].To, meet)
	}
	return meet
}

func targets(routes []flow.Route) []string {
	out := make([]string, len(routes))
	for i, route := range routes {
		out[i] = route.To
	}
	return out
}

// covered reports whether the conditions of more than two ways are ranges that leave no amount out.
func (r *raiser) covered(routes []flow.Route) bool {
	var all []*tree.Cond
	for _, route := range routes {
		c, _ := r.cond(idiom.ReadCondition(route.When))
		all = append(all, &c)
	}
	gaps, ranged := tree.Gaps(all)
	return len(all) > 2 && ranged && len(gaps) == 0
}

// cond raises a condition that is made of comparisons; false = of something else, or of values that no step gives.
func (r *raiser) cond(from idiom.Condition) (tree.Cond, bool) {
	if len(from.Parts) > 0 {
		c := tree.Cond{Op: from.Op}
		for _, p := range from.Parts {
			part, ok := r.cond(p)
			if !ok {
				return c, false
			}
			c.Parts = append(c.Parts, part)
		}
		return c, true
	}
	left, ok := r.named(from.Path)
	c := tree.Cond{Op: from.Op, Left: left}
	words, literal, written := from.Other()
	switch {
	case from.Op == tree.OpEmpty:
	case written && literal == nil && from.Op != "==":
		c = tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{{Op: tree.OpEmpty, Left: left}}}
	case written && literal == nil:
		c.Op = tree.OpEmpty
	case literal == true && from.Op == "==":
		c.Op = tree.OpTrue
	case written:
		c.Right = tree.Value{Words: words, Literal: literal}
	default:
		right, known := r.named(from.Value)
		c.Right, ok = right, ok && known
	}
	return c, ok && from.Op != ""
}

// named is the value of a path.
func (r *raiser) named(path string) (tree.Value, bool) {
	ref, ok := Ref(r.f, path)
	return tree.Value{Words: idiom.Spoken(path), Ref: ref}, ok
}

// gate raises a question with choices, or a step that people do.
func (r *raiser) gate(n *flow.Node, s *tree.Step, stop string) string {
	if n.Description == idiom.SomebodyDecides {
		return r.judged(n, s, stop)
	}
	question := n.Question()
	choices := question.Choices
	asked(question, s)
	s.Judges = n.Description == idiom.PersonDecides
	switch {
	case slices.Equal(choices, tree.PersonChoices()):
		s.Kind, s.Doer = tree.Do, tree.DoerPerson
		if strings.HasSuffix(n.Name, idiom.Unsure) && len(n.Routes) == 1 {
			s.Doer = tree.DoerOpen
			return r.only(n)
		}
	case len(s.Fields) > 0 || !slices.Equal(choices, flow.DefaultChoices()):
		s.Choices = choices
	}
	return r.answers(n, s, choices, stop)
}

// asked raises who answers, how long they have, and the form, without the note that lowering adds to what a person does.
func asked(q *flow.Question, s *tree.Step) {
	s.Kind = tree.Ask
	raiseWho(q.Who, s)
	for _, name := range flow.InOrder(q.Form) {
		if name == "note" && slices.Equal(q.Choices, tree.PersonChoices()) {
			continue
		}
		f := q.Form[name]
		s.Fields = append(s.Fields, tree.Field{Name: name, Type: f.Type, Required: f.Required || len(f.RequiredFor) > 0, Enum: jsonschema.Texts(f.Enum)})
	}
	if d := q.Deadline; d != nil {
		s.Deadline = &tree.Deadline{After: durationText(d.After), Remind: durationText(d.Remind), RemindOnce: d.RemindOnce}
		if d.Until != "" {
			s.Deadline.After = tree.Until + d.Until
		}
		if d.Escalate != nil {
			s.Deadline.EscalateAfter, s.Deadline.EscalateTo = durationText(d.Escalate.After), &tree.Name{Words: d.Escalate.To, Is: d.Escalate.To}
		}
	}
}

// durationText is a duration of the flow format; "" = none.
func durationText(d flow.Duration) string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}

func raiseWho(who *flow.Who, s *tree.Step) {
	if who == nil {
		return
	}
	for _, name := range slices.Concat(who.Groups, who.Users) {
		s.Who = append(s.Who, tree.Name{Words: name, Is: name})
	}
	if who.Quorum > 1 {
		s.Quorum = who.Quorum
	}
}

// answers raises what follows the choices of a gate.
func (r *raiser) answers(n *flow.Node, s *tree.Step, choices []string, stop string) string {
	byChoice := map[string]string{}
	rest := slices.Clone(choices)
	for _, route := range n.Routes {
		c, ok := idiom.Answer(n.ID, route.When)
		switch {
		case route.Default() && len(rest) > 0:
			for _, c := range rest {
				byChoice[c] = route.To
			}
			rest = nil
		case ok:
			byChoice[c] = route.To
			rest = slices.DeleteFunc(rest, func(o string) bool { return o == c })
		}
	}
	first := r.together(n, s, byChoice[choices[0]])
	ways := targets(n.Routes)
	ways[0] = first
	meet := r.meeting(ways, stop)
	nested := meet != stop || slices.Contains(ways[1:], first)
	for i, c := range append(slices.Clone(choices), flow.ChoiceTimeout) {
		to, there := byChoice[c]
		ends := to == stop && to != "" && c != flow.ChoiceTimeout && (s.Judges || idiom.Refuses(c))
		switch {
		case i == 0 && (!nested || to == meet) || !there || idiom.Generated(r.f.Node(to)) || ends:
		case c == flow.ChoiceTimeout && s.Deadline != nil && to == first:
			s.Deadline.Choice = choices[0]
		default:
			s.Branches = append(s.Branches, tree.Branch{Choice: c, Steps: r.list(to, meet)})
		}
	}
	if !nested {
		return first
	}
	return meet
}

// together goes past the gates of the others who must agree, and gives where the last of them leads.
func (r *raiser) together(n *flow.Node, s *tree.Step, to string) string {
	own := n.Spec.(*flow.ApprovalSpec)
	for {
		next := r.f.Node(to)
		if next == nil || next.Kind != flow.KindApproval || len(next.Routes) != len(n.Routes) || own.Who == nil {
			return to
		}
		spec := next.Spec.(*flow.ApprovalSpec)
		for i := range next.Routes[1:] {
			if next.Routes[i+1].To != n.Routes[i+1].To {
				return to
			}
		}
		if spec.Message != own.Message || spec.Who == nil || !slices.Equal(spec.Choices, own.Choices) {
			return to
		}
		raiseWho(spec.Who, s)
		s.Quorum = len(s.Who)
		r.done[to] = true
		to = next.Routes[0].To
	}
}

// judged raises a question that stands in the place of a condition.
func (r *raiser) judged(n *flow.Node, s *tree.Step, stop string) string {
	choices := n.Question().Choices
	s.Kind, s.Text = tree.Decide, inWords(strings.TrimSuffix(strings.TrimPrefix(n.Spec.(*flow.ApprovalSpec).Message, "{{run.title}}: "), "?"))
	if len(n.Routes) != len(choices) {
		return r.fail(n, "has ways out that steps cannot say")
	}
	for i, c := range choices {
		b := tree.Branch{Label: c, Else: i == len(choices)-1}
		if !b.Else {
			b.When = &tree.Cond{Words: c}
		}
		s.Branches = append(s.Branches, b)
	}
	return r.branches(s, n.Routes, stop)
}

// question raises a question that is answered in words or with a form.
func (r *raiser) question(n *flow.Node, s *tree.Step, stop string) string {
	asked(n.Question(), s)
	s.Free = len(s.Fields) == 0
	next, meet := flow.End, r.meeting(targets(n.Routes), stop)
	for _, route := range n.Routes {
		c, _ := idiom.Answer(n.ID, route.When)
		switch {
		case route.Default():
			next = route.To
		case !idiom.Generated(r.f.Node(route.To)):
			s.Branches = append(s.Branches, tree.Branch{Choice: c, Steps: r.list(route.To, meet)})
		}
	}
	s.Judges = len(s.Branches) > 0 && meet == next && meet != stop // the run goes on without an answer
	return next
}
