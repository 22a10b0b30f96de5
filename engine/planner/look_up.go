package planner

import (
	"fmt"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

// lookUp is a tool that reads what the words of an author only name: “if the revenue is below 10000”.
type lookUp struct {
	entry *match.Entry
	value match.Candidate
}

const maxLookUps = 3 // that one question offers

// lookUps lists the tools that only read and whose result has the value that mean finds.
func (p *inquiry) lookUps(mean func(k match.Scope) (match.Candidate, bool)) (out []lookUp) {
	for i := range p.cat.Entries {
		e := &p.cat.Entries[i]
		if e.Tool.Effects != flow.EffectsRead || !e.Fits(nil) || len(out) == maxLookUps {
			continue
		}
		if c, ok := mean(match.Scope{toolSource(&tree.Step{ID: "look_up"}, e)}); ok && c.Ref.Field != "" {
			out = append(out, lookUp{e, c})
		}
	}
	return out
}

// named finds the one value of some types that words name, saying nothing else about it: not “the first 3 orders”.
func named(text string, of func(typ string) bool) func(k match.Scope) (match.Candidate, bool) {
	words := english.Scan(text)
	more := slices.ContainsFunc(words, func(w english.Word) bool { return w.Literal() || w.Matters() })
	return func(k match.Scope) (c match.Candidate, ok bool) {
		if all := k.Named(words, of); len(all) == 1 && !more {
			return all[0], true
		}
		return c, false
	}
}

// offer adds an option for each of several look-ups. use gives the value to the step that the question is about.
func (p *inquiry) offer(q *asking, all []lookUp, use func(s *tree.Step, r tree.Ref)) {
	for _, l := range all {
		label := fmt.Sprintf("Look up %s: %s", english.Quote(english.PlainName(l.value.Name())), l.entry.Does())
		q.option(Option{ID: "look_up." + l.entry.Tool.Name, Label: english.Shorten(label, 75)}, func(s *tree.Step, _ string) {
			by := call(p.t, l.entry)
			use(s, tree.Ref{Step: by.ID, Field: l.value.Ref.Field})
			insert(p.t, s, by)
		})
	}
}

// call makes a step that calls a tool and that no words of the author say.
func call(t *tree.Tree, e *match.Entry) tree.Step {
	return tree.Step{ID: t.NewID(), Kind: tree.Do, Doer: tree.DoerTool, Tool: e.Tool.Name, Text: e.Does()}
}

// insert puts a step in front of another one whose condition or text uses what it gives: of a loop, at the end of each round.
func insert(t *tree.Tree, s *tree.Step, by tree.Step) {
	list, at := t.Place(s.ID)
	if s.Kind == tree.Repeat && len(s.Branches) > 0 {
		list = &s.Branches[0].Steps
		at = len(*list)
	}
	*list = slices.Insert(*list, at, by)
}
