package raise

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// textOf is the text of a step in words.
func (r *raiser) textOf(n *flow.Node) string {
	switch s := n.Spec.(type) {
	case *flow.SaySpec:
		return inWords(s.Message)
	case *flow.ApprovalSpec:
		if n.Description != "" && n.Description != idiom.PersonDecides {
			return n.Description
		}
		return inWords(strings.TrimPrefix(s.Message, "{{run.title}}: "))
	case *flow.AskSpec:
		return inWords(strings.TrimSuffix(s.Message, "?"))
	case *flow.AgentSpec:
		if a := r.f.AgentByID(s.Agent); a != nil {
			return a.Instructions
		}
	}
	if n.Description != "" {
		return n.Description
	}
	return n.Name
}

// inWords writes a template as people write it: {name} for a value.
func inWords(template string) string {
	return idiom.Filled(template, func(inner string) string { return "{" + idiom.EndOf(inner) + "}" })
}

// step raises one node and gives where the list goes on.
func (r *raiser) step(n *flow.Node, s *tree.Step, stop string) string {
	switch spec := n.Spec.(type) {
	case *flow.ToolSpec:
		r.tool(spec, s)
	case *flow.SaySpec:
		s.Kind, s.To = tree.Tell, []tree.Name{{Is: tree.NameThread}}
		if strings.HasSuffix(n.Name, "the requester") {
			s.To[0].Is = tree.NameRequester
		}
	case *flow.SubflowSpec:
		s.Kind, s.Doer, s.Tool, s.Params = tree.Do, tree.DoerFlow, spec.Flow, r.params(spec.Inputs)
	case *flow.AgentSpec:
		s.Kind = tree.Agent
		if a := r.f.AgentByID(spec.Agent); a != nil {
			s.Tools, s.Fields = a.Tools, fieldsOfSchema(a.Output)
		}
	case *flow.WaitSpec:
		s.Kind, s.For, s.Time, s.Event = tree.Wait, durationText(spec.For), spec.Until, spec.Event
		if m, ok := idiom.ReadMoment(spec.Until); ok {
			s.For, s.Time, s.Side, s.Over = m.Term, strings.TrimSpace(m.Clock+" "+m.Zone), m.Side, r.value("{{"+m.Path+"}}")
		}
	case *flow.TerminalSpec:
		s.Kind = tree.Stop
		return flow.End
	case *flow.SetSpec:
		return r.set(n, s, spec)
	case *flow.ApprovalSpec:
		return r.gate(n, s, stop)
	case *flow.AskSpec:
		return r.question(n, s, stop)
	case *flow.DecisionSpec:
		return r.decision(n, s, spec, stop)
	case *flow.ParallelSpec:
		return r.parallel(n, s, spec)
	case *flow.ForeachSpec:
		s.Kind, s.As, s.Over = tree.Each, spec.As, r.value("{{"+spec.Items+"}}")
		s.Branches = []tree.Branch{{Steps: r.list(spec.Body, "")}}
		return r.only(n)
	default:
		return r.fail(n, fmt.Sprintf("is a %s, which steps cannot say", n.Kind))
	}
	if len(n.Routes) > 1 {
		return r.fail(n, "has several ways out, which steps cannot say")
	}
	return r.only(n)
}

// tool raises a call: a message to one address is told, everything else is done.
func (r *raiser) tool(spec *flow.ToolSpec, s *tree.Step) {
	to, isText := spec.Params["channel"].(string)
	text, also := spec.Params["text"].(string)
	if spec.Tool == flow.PostMessage && isText && also && len(spec.Params) == 2 {
		s.Kind, s.Text = tree.Tell, inWords(text)
		name := tree.Name{Words: to, Is: to}
		if v := r.value(to); v.Literal == nil {
			name = tree.Name{Words: inWords(to), Ref: v.Ref}
		}
		if to == "{{run.started_by}}" {
			name = tree.Name{Is: tree.NameRequester, DM: true}
		}
		s.To = []tree.Name{name}
		return
	}
	s.Kind, s.Doer, s.Tool, s.Params = tree.Do, tree.DoerTool, spec.Tool, r.params(spec.Params)
}

func (r *raiser) params(params map[string]any) []tree.Param {
	var out []tree.Param
	for _, name := range slices.Sorted(maps.Keys(params)) {
		out = append(out, tree.Param{Name: name, Value: r.value(params[name])})
	}
	return out
}

// value raises a value of a parameter.
func (r *raiser) value(v any) tree.Value {
	text, ok := v.(string)
	if !ok {
		return tree.Value{Words: expr.Text(v), Literal: v}
	}
	if m := idiom.Single.FindStringSubmatch(text); m != nil {
		if ref, ok := Ref(r.f, m[1]); ok {
			return tree.Value{Words: strings.ReplaceAll(idiom.EndOf(m[1]), "_", " "), Ref: ref}
		}
	}
	return tree.Value{Words: inWords(text), Literal: inWords(text)}
}

