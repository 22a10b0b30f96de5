package raise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// decision raises a condition with its branches. The way of a missing value is not one of them.
func (r *raiser) decision(n *flow.Node, s *tree.Step, spec *flow.DecisionSpec, stop string) (string, error) {
	s.Kind, s.Text = tree.Decide, ""
	routes := n.Routes
	whole := false // no amount is left for another side
	if last := len(routes) - 1; last > 1 && routes[last].Default() && routes[last].Label == idiom.NotKnown {
		routes = routes[:last]
		whole = r.covered(routes)
	}
	if len(routes) < 2 {
		return "", fmt.Errorf("%s (node %s) has no other side", english.Quoted(n.DisplayName()), n.ID)
	}
	var ways []string
	for _, route := range routes {
		ways = append(ways, route.To)
	}
	meet := r.meeting(ways, stop)
	for i, route := range routes {
		b := tree.Branch{Label: route.Label, Else: i == len(routes)-1 && !whole}
		if !b.Else {
			when := route.When
			if idiom.IsLiteral(when) && strings.TrimSpace(when) == "true" {
				when = spec.Expr
			}
			c, ok := r.cond(when)
			if !ok {
				return "", fmt.Errorf("%s (node %s) has the condition %s, which steps cannot say", english.Quoted(n.DisplayName()), n.ID, english.Quoted(when))
			}
			b.When = c
			c.Words = english.Uncapital(strings.TrimSuffix(n.DisplayName(), "?"))
		}
		var err error
		if b.Steps, err = r.list(route.To, meet); err != nil {
			return "", err
		}
		s.Branches = append(s.Branches, b)
	}
	if meet == "" {
		return flow.End, nil
	}
	return meet, nil
}

// covered reports whether the conditions of more than two ways are ranges that leave no amount out.
func (r *raiser) covered(routes []flow.Route) bool {
	var all []tree.Range
	for _, route := range routes {
		c, ok := r.cond(route.When)
		if !ok {
			return false
		}
		at, ok := c.Range()
		if !ok {
			return false
		}
		all = append(all, at)
	}
	return len(all) > 2 && len(tree.Gaps(all)) == 0
}

// cond raises a condition that is made of comparisons.
func (r *raiser) cond(src string) (*tree.Cond, bool) {
	src = idiom.Unbracket(strings.TrimSpace(src))
	for _, op := range []string{tree.OpOr, tree.OpAnd} {
		parts := idiom.WithoutGuards(idiom.CutOutside(src, " "+op+" "))
		if len(parts) < 2 {
			src = parts[0]
			continue
		}
		c := &tree.Cond{Op: op}
		for _, p := range parts {
			part, ok := r.cond(p)
			if !ok {
				return nil, false
			}
			c.Parts = append(c.Parts, *part)
		}
		return c, true
	}
	if m := idiom.NegatedForm.FindStringSubmatch(src); m != nil {
		part, ok := r.cond(m[1])
		return &tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{*cmpOr(part)}}, ok
	}
	if m := idiom.LengthForm.FindStringSubmatch(src); m != nil {
		ref, ok := Ref(r.f, m[1])
		c := tree.Cond{Op: tree.OpEmpty, Left: tree.Value{Words: idiom.Spoken(m[1]), Ref: ref}}
		if m[2] == "> 0" {
			return &tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{c}}, ok
		}
		return &c, ok
	}
	return r.comparison(src)
}

func cmpOr(c *tree.Cond) *tree.Cond {
	if c == nil {
		return &tree.Cond{}
	}
	return c
}

func (r *raiser) comparison(src string) (*tree.Cond, bool) {
	m := idiom.ComparisonForm.FindStringSubmatch(src)
	if m == nil {
		return nil, false
	}
	ref, ok := Ref(r.f, m[1])
	c := &tree.Cond{Op: m[2], Left: tree.Value{Words: idiom.Spoken(m[1]), Ref: ref}}
	value, isText := expr.Literal(m[3])
	switch {
	case m[3] == "null" && m[2] == "==":
		c.Op = tree.OpEmpty
		return c, ok
	case m[3] == "null":
		return &tree.Cond{Op: tree.OpNot, Parts: []tree.Cond{{Op: tree.OpEmpty, Left: c.Left}}}, ok
	case m[3] == "true" && m[2] == "==":
		c.Op = tree.OpTrue
		return c, ok
	case strings.HasPrefix(m[3], "'") && isText:
		c.Right = tree.Value{Words: expr.Text(value), Literal: value}
		return c, ok
	case m[3] == "false":
		c.Right = tree.Value{Words: "false", Literal: false}
		return c, ok
	}
	if f, err := strconv.ParseFloat(m[3], 64); err == nil {
		c.Right = tree.Value{Words: m[3], Literal: f}
		return c, ok
	}
	right, known := Ref(r.f, m[3])
	c.Right = tree.Value{Words: idiom.Spoken(m[3]), Ref: right}
	return c, ok && known
}

