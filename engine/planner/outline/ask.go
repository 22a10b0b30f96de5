package outline

import (
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// Mentions reports whether a text has all words that matter of some others, whatever their endings.
func Mentions(text, words string) bool {
	return phrase.Mentions(text, phrase.Scan(words, 0, len(words)))
}

// People gives the words of a text that are names of people without an @. person reports whether somebody is called so: "@ana".
func People(text string, person func(name string) bool) (out []string) {
	const most = 200 // words that are looked up
	seen := map[string]bool{}
	for _, t := range phrase.Scan(text, 0, len(text)) {
		if phrase.MayName(t) && !seen[t.Low] && len(seen) < most {
			if seen[t.Low] = true; person("@" + t.Low) {
				out = append(out, t.Low)
			}
		}
	}
	return out
}

// Term reads words as a duration of the flow format: "2 working days".
func Term(words string) (string, bool) {
	toks := phrase.Scan(words, 0, len(words))
	term, n := phrase.ReadTerm(toks)
	return term, n > 0 && n == len(toks)
}

// HoldsTerm reports whether words name a duration somewhere.
func HoldsTerm(words string) bool {
	toks := phrase.Scan(words, 0, len(words))
	for i := range toks {
		if _, n := phrase.ReadTerm(toks[i:]); n > 0 {
			return true
		}
	}
	return false
}

// Amount reads words as an amount, with or without a currency.
func Amount(words string) (float64, bool) {
	r := source{Source: values.Source{Src: words}}
	f, ok := r.Number(phrase.Trim(phrase.Scan(words, 0, len(words)))).Literal.(float64)
	return f, ok
}

// Clock reads words as a time of day.
func Clock(words string) (hour, minute int, ok bool) {
	toks := phrase.Trim(phrase.Scan(words, 0, len(words)))
	hour, minute, n := phrase.ReadClock(toks)
	return hour, minute, n > 0 && n == len(toks)
}

// Choice gives the choice of a question that an answer means: "rejected", "nobody answers"; "" = it has none.
func Choice(s *tree.Step, answer string) string {
	low := strings.ToLower(strings.TrimSpace(answer))
	if strings.HasPrefix(low, "no one ") || strings.HasPrefix(low, "nobody ") {
		return "timeout"
	}
	if s.Kind == tree.Ask && slices.Contains([]string{"yes", "ok", "no"}, low) && len(s.Choices) == 0 {
		low = map[string]string{"yes": "approved", "ok": "approved", "no": "rejected"}[low]
	}
	return choiceFor(s, low)
}

// Unread gives the first sentence of a text that is no step, and the words of it that may be misspelled: word by word what is near.
func Unread(text string) (sentence string, near []string) {
	r := newReader(&tree.Tree{Texts: []tree.Text{{Words: text}}}, source{Source: values.Source{Src: text}})
	r.whole = true
	for _, it := range phrase.Arrange(phrase.Scan(text, 0, len(text))) {
		toks := it.Toks
		if len(r.t.Triggers) == 0 {
			toks = r.head(toks, false)
		}
		for _, part := range phrase.Sentences(toks) {
			if part = phrase.Trim(part); len(part) == 0 {
				continue
			}
			for _, t := range part {
				if verb := phrase.Near(t); verb != "" && len(part) > 1 {
					near = append(near, t.Text, verb)
				}
			}
			return r.Words(part), near
		}
	}
	return strings.TrimSpace(text), nil
}

// Inputs reads the words of a quote as values that a run is given, and adds them. false = they are something else.
func Inputs(t *tree.Tree, q tree.Quote) bool {
	r, toks := within(t, q)
	return !slices.ContainsFunc(toks, func(t phrase.Token) bool { return requests[t.Low] }) && r.inputs(toks)
}