// Ref raises a path of an expression in a flow: the reference names steps by the ids of their nodes.
func Ref(f *flow.Flow, path string) (tree.Ref, bool) {
	if strings.Contains(path, "[") {
		return tree.Ref{}, false
	}
	names := strings.Split(path, ".")
	rest := func(from int) string { return strings.Join(names[min(from, len(names)):], ".") }
	switch {
	case names[0] == "inputs" && len(names) > 1:
		return tree.Ref{Input: names[1], Field: rest(2)}, true
	case names[0] == "event" && len(names) > 2:
		return tree.Ref{Event: names[2], Field: rest(3)}, true
	case names[0] == "approvals" && len(names) > 1:
		return tree.Ref{Step: names[1], Field: rest(2)}, f.Node(names[1]) != nil
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		switch s := n.Spec.(type) {
		case *flow.ForeachSpec:
			if s.As == names[0] {
				return tree.Ref{Item: n.ID, Field: rest(1)}, true
			}
		case *flow.SetSpec:
			if _, has := s.Vars[names[min(1, len(names)-1)]]; has && names[0] == "vars" {
				return tree.Ref{Step: n.ID, Field: rest(2)}, true
			}
		}
		if n.ID == names[0] && len(names) > 1 && (names[1] == "result" || names[1] == "output") {
			return tree.Ref{Step: n.ID, Field: rest(2)}, true
		}
	}
	return tree.Ref{}, false
}

// set raises a name that is given to a value, or a repeat, which begins by counting its rounds.
func (r *raiser) set(n *flow.Node, s *tree.Step, spec *flow.SetSpec) string {
	next := r.only(n)
	if !idiom.Counts(spec) {
		s.Kind = tree.Set
		for name, value := range spec.Vars {
			s.Result, s.Over = name, r.value(value)
		}
		return next
	}
	head := n
	if to := r.f.Node(next); to != nil && to.Kind == flow.KindSet && idiom.Counts(to.Spec.(*flow.SetSpec)) {
		head, next = to, r.only(to)
		r.done[to.ID] = true
	}
	at := slices.IndexFunc(r.f.Nodes, func(c flow.Node) bool {
		return c.Kind == flow.KindDecision && len(c.Routes) == 3 && c.Routes[2].To == head.ID
	})
	if at < 0 || !r.repeat(s, &r.f.Nodes[at]) {
		return r.fail(n, "counts the rounds of a loop that steps cannot say")
	}
	s.Branches = []tree.Branch{{Steps: r.list(next, s.ID)}}
	return r.f.Nodes[at].Routes[0].To
}

// repeat raises the question whether a loop is done, and how often it is done at most.
func (r *raiser) repeat(s *tree.Step, check *flow.Node) bool {
	most := idiom.RoundsForm.FindStringSubmatch(check.Routes[1].When)
	expr := check.Spec.(*flow.DecisionSpec).Expr
	until, ok := r.cond(idiom.ReadCondition(expr))
	alone := idiom.RoundsForm.MatchString(expr)
	if most == nil || !ok && !alone {
		return false
	}
	asked := check
	if gate := r.f.Node(until.Left.Ref.Step); gate != nil && gate.Description == idiom.SomebodyDecides && r.only(gate) == check.ID {
		asked, until = gate, tree.Cond{}
	}
	r.done[check.ID], r.done[asked.ID] = true, true
	until.Words = english.Uncapital(strings.TrimSuffix(asked.Name, "?"))
	s.ID, s.Kind, s.Text, s.Until = asked.ID, tree.Repeat, "", &until
	if alone {
		s.Until = nil
	}
	s.Max, _ = strconv.Atoi(most[1])
	s.Times = most[2]
	s.Any = check.Routes[1].To == check.Routes[0].To
	return true
}

// parallel raises branches and goes on behind the question whether one of them ended early.
func (r *raiser) parallel(n *flow.Node, s *tree.Step, spec *flow.ParallelSpec) string {
	s.Kind, s.Any = tree.Parallel, spec.Join.Type == "any"
	if s.Text == "At the same time" {
		s.Text = ""
	}
	for _, b := range spec.Branches {
		s.Branches = append(s.Branches, tree.Branch{Label: b.Label, Steps: r.list(b.To, "")})
	}
	next := r.only(n)
	if check := r.f.Node(next); check != nil && check.Kind == flow.KindDecision && idiom.StoppedForm.MatchString(check.Spec.(*flow.DecisionSpec).Expr) && len(check.Routes) == 2 {
		r.done[check.ID] = true
		return check.Routes[1].To
	}
	return next
}

// fieldsOfSchema lists the fields of an agent's answer.
func fieldsOfSchema(schema map[string]any) []tree.Field {
	var out []tree.Field
	for _, name := range jsonschema.InOrder(schema) {
		p := jsonschema.Property(schema, name)
		typ, _ := p["type"].(string)
		out = append(out, tree.Field{Name: name, Type: typ, Enum: jsonschema.Texts(p["enum"])})
	}
	return out
}