// raiseDeadline raises how long people have.
func raiseDeadline(d *flow.Deadline) *tree.Deadline {
	if d == nil {
		return nil
	}
	write := func(d flow.Duration) string {
		if d.IsZero() {
			return ""
		}
		return d.String()
	}
	out := &tree.Deadline{After: write(d.After), Remind: write(d.Remind)}
	if d.Escalate != nil {
		out.EscalateAfter, out.EscalateTo = write(d.Escalate.After), &tree.Name{Words: d.Escalate.To, Is: d.Escalate.To}
	}
	return out
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

func raiseForm(form map[string]flow.FormField, but string) []tree.Field {
	var out []tree.Field
	for _, name := range flow.InOrder(form) {
		if name == but {
			continue
		}
		f := tree.Field{Name: name, Type: form[name].Type, Required: form[name].Required}
		for _, e := range form[name].Enum {
			if text, ok := e.(string); ok {
				f.Enum = append(f.Enum, text)
			}
		}
		out = append(out, f)
	}
	return out
}

// gate raises a question with choices, or a step that people do.
func (r *raiser) gate(n *flow.Node, s *tree.Step, spec *flow.ApprovalSpec, stop string) (string, error) {
	choices := spec.Choices
	if len(choices) == 0 {
		choices = flow.DefaultChoices()
	}
	if n.Description == idiom.SomebodyDecides {
		return r.judged(n, s, choices, stop)
	}
	s.Kind, s.Judges, s.Deadline = tree.Ask, n.Description == idiom.PersonDecides, raiseDeadline(spec.Deadline)
	raiseWho(spec.Who, s)
	switch {
	case slices.Equal(choices, tree.PersonChoices()):
		s.Kind, s.Doer, s.Fields = tree.Do, tree.DoerPerson, raiseForm(spec.Form, "note")
		if strings.HasSuffix(n.Name, idiom.Unsure) && len(n.Routes) == 1 {
			s.Doer = tree.DoerOpen
			return r.only(n), nil
		}
	case slices.Equal(choices, flow.DefaultChoices()):
		s.Fields = raiseForm(spec.Form, "")
	default:
		s.Choices, s.Fields = choices, raiseForm(spec.Form, "")
	}
	if len(s.Fields) > 0 && s.Kind == tree.Ask {
		s.Choices = choices
	}
	return r.answers(n, s, choices, stop)
}

// answers raises what follows the choices of a gate.
func (r *raiser) answers(n *flow.Node, s *tree.Step, choices []string, stop string) (string, error) {
	var ways []string
	byChoice := map[string]string{}
	rest := slices.Clone(choices)
	for _, route := range n.Routes {
		m := idiom.AnswerPattern.FindStringSubmatch(route.When)
		switch {
		case route.Default() && len(rest) > 0:
			for _, c := range rest {
				byChoice[c] = route.To
			}
			rest = nil
		case m != nil && m[1] == n.ID:
			byChoice[idiom.UnescapeLiteral(m[2])] = route.To
			rest = slices.DeleteFunc(rest, func(c string) bool { return c == idiom.UnescapeLiteral(m[2]) })
		default:
			return "", fmt.Errorf("%s (node %s) has the way %s, which steps cannot say", english.Quoted(n.DisplayName()), n.ID, english.Quoted(route.When))
		}
		ways = append(ways, route.To)
	}
	first := r.together(n, s, byChoice[choices[0]])
	ways[0] = first
	meet := r.meeting(ways, stop)
	nested := meet != stop || slices.Contains(ways[1:], first)
	for i, c := range append(slices.Clone(choices), idiom.Timeout) {
		to, there := byChoice[c]
		n := r.f.Node(to)
		if i == 0 && (!nested || to == meet) || !there || idiom.Generated(n) || to == stop && to != "" && c != idiom.Timeout && (s.Judges || idiom.Refuses(c)) {
			continue
		}
		if c == idiom.Timeout && s.Deadline != nil && to == first {
			s.Deadline.Choice = choices[0]
			continue
		}
		steps, err := r.list(to, meet)
		if err != nil {
			return "", err
		}
		s.Branches = append(s.Branches, tree.Branch{Choice: c, Steps: steps})
	}
	switch {
	case !nested:
		return first, nil
	case meet == "":
		return flow.End, nil
	}
	return meet, nil
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
func (r *raiser) judged(n *flow.Node, s *tree.Step, choices []string, stop string) (string, error) {
	s.Kind, s.Text = tree.Decide, inWords(strings.TrimSuffix(strings.TrimPrefix(n.Spec.(*flow.ApprovalSpec).Message, "{{run.title}}: "), "?"))
	if len(n.Routes) != len(choices) {
		return "", fmt.Errorf("%s (node %s) has ways out that steps cannot say", english.Quoted(n.DisplayName()), n.ID)
	}
	var ways []string
	for _, route := range n.Routes {
		ways = append(ways, route.To)
	}
	meet := r.meeting(ways, stop)
	for i, c := range choices {
		steps, err := r.list(ways[i], meet)
		if err != nil {
			return "", err
		}
		b := tree.Branch{Label: c, Else: i == len(choices)-1, Steps: steps}
		if !b.Else {
			b.When = &tree.Cond{Words: c}
		}
		s.Branches = append(s.Branches, b)
	}
	if meet == "" {
		return flow.End, nil
	}
	return meet, nil
}

// question raises a question that is answered in words or with a form.
func (r *raiser) question(n *flow.Node, s *tree.Step, spec *flow.AskSpec, stop string) (string, error) {
	s.Kind, s.Deadline, s.Fields = tree.Ask, raiseDeadline(spec.Deadline), raiseForm(spec.Form, "")
	s.Free = len(s.Fields) == 0
	raiseWho(spec.Who, s)
	next := flow.End
	for _, route := range n.Routes {
		m := idiom.AnswerPattern.FindStringSubmatch(route.When)
		switch {
		case route.Default():
			next = route.To
		case m == nil || m[1] != n.ID || m[2] != idiom.Timeout:
			return "", fmt.Errorf("%s (node %s) has the way %s, which steps cannot say", english.Quoted(n.DisplayName()), n.ID, english.Quoted(route.When))
		case !idiom.Generated(r.f.Node(route.To)):
			steps, err := r.list(route.To, stop)
			if err != nil {
				return "", err
			}
			s.Branches = append(s.Branches, tree.Branch{Choice: idiom.Timeout, Steps: steps})
		}
	}
	return next, nil
}
