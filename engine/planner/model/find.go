package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// finder finds what an answer quotes.
type finder struct {
	t        *tree.Tree
	now      int          // the text that is read
	at       tree.Quote   // what was quoted last
	used     []tree.Quote // texts of steps, and what names an input or a trigger
	also     []tree.Quote // the others
	problems []string     // what is wrong with the answer
}

func (f *finder) problem(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// occurrences lists where words stand in a text as whole words, those nearest to the place before first.
func (f *finder) occurrences(text int, words string) (out []tree.Quote) {
	for at := 0; ; {
		q, ok := f.t.Find(text, at, words)
		if !ok {
			break
		}
		if at = q.From + 1; english.Whole(f.t.Texts[text].Words, q.From, q.To) {
			out = append(out, q)
		}
	}
	exact := func(q tree.Quote) int { return strings.Index(f.t.Words(q), words) } // "Lunch" is not the lunch of lunch@example.com
	slices.SortStableFunc(out, func(a, b tree.Quote) int { return cmp.Or(f.distance(a)-f.distance(b), exact(b)-exact(a)) })
	return out
}

// distance is how far a quote is from the place where the reading stands. What stands before it is farther away.
func (f *finder) distance(q tree.Quote) int {
	at := f.at
	switch {
	case q.Text != at.Text:
		return q.From
	case q.From >= at.To:
		return q.From - at.To
	case q.To <= at.From:
		return 2 * (at.From - q.To)
	}
	return 0
}

// find quotes words: in the new text if they stand there, and where no element has them yet if possible. among says which elements count.
func (f *finder) find(words string, among ...[]tree.Quote) (tree.Quote, bool) {
	words = strings.TrimSpace(words)
	for text := f.now; text >= 0 && words != ""; text-- {
		all := f.occurrences(text, words)
		for _, q := range all {
			if !slices.ContainsFunc(among, func(used []tree.Quote) bool { return len(q.Without(used...)) == 0 }) {
				return q, true
			}
		}
		if len(all) > 0 {
			return all[0], true
		}
	}
	return tree.Quote{}, false
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// quote finds words and takes them; what does not stand in the description is a problem.
func (f *finder) quote(words, what string) (tree.Quote, bool) {
	q, ok := f.found(words, what, f.used)
	if ok {
		f.used = append(f.used, q)
		f.at = q
	}
	return q, ok
}

// quotes finds words that may be around those of other elements.
func (f *finder) quotes(all []string, what string) (out []tree.Quote) {
	for _, words := range all {
		if q, ok := f.found(words, what, f.used, f.also); ok {
			f.also = append(f.also, q)
			out = append(out, q)
		}
	}
	return out
}

// found finds words of a field that may be empty, need those of one that must not be.
func (f *finder) found(words, what string, among ...[]tree.Quote) (tree.Quote, bool) {
	if strings.TrimSpace(words) == "" {
		return tree.Quote{}, false
	}
	return f.need(words, what, among...)
}

func (f *finder) need(words, what string, among ...[]tree.Quote) (tree.Quote, bool) {
	q, ok := f.find(words, among...)
	if !ok {
		f.problem("The %s %q does not stand in the description: copy its words letter by letter, in one piece.", what, english.Shorten(words, 100))
	}
	return q, ok
}

// texts takes over texts that stand in the description. Some models fill in every field.
func (f *finder) texts(all []string, what string) (out []string) {
	for _, words := range all {
		if q, ok := f.found(words, what); ok {
			out = append(out, f.t.Words(q))
		}
	}
	return out
}

// wordsOf is all that a step quotes.
func (f *finder) wordsOf(s *tree.Step) string {
	out := []string{s.Text}
	for _, q := range s.At {
		out = append(out, f.t.Words(q))
	}
	return strings.Join(out, " ")
}

// wordsOf cuts a text into words in small letters.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !letter(r) })
}

// trimmed cuts out of quotes what is the text of a step, or names an input or a trigger, and what the other elements quote.
func (f *finder) trimmed(all []tree.Quote, others ...any) (out []tree.Quote) {
	taken := slices.Clone(f.used)
	for _, other := range others {
		taken = append(taken, tree.Quotes(other)...)
	}
	for _, q := range all {
		out = append(out, q.Without(taken...)...)
	}
	return slices.DeleteFunc(out, func(q tree.Quote) bool { return !strings.ContainsFunc(f.t.Words(q), letter) })
}

// quotesAreOfOneElement does this for all elements whose quotes may be around those of others. Steps that were kept are as they were.
func (f *fill) quotesAreOfOneElement() {
	for s := range f.t.Walk {
		if f.kept[s.ID] {
			continue
		}
		var below []any
		for _, list := range s.Lists() {
			below = append(below, list)
		}
		s.At = f.trimmed(s.At, below...)
		for i := range s.Branches {
			s.Branches[i].At = f.trimmed(s.Branches[i].At, &s.Branches[i].Steps)
		}
	}
	f.t.At = f.trimmed(f.t.At, &f.t.Steps, &f.t.Inputs, &f.t.Triggers, f.t.Deadline)
}
