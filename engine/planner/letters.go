package planner

import (
	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// noteLetters notes that a text which people write freely is compared letter by letter: who writes "acme" does not mean "Acme" there.
func noteLetters(p *planning, s *tree.Step) {
	for _, c := range s.Conds() {
		in, text := p.t.Input(c.Left.Ref.Input), ""
		if text, _ = c.Right.Literal.(string); text == "" || in == nil || c.Op != "==" && c.Op != "!=" || len(in.Enum) > 0 {
			continue
		}
		p.note(s.ID, "letters", "%s counts only when it is written in just these letters: %s is a free text.", english.Quoted(text), english.PlainName(in.Name))
	}
}
