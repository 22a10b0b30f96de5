package planner

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
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
	steps := map[string]string{}
	for step, nodes := range p.out.Nodes {
		for _, n := range nodes {
			steps[n] = step
		}
	}
	for _, problem := range typecheck.Check(f, typecheck.World{Tools: p.w.Tools, Kind: p.w.Kind}) {
		step := steps[problem.Node]
		if p.out.Open[step] || p.usesOpen(step) || problem.Code == "unchecked-value" { // that is asked below
			continue
		}
		text := p.plainly(problem, steps)
		if said := text[:strings.LastIndexByte(text, ':')+1]; slices.ContainsFunc(p.out.Notes, func(n tree.Note) bool {
			return n.Step == step && n.Code == problem.Code && strings.HasPrefix(n.Text, said)
		}) && strings.Count(said, ":") > 1 { // about the other side of the same condition
			continue
		}
		p.out.Notes = tree.AddNote(p.out.Notes, tree.Note{Step: step, Code: problem.Code, Text: text, Blocks: problem.Severity != flow.SeverityWarning})
	}
	for _, gap := range typecheck.Unchecked(f, p.w.Tools) {
		if s := p.t.Step(steps[gap.Node]); s != nil && !p.out.Open[s.ID] {
			p.askChecked(s, gap, steps)
		}
	}
}

// plainly writes a problem for people: with the number of the step instead of the id of the node, and with the names of values.
func (p *planning) plainly(problem flow.Problem, steps map[string]string) string {
	text := strings.TrimSuffix(problem.Message, fmt.Sprintf(" on flow node '%s'", problem.Node))
	if number := p.out.Numbers[steps[problem.Node]]; number != "" {
		text = "Step " + number + ": " + text
	}
	text = quotedPath.ReplaceAllStringFunc(text, func(s string) string {
		path := strings.Trim(s, "'")
		if ref := p.refOf(path, steps); ref == (tree.Ref{}) {
			return s
		}
		return p.readable(path, steps)
	})
	text = english.SentenceCase(text) + "."
	if problem.Hint != "" {
		text += " " + english.SentenceCase(strings.TrimSuffix(problem.Hint, ".")) + "."
	}
	return text
}

// quotedPath is a value as problems write it.
var quotedPath = regexp.MustCompile(`'[a-z_][a-z0-9_]*(\.[a-z0-9_]+)+'`)

// usesOpen reports whether a step works on the result of a step that is asked about.
func (p *planning) usesOpen(step string) bool {
	s := p.t.Step(step)
	return s != nil && (p.out.Open[s.Over.Ref.Step] || slices.ContainsFunc(s.Params, func(prm tree.Param) bool { return p.out.Open[prm.Value.Ref.Step] }))
}

// askChecked asks whether a step means the value that was checked.
func (p *planning) askChecked(s *tree.Step, gap typecheck.Gap, steps map[string]string) {
	q := Question{ID: s.ID + ".checked." + gap.Param, Step: s.ID, Kind: "checked", Quote: s.Text, Default: optChecked}
	if slices.Contains(p.t.Settled, q.ID) {
		return
	}
	name := english.PlainName(gap.Param)
	was, now := p.readable(gap.Checked, steps), "no "+name
	if gap.Now != "" {
		now = english.Quote(gap.Now)
		if !gap.Literal {
			now = p.readable(gap.Now, steps)
		}
	}
	q.Text = fmt.Sprintf("%s takes %s, but %s was checked: which one is meant?", english.Quote(cmp.Or(s.Text, name)), now, was)
	if ref := p.refOf(gap.Checked, steps); ref != (tree.Ref{}) && !strings.Contains(gap.Param, ".") {
		q.Options = append(q.Options, Option{ID: optChecked, Label: english.SentenceCase(english.Shorten(was, 70))})
		p.gaps[q.ID] = refText(ref)
	}
	q.Options = append(q.Options, Option{ID: optNow, Label: english.SentenceCase(english.Shorten(now, 70))})
	q.Default = q.Options[0].ID
	p.hidden = 0
	p.add(q, placeOf(s))
}

// refOf reads the reference of an expression, such as look_up.result.amount.
func (p *planning) refOf(path string, steps map[string]string) tree.Ref {
	root, rest, _ := strings.Cut(path, ".")
	if root == "inputs" {
		name, field, _ := strings.Cut(rest, ".")
		return tree.Ref{Input: name, Field: field}
	}
	step := steps[root]
	if step == "" {
		return tree.Ref{}
	}
	for _, lead := range []string{"result", "output"} {
		if rest == lead {
			rest = ""
		}
		rest = strings.TrimPrefix(rest, lead+".")
	}
	return tree.Ref{Step: step, Field: rest}
}

// readable gives the words for the value that an expression reads.
func (p *planning) readable(path string, steps map[string]string) string {
	ref := p.refOf(path, steps)
	switch {
	case ref.Input != "":
		return "the input " + english.PlainName(strings.TrimSuffix(ref.Input+"."+ref.Field, "."))
	case ref.Step != "" && ref.Field != "":
		return fmt.Sprintf("the %s of step %s", english.PlainName(ref.Field), p.out.Numbers[ref.Step])
	case ref.Step != "":
		return "the result of step " + p.out.Numbers[ref.Step]
	}
	return english.Quote(path)
}
