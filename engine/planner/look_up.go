package planner

import (
	"fmt"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

const maxLookUps = 3 // that one question offers

// lookUps offers the tools that only read and whose result has the value that mean finds: “if the revenue is below 10000”. use gives the value
// to the step that the question is about.
func (p *inquiry) lookUps(q *asking, mean func(k match.Scope) (match.Candidate, bool), use func(s *tree.Step, r tree.Ref)) {
	offered := 0
	for i := range p.cat.Entries {
		e := &p.cat.Entries[i]
		if offered == maxLookUps || e.Tool.Effects != flow.EffectsRead || !e.Fits(nil) {
			continue
		}
		value, ok := mean(match.Scope{toolSource(&tree.Step{ID: "look_up"}, e)})
		if !ok || value.Ref.Field == "" {
			continue
		}
		offered++
		label := fmt.Sprintf("Look up %s: %s", english.Quote(english.PlainName(value.Name())), e.Does())
		q.button("look_up."+e.Tool.Name, label, func(s *tree.Step) {
			by := call(p.t, e)
			use(s, tree.Ref{Step: by.ID, Field: value.Ref.Field})
			p.t.InsertFor(s, by)
		})
	}
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

// call makes a step that calls a tool and that no words of the author say.
func call(t *tree.Tree, e *match.Entry) tree.Step {
	return tree.Step{ID: t.NewID(), Kind: tree.Do, Doer: tree.DoerTool, Tool: e.Tool.Name, Text: e.Does()}
}
