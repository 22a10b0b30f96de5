package planner

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/raise"
	"sluice/engine/planner/tree"
	"sluice/engine/typecheck"
)

// typecheck notes what is wrong with the flow. When a step that writes gets another value than a condition has checked, it asks which of the
// two is meant. Problems of a step with an open question wait for its answer.
func (p *planning) typecheck() {
	f := p.out.Flow
	if f == nil {
		return
	}
	names := raise.Names{Flow: f, Steps: p.out.StepOf(), Numbers: p.out.Numbers}
	for _, problem := range typecheck.Check(f, typecheck.World{Tools: p.w.Tools, Kind: p.w.Kind}) {
		step := names.Steps[problem.Node]
		if p.out.Open[step] || p.usesOpen(step) || problem.Code == "unchecked-value" { // that is asked below
			continue
		}
		text := names.Problem(problem)
		if said := text[:strings.LastIndexByte(text, ':')+1]; slices.ContainsFunc(p.out.Notes, func(n tree.Note) bool {
			return n.Step == step && n.Code == problem.Code && strings.HasPrefix(n.Text, said)
		}) && strings.Count(said, ":") > 1 { // about the other side of the same condition
			continue
		}
		p.out.Notes = tree.AddNote(p.out.Notes, tree.Note{Step: step, Code: problem.Code, Text: text, Blocks: problem.Severity != flow.SeverityWarning})
	}
	for _, gap := range typecheck.Unchecked(f, p.w.Tools) {
		if s := p.t.Step(names.Steps[gap.Node]); s != nil && !p.out.Open[s.ID] {
			p.askChecked(s, gap, names)
		}
	}
}

// usesOpen reports whether a step works on the result of a step that is asked about.
func (p *planning) usesOpen(step string) bool {
	s := p.t.Step(step)
	return s != nil && (p.out.Open[s.Over.Ref.Step] || slices.ContainsFunc(s.Params, func(prm tree.Param) bool { return p.out.Open[prm.Value.Ref.Step] }))
}

// askChecked asks whether a step means the value that was checked.
func (p *planning) askChecked(s *tree.Step, gap typecheck.Gap, names raise.Names) {
	name := english.PlainName(gap.Param)
	was, now := names.Words(gap.Checked), "no "+name
	if gap.Now != "" {
		now = english.Quote(gap.Now)
		if !gap.Literal {
			now = names.Words(gap.Now)
		}
	}
	q := question(s, "checked", "checked."+gap.Param, "%s takes %s, but %s was checked: which one is meant?", english.Quote(cmp.Or(s.Text, name)), now, was)
	if ref := names.Ref(gap.Checked); ref != (tree.Ref{}) && !strings.Contains(gap.Param, ".") {
		q.button("checked", english.SentenceCase(english.Shorten(was, 70)), func(s *tree.Step) {
			for _, old := range s.Params {
				if old.Name == gap.Param {
					p.leave(old.Value.At)
				}
			}
			s.Params = tree.SetParam(s.Params, gap.Param, tree.Value{Ref: ref})
		})
	}
	q.button(optNow, english.SentenceCase(english.Shorten(now, 70)), nil)
	p.add(q)
}
