package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

const cycleVisits = 100 // node visits of a run of a flow that leads back

// finish closes the graph and gives the flow what belongs to it as a whole.
func (b *builder) finish(exits []exit) {
	for _, j := range b.land() {
		b.note(Note{Line: j.from, Code: "not_understood", Blocks: true, Text: fmt.Sprintf("Step %d goes to step %d, which does not exist.", j.from, j.line)})
	}
	b.connect(exits, flow.End)
	for _, line := range b.prune() {
		b.note(Note{Line: line, Code: "unreachable", Blocks: true, Text: fmt.Sprintf("Step %d is never reached: the steps before it always end.", line)})
	}
	b.dominate()
	if b.cyclic() {
		b.flow.MaxVisits = cycleVisits
		b.note(Note{Code: "cycle", Text: fmt.Sprintf("The steps lead back to an earlier one; a run ends after %d visits of steps.", cycleVisits)})
	}
	b.flow.Inputs = b.inputs
	b.showInputs()
	b.key()
	b.trigger()
	if b.opt.Base != nil {
		b.keep(b.opt.Base)
	}
}

// showInputs shows what the run was given at gates that have nothing else to show.
func (b *builder) showInputs() {
	for i := range b.flow.Nodes {
		if s, ok := b.flow.Nodes[i].Spec.(*flow.ApprovalSpec); ok && len(s.Show) == 0 && len(b.flow.Inputs) > 0 {
			s.Show = []string{"inputs"}
		}
	}
}

// writes reports whether a step of the flow does something that is not a read.
func (b *builder) writes() bool {
	return slices.ContainsFunc(b.flow.Nodes, func(n flow.Node) bool {
		s, ok := n.Spec.(*flow.ToolSpec)
		if !ok {
			return false
		}
		i := slices.IndexFunc(b.cat.entries, func(e entry) bool { return e.tool.Name == s.Tool })
		return i < 0 || b.cat.entries[i].tool.Effects != flow.EffectsRead
	})
}

const maxTitle = 2 // inputs that a title repeats

// key names runs, and says which two runs are the same when the flow does something.
func (b *builder) key() {
	title, key := runWords(b.flow.Name, b.flow.Inputs)
	b.flow.Run.Title = title
	switch {
	case !b.writes():
	case key == "":
		b.note(Note{Code: "two_people", Text: "Two people could run this for the same thing: nothing that a run is given tells two runs apart."})
	default:
		b.flow.Run.Key = key
	}
}

// runWords makes a title and a key of the inputs that every run is given.
func runWords(name string, inputs []flow.Input) (title, key string) {
	var required []string
	title = flow.Words(name)
	shown := 0
	for _, in := range inputs {
		if !in.Required {
			continue
		}
		ref := "{{inputs." + in.Name + "}}"
		required = append(required, ref)
		if in.Type != "object" && in.Type != "array" && shown < maxTitle {
			title, shown = title+" "+ref, shown+1
		}
	}
	return title, strings.Join(required, "/")
}

// trigger starts runs by what happens or by the clock if the words say so. A schedule cannot give a run what it needs.
func (b *builder) trigger() {
	if b.fields == "" {
		b.happenings()
		return
	}
	var needs []string
	for _, in := range b.flow.Inputs {
		if in.Required {
			needs = append(needs, in.Name)
		}
	}
	if len(needs) > 0 {
		b.note(Note{Code: "schedule_without_inputs", Blocks: true, Text: fmt.Sprintf(
			"Nobody is there to give %s when this starts %s. Write the value into the step that needs it, or take the time away and schedule the flow with its inputs.",
			list(needs, "and"), cronWords(b.fields))})
		return
	}
	b.flow.Triggers = []flow.Trigger{{Schedule: &flow.ScheduleTrigger{Cron: b.fields, Timezone: b.opt.Zone}}}
}

// check makes sure that what is proposed can be saved. What the planner wrote is valid by construction; what the words or the
// base brought along may not be.
func (b *builder) check(p *Proposal) {
	problems := flow.Validate(p.Flow, checks()).Errors()
	for _, problem := range problems {
		b.note(Note{Code: "invalid", Blocks: true, Text: sentenceCase(problem.Message) + "."})
	}
	if len(problems) > 0 {
		p.Flow, p.Nodes = nil, nil
	}
	p.Notes = b.notes
}

// checks are what can be checked without a catalogue: a step without a tool is a note, not a problem of the document.
func checks() flow.Checks {
	return flow.Checks{
		Literal: bareLiteral,
		Expression: func(src string, ids []string) (int, string, string, bool) {
			_, err := expr.Compile(src, ids)
			return syntaxProblem(err)
		},
		Template: func(src string, ids []string) (int, string, string, bool) {
			_, err := expr.ParseTemplate(src, ids)
			return syntaxProblem(err)
		},
	}
}

func syntaxProblem(err error) (offset int, message, hint string, ok bool) {
	if err == nil {
		return 0, "", "", true
	}
	if se, is := errors.AsType[*expr.SyntaxError](err); is {
		return se.Offset, se.Message, se.Hint, false
	}
	return 0, err.Error(), "", false
}
