package match

import (
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// Questions counts the questions whose answers are known.
func (k Scope) Questions() int {
	n := 0
	for _, s := range k {
		if len(s.Choices) > 0 {
			n++
		}
	}
	return n
}

// Question finds the question with choices whose answer a value is; nil = it is no such answer.
func (k Scope) Question(ref tree.Ref) *Thing {
	return k.Last(func(s Thing) bool { return s.Ref == ref && len(s.Choices) > 0 })
}

// Never reports whether a text is no answer that the question has whose answer a value is.
func (k Scope) Never(ref tree.Ref, answer string) bool {
	asked := k.Question(ref)
	if asked == nil {
		return false
	}
	choice, _ := asked.Choice(english.Scan(answer))
	return choice == "" && !slices.ContainsFunc(asked.Choices, func(c string) bool { return strings.EqualFold(c, answer) })
}

// Choice finds the choice that words name. All words must be explained.
func (s *Thing) Choice(words []english.Word) (choice string, not bool) {
	for _, w := range words {
		switch {
		case w.Kind == english.SignWord || w.Kind == english.NameWord:
		case w.Low == "not" || strings.HasSuffix(w.Low, "n't"):
			not = !not
		default:
			if c := s.choiceOf(w); c != "" && (choice == "" || choice == c) {
				choice = c
			} else if w.Content() && !subjects[w.Stem] && !slices.Contains(s.About, w.Stem) && !slices.Contains(s.Voters, w.Stem) {
				return "", false
			}
		}
	}
	return choice, not
}

// choiceOf is the choice that one word names: by itself, or as a word of the same meaning where that leaves one choice only.
func (s *Thing) choiceOf(w english.Word) string {
	for _, c := range s.Choices {
		if strings.EqualFold(c, w.Text) || english.Stem(strings.ToLower(c)) == w.Stem {
			return c
		}
	}
	if w.Stem == failing { // what somebody does fails, and not what they are asked
		return ""
	}
	for _, set := range []map[string]bool{positive, Negative} {
		var same []string
		for _, c := range s.Choices {
			if set[w.Stem] && set[english.Stem(strings.ToLower(c))] {
				same = append(same, c)
			}
		}
		if len(same) == 1 {
			return same[0]
		}
	}
	return ""
}

// subjects may stand around the choice in a condition about an answer.
var subjects = english.StemSet(`answer request decision choice say said reply get choose chose result manager they`)

var (
	positive = english.StemSet("approve accept confirm agree yes ok okay allow permit grant done sign")
	// Negative are words of a refusal.
	Negative = english.StemSet("reject decline deny refuse no disapprove cannot fail")
	failing  = english.Stem("fail")
)

// Asked is the nearest question that people answered by a choice.
func (k Scope) Asked() *Thing { return k.Last(func(s Thing) bool { return len(s.Choices) > 0 }) }

// Chosen lists the choices of a question with a form or a text that steps follow, in branches or conditions: somebody approves it with a note.
func Chosen(t *tree.Tree, s *tree.Step) []string {
	var usual, others []string
	add := func(choice string) {
		switch {
		case slices.Contains(flow.DefaultChoices(), choice):
			usual = append(usual, choice)
		case choice != flow.ChoiceTimeout && !slices.Contains(others, choice):
			others = append(others, choice)
		}
	}
	for _, b := range s.Branches {
		add(b.Choice)
	}
	for o := range t.Walk {
		for _, c := range o.Conds() {
			if text, ok := c.Right.Literal.(string); ok && c.Left.Ref == (tree.Ref{Step: s.ID}) && (!s.Free || slices.Contains(flow.DefaultChoices(), text)) {
				add(text)
			}
		}
	}
	if len(others) == 0 && len(usual) > 0 || len(others) == 1 && len(usual) == 0 {
		usual = flow.DefaultChoices()
	}
	return append(slices.Compact(slices.Sorted(slices.Values(usual))), others...)
}

// Refused reports whether a condition asks for a no to a question, beside a decision right behind it: the run ends before it comes there.
func Refused(t *tree.Tree, ask, next *tree.Step) bool {
	for s := range t.Walk {
		for _, c := range s.Conds() {
			if no, _ := c.Right.Literal.(string); c.Left.Ref == (tree.Ref{Step: ask.ID}) && c.Op == "==" && idiom.Refuses(no) && (s.ID != next.ID || s.Kind != tree.Decide) {
				return true
			}
		}
	}
	return false
}

// OnYes reports whether something is done after a yes only, and more steps follow: the words do not say whether these are done after a no, too.
func OnYes(ask *tree.Step, behind []tree.Step) bool {
	if own := ask.Branches; len(own) == 1 && own[0].Choice == "yes" && len(own[0].Steps) > 0 && len(ask.Choices) == 2 {
		return true
	}
	d := &behind[0]
	return d.Kind == tree.Decide && len(d.Branches) == 1 && len(behind) > 1 && d.Branches[0].When.Left.Ref.Step == ask.ID && d.Branches[0].When.Right.Literal == "yes"
}
