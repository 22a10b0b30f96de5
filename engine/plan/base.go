package plan

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// keep takes over from the flow that is revised what words do not express: how runs start, agents, limits, and what the same
// steps had beside their words.
func (b *builder) keep(base *flow.Flow) {
	old := base.Clone()
	f := b.flow
	f.Name, f.Description, f.Agents, f.Limits, f.Budget = old.Name, old.Description, old.Agents, old.Limits, old.Budget
	f.Timeout, f.MaxVisits = old.Timeout, max(f.MaxVisits, old.MaxVisits)
	if old.OnLimit.To == "" || f.Node(old.OnLimit.To) != nil {
		f.OnLimit = old.OnLimit
	}
	b.keepInputs(old)
	b.keepTriggers(old)
	b.keepRun(old)
	for i := range f.Nodes {
		if was := old.Node(f.Nodes[i].ID); was != nil && was.Kind == f.Nodes[i].Kind {
			keepNode(f, &f.Nodes[i], was)
		}
	}
}

// keepRun takes over a title and a key that were not made of the inputs, as long as they read only what runs are given.
func (b *builder) keepRun(old *flow.Flow) {
	run := &b.flow.Run
	title, key := runWords(old.Name, old.Inputs)
	known := func(template string) bool {
		return template != "" && !slices.ContainsFunc(inputNames(template), func(name string) bool {
			return inputRef.MatchString(template) && !slices.ContainsFunc(b.flow.Inputs, func(in flow.Input) bool { return in.Name == name })
		})
	}
	if old.Run.Title != title && known(old.Run.Title) {
		run.Title = old.Run.Title
	}
	if old.Run.Key != key && known(old.Run.Key) {
		run.Key = old.Run.Key
	}
	if run.Key != "" {
		run.Within, run.OnDuplicate = old.Run.Within, old.Run.OnDuplicate
	}
}

// keepInputs takes over how inputs are described, and the inputs that kept triggers fill.
func (b *builder) keepInputs(old *flow.Flow) {
	for i := range b.flow.Inputs {
		in := &b.flow.Inputs[i]
		at := slices.IndexFunc(old.Inputs, func(o flow.Input) bool { return o.Name == in.Name && o.Type == in.Type })
		if at < 0 {
			continue
		}
		was := old.Inputs[at]
		in.Description, in.Example, in.Enum, in.Sensitive = was.Description, was.Example, was.Enum, was.Sensitive
		if was.Default != nil {
			in.Default, in.Required = was.Default, false
		}
	}
}

// keepTriggers takes triggers over; a time in the words takes the place of the schedules that were there, and so does what happens.
func (b *builder) keepTriggers(old *flow.Flow) {
	named := b.flow.Triggers
	b.flow.Triggers = nil
	has := func(same func(t flow.Trigger) bool) bool { return slices.ContainsFunc(named, same) }
	for _, t := range old.Triggers {
		switch {
		case t.Message != nil && has(func(n flow.Trigger) bool { return n.Message != nil }), t.Reaction != nil && has(func(n flow.Trigger) bool { return n.Reaction != nil }):
			continue
		case t.Schedule != nil && has(func(n flow.Trigger) bool { return n.Schedule != nil }):
			s := named[0].Schedule
			s.CatchUp, s.Overlap = t.Schedule.CatchUp, t.Schedule.Overlap
			if s.Timezone == "" {
				s.Timezone = t.Schedule.Timezone
			}
			continue
		case t.Schedule != nil && !b.scheduleInputs(t.Schedule):
			continue
		}
		b.flow.Triggers = append(b.flow.Triggers, t)
	}
	b.flow.Triggers = append(b.flow.Triggers, named...)
}

// scheduleInputs leaves out of a kept schedule what the flow is not asked for any more. It reports false, with a note, when the
// schedule does not give what every run needs now.
func (b *builder) scheduleInputs(s *flow.ScheduleTrigger) bool {
	var needs []string
	for name, value := range s.Inputs {
		if !slices.ContainsFunc(b.flow.Inputs, func(in flow.Input) bool { return in.Name == name && in.Accepts(value) == "" }) {
			delete(s.Inputs, name)
		}
	}
	for _, in := range b.flow.Inputs {
		if _, has := s.Inputs[in.Name]; in.Required && !has {
			needs = append(needs, in.Name)
		}
	}
	if len(needs) > 0 {
		b.note(Note{Code: "schedule_dropped", Text: fmt.Sprintf(
			"The schedule %s is taken away, because it does not give %s. Schedule the flow again when it is approved.", cronWords(s.Cron), list(needs, "and"))})
	}
	return len(needs) == 0
}

// keepNode takes over what a step had beside its words.
func keepNode(f *flow.Flow, n, was *flow.Node) {
	n.Retry, n.Timeout = was.Retry, was.Timeout
	for _, r := range was.OnError {
		if r.To == flow.End || f.Node(r.To) != nil {
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
			s.Form, s.Veto = old.Form, old.Veto
		}
		if s.Deadline == nil && old.Deadline != nil && !routesTimeout(was) {
			s.Deadline = old.Deadline
		}
		keepWho(s.Who, old.Who)
	}
}

// routesTimeout says whether a gate has a way for the answer that never came. Such a deadline goes with its way: words that name
// neither mean neither, and a deadline without its way would stop the run.
func routesTimeout(n *flow.Node) bool {
	return slices.ContainsFunc(n.Routes, func(r flow.Route) bool { return strings.Contains(r.When, "'timeout'") })
}

// keepWho takes over that the requester may not decide: words say who decides, not who may not.
func keepWho(who, old *flow.Who) {
	if who == nil || old == nil {
		return
	}
	who.SelfApproval = old.SelfApproval
	if who.Quorum <= 1 && slices.Equal(who.Groups, old.Groups) {
		who.Quorum = old.Quorum
	}
}
