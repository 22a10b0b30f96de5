package outline

import (
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// Choice gives the choice of a question that an answer means: "rejected", "nobody answers"; "" = it has none.
func Choice(s *tree.Step, answer string) string {
	low := strings.ToLower(strings.TrimSpace(answer))
	if strings.HasPrefix(low, "no one ") || strings.HasPrefix(low, "nobody ") {
		return "timeout"
	}
	return reply.For(s, low)
}

// Unread gives the first sentence of a text that is no step, and the words of it that may be misspelled: word by word what is near.
func Unread(text string) (sentence string, near []string) {
	r := newReader(&tree.Tree{Texts: []tree.Text{{Words: text}}}, values.Source{Src: text})
	r.opening.Whole(nil)
	for _, it := range phrase.Arrange(phrase.Scan(text, 0, len(text))) {
		toks := it.Toks
		if len(r.t.Triggers) == 0 {
			toks = r.opening.Head(toks)
		}
		parts := phrase.Sentences(toks)
		if len(parts) == 0 {
			continue
		}
		part := phrase.Trim(parts[0])
		for i, t := range part {
			begins := i == 0 || part[i-1].Kind != phrase.Word
			if verb := phrase.Near(t); verb != "" && begins && i+1 < len(part) && !phrase.Auxiliaries[part[i+1].Low] {
				near = append(near, t.Text, verb)
			}
		}
		return r.Words(part), near
	}
	return strings.TrimSpace(text), nil
}

// Inputs reads the words of a quote as values that a run is given, and adds them. false = they are something else.
func Inputs(t *tree.Tree, q tree.Quote) bool {
	r, toks := within(t, q)
	return !phrase.HasAny(toks, phrase.Requests) && r.opening.Inputs(toks)
}
