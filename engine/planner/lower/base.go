package lower

import (
	"cmp"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// revision is a flow that was lowered on the base of another one.
type revision struct {
	flow, old *flow.Flow
	was       *tree.Tree // that the old flow was raised to; nil = it could not be raised
	steps     map[string]*tree.Step
	nodes     map[string][]string // step id -> its nodes
	acts      map[string][]string // gate -> the refusals behind which something is done
	byHand    bool                // the words say that nothing else starts it
}

// keep takes over from the flow that is revised what words do not express: limits, budget, how schedules catch up, models of agents, and
// what the same steps had beside their words.
func (b *revision) keep() {
	old, f := b.old, b.flow
	f.Description = cmp.Or(f.Description, old.Description)
	f.Limits, f.Budget, f.Timeout, f.MaxVisits = old.Limits, old.Budget, old.Timeout, max(f.MaxVisits, old.MaxVisits)
	if old.OnLimit.To == "" || f.Node(old.OnLimit.To) != nil {
		f.OnLimit = old.OnLimit
	}
	b.keepInputs()
	b.keepTriggers()
	b.keepRun()
	for i := range f.Agents {
		if was := old.AgentByID(f.Agents[i].ID); was != nil {
			now := &f.Agents[i]
			now.Description, now.Model, now.Limits = was.Description, was.Model, was.Limits
			if len(now.Tools) == 0 {
				now.Tools = was.Tools
			}
			if now.Output == nil {
				now.Output = was.Output
			}
		}
	}
	for i := range f.Nodes {
		if was := old.Node(f.Nodes[i].ID); was != nil && was.Kind == f.Nodes[i].Kind {
			b.keepNode(&f.Nodes[i], was)
		}
	}
	b.keepWhole()
}

// keepRun takes over a title and a key that were not made of the inputs, as long as they read only what runs are given.
func (b *revision) keepRun() {
	run := &b.flow.Run
	title, key, _ := runWords(b.old)
	readable := func(template string) bool {
		return !slices.ContainsFunc(idiom.InputsRead(template), func(name string) bool { return b.flow.Input(name) == nil })
	}
	if b.old.Run.Title != title && readable(b.old.Run.Title) {
		run.Title = b.old.Run.Title
	}
	if b.old.Run.Key != key && readable(b.old.Run.Key) {
		run.Key = b.old.Run.Key
	}
	if run.Key != "" {
		run.Within, run.OnDuplicate = b.old.Run.Within, b.old.Run.OnDuplicate
	}
}

// keepInputs takes over how inputs are described.
func (b *revision) keepInputs() {
	for i := range b.flow.Inputs {
		in := &b.flow.Inputs[i]
		was := b.old.Input(in.Name)
		if was == nil || !sameType(was.Type, in.Type) {
			continue
		}
		in.Type, in.Example, in.Sensitive = was.Type, was.Example, in.Sensitive || was.Sensitive
		in.Description = cmp.Or(in.Description, was.Description)
		if len(in.Enum) == 0 {
			in.Enum = was.Enum
		}
		if in.Default == nil && was.Default != nil {
			in.Default, in.Required = was.Default, false
		}
	}
}

// sameType reports whether the type that words gave may be what stood there: words do not ask for files.
func sameType(was, now string) bool { return was == now || was == flow.TypeFile && now == "string" }

// stepOf gives the step that a node is made of, as it is and as it was. A step that is not known says nothing.
func (b *revision) stepOf(node string) (now, was *tree.Step) {
	now, was = &tree.Step{}, &tree.Step{}
	for id, nodes := range b.nodes {
		if len(nodes) > 0 && nodes[0] == node {
			now = b.steps[id]
		}
	}
	if b.was != nil {
		was = cmp.Or(b.was.Step(node), was)
	}
	return now, was
}

// keepNode takes over what a step had beside its words. A retry or an error route that its words had and have no more is gone.
func (b *revision) keepNode(n, was *flow.Node) {
	now, before := b.stepOf(n.ID)
	if n.Timeout = was.Timeout; now.Retry > 0 || before.Retry == 0 {
		n.Retry = cmp.Or(n.Retry, was.Retry)
	}
	for _, r := range was.OnError {
		if len(now.OnError) == 0 && len(before.OnError) > 0 || len(n.OnError) > 0 && n.OnError[len(n.OnError)-1].Default {
			break
		}
		if r.To == flow.End || b.flow.Node(r.To) != nil {
			n.OnError = append(n.OnError, r)
		}
	}
	switch s := n.Spec.(type) {
	case *flow.ToolSpec:
		if old := was.Spec.(*flow.ToolSpec); old.Tool == s.Tool {
			s.Effects = old.Effects
		}
	case *flow.ApprovalSpec:
		old := was.Spec.(*flow.ApprovalSpec)
		if slices.Equal(old.Choices, s.Choices) {
			if s.Veto = old.Veto; slices.Equal(b.acts[n.ID], acting(answersOf(before))) {
				s.Refuses = old.Refuses
			}
			if len(s.Form) == 0 {
				s.Form = old.Form
			}
		}
		if s.Who != nil && old.Who != nil {
			who := *old.Who
			who.Groups, who.Users, who.Quorum = s.Who.Groups, s.Who.Users, s.Who.Quorum // words say these
			s.Who = &who
		}
	}
	if q, old := n.Question(), was.Question(); q != nil && old != nil {
		keepForm(q.Form, old.Form)
	}
}

// keepOrder leaves the fields that words do not say, which have no number yet, in their places among the others, when nothing else moves.
func keepOrder(now, was map[string]flow.FormField) {
	said := func(form map[string]flow.FormField) []string {
		return slices.DeleteFunc(flow.InOrder(form), func(name string) bool { return now[name].Order == 0 })
	}
	if len(now) != len(was) || !slices.Equal(said(now), said(was)) {
		return
	}
	for i, name := range flow.InOrder(was) {
		if field, ok := now[name]; ok {
			field.Order = i + 1
			now[name] = field
		}
	}
}

// keepForm takes over what words do not say of the fields of a form: which answers need them, what they are for, and whether they are shown.
func keepForm(now, was map[string]flow.FormField) {
	keepOrder(now, was)
	for name, field := range now {
		if old, ok := was[name]; ok && sameType(old.Type, field.Type) {
			if len(field.RequiredFor) == 0 {
				field.RequiredFor = old.RequiredFor
			}
			field.Type, field.Description, field.Sensitive = old.Type, cmp.Or(field.Description, old.Description), old.Sensitive
			now[name] = field
		}
	}
}
