// Package prose finds the sentences of a text that a reader without a model may have mistaken: all but the plain ones, whose form leaves nothing
// to guess. It knows no steps: engine/planner shows such sentences beside the steps that they became.
//
// A plain sentence has one command or several, each a verb with what it is done to or a person with what they do, and at most one
// condition, which stands in front. No other word says when, for whom or how often something is done.
package prose

import (
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// Sentence is a sentence that may have been mistaken, with those of its words that say when, for whom or how often something is done.
type Sentence struct {
	Quote tree.Quote
	Text  string // without what is no part of it
	Words []string
}

// Sentences gives the sentences of a text that are not plain. What starts the flow, what a run is given, and what was left out is no part of
// them.
func Sentences(t *tree.Tree, text int) (out []Sentence) {
	src := t.Texts[text].Words
	var apart []tree.Quote
	for _, g := range t.Triggers {
		apart = append(apart, g.At...)
	}
	for _, in := range t.Inputs {
		apart = append(apart, in.At...)
	}
	apart = append(append(apart, t.At...), t.Replaced...)
	made := madeOf(t, text)
	outside := func(tok phrase.Token) bool { // of the sentence
		at := tree.Quote{Text: text, From: tok.From, To: tok.To}
		return tok.Kind != phrase.Sign && (slices.ContainsFunc(apart, at.Overlaps) || text > 0 && !slices.ContainsFunc(made, at.Overlaps))
	}
	var all [][]phrase.Token
	for _, s := range Split(src) {
		if s = phrase.Trim(slices.DeleteFunc(slices.Clone(s), outside)); slices.ContainsFunc(s, content) {
			all = append(all, s)
		}
	}
	for i, s := range all {
		if (!plain(s) || hangs(all, i) || beside(src, s)) && !gone(t, text, s) {
			out = append(out, Sentence{tree.Quote{Text: text, From: s[0].From, To: s[len(s)-1].To}, said(src, s), tellingIn(s)})
		}
	}
	return out
}

// content reports whether a token is more than a sign or a word that joins two.
func content(t phrase.Token) bool { return t.Kind != phrase.Sign && !t.Is("and", "or") }

// beside reports whether a sentence stands beside an arrow in one line of several: the arrow may mean "then", or "in that case".
func beside(src string, s []phrase.Token) bool {
	from, to := strings.LastIndexByte(src[:s[0].From], '\n')+1, len(src)
	if end := strings.IndexByte(src[s[0].From:], '\n'); end >= 0 {
		to = s[0].From + end
	}
	line := src[from:to]
	return len(line) < len(strings.TrimSpace(src)) && (strings.Contains(line, "->") || strings.Contains(line, "→"))
}

// hangs reports whether what a sentence means hangs on those around it.
func hangs(all [][]phrase.Token, i int) bool {
	s := all[i]
	if i > 0 && reminds(s) { // is it for the last who were asked, although others came behind them?
		before := lastClause(all[i-1])
		return before[0].Low != "ask" && before[0].Kind != phrase.Name
	}
	if n := phrase.Starting(s, conditions); n > 0 && answers(s[:n+conditionEnd(s[n:])]) && severalAsked(all[:i]) { // whose answer?
		return true
	}
	if open := asksWhether(s) || doesOnAnswer(s); open && i+1 < len(all) && phrase.Starting(all[i+1], conditions) == 0 { // does the run go on after a no?
		return true
	}
	if i > 0 && phrase.Begins(s, "when") && !answers(s[:1+conditionEnd(s[1:])]) && !hasNumber(s[:1+conditionEnd(s[1:])]) { // "when it is back": does it wait?
		return true
	}
	if last := s[len(s)-1]; i+1 < len(all) && len(s) > 1 && phrase.Small(last) > 0 { // "3. refund the order 5. tell #ops": an order, or a line of the list?
		return true
	}
	return i > 0 && phrase.Has(all[i-1], "within") && phrase.Starting(s, conditions) > 0 || i > 1 && tellsIt(s)
}

func hasNumber(s []phrase.Token) bool {
	return slices.ContainsFunc(s, func(t phrase.Token) bool { return t.Kind == phrase.Number })
}

// severalAsked reports whether people are asked in several sentences, and the last of them depends on a condition, or nothing is said yet of two answers.
func severalAsked(all [][]phrase.Token) bool {
	asked, since, open := 0, 0, false
	for _, s := range all {
		n := phrase.Starting(s, conditions)
		if n > 0 && answers(s[:n+conditionEnd(s[n:])]) {
			since = 0
			continue
		}
		if slices.ContainsFunc(s, func(t phrase.Token) bool { return t.Low == "ask" || t.Kind == phrase.Name && t.Low[0] == '@' }) {
			asked, since, open = asked+1, since+1, n > 0
		}
	}
	return asked > 1 && (open || since > 1)
}

// said gives the words of a sentence as they stand in their text.
func said(src string, s []phrase.Token) string {
	var out strings.Builder
	for i, t := range s {
		if i > 0 {
			if between := src[s[i-1].To:t.From]; strings.TrimSpace(between) == "" {
				out.WriteString(between)
			} else {
				out.WriteString(" ")
			}
		}
		out.WriteString(src[t.From:t.To])
	}
	return out.String()
}

// doesOnAnswer reports whether a sentence says what is done on an answer: "if not, @ana restarts it".
func doesOnAnswer(s []phrase.Token) bool {
	n := phrase.Starting(s, conditions)
	if n == 0 {
		return false
	}
	n += conditionEnd(s[n:])
	rest := behindLeads(s[n:])
	return answers(s[:n]) && len(rest) > 0 && (!phrase.Messages[rest[0].Low] || rest[0].Low == "ask") && rest[0].Low != "stop"
}

// asksWhether reports whether a sentence asks people something that has a yes and a no.
func asksWhether(s []phrase.Token) bool {
	return phrase.Has(s, "ask", "asks") && phrase.Has(s[1:], "if", "whether")
}

// gone reports whether a person has left out each word of a sentence.
func gone(t *tree.Tree, text int, s []phrase.Token) bool {
	return !slices.ContainsFunc(s, func(tok phrase.Token) bool {
		at := tree.Quote{Text: text, From: tok.From, To: tok.To}
		return tok.Kind != phrase.Sign && !slices.ContainsFunc(t.Left, func(l tree.LeftOut) bool { return l.Quote.Overlaps(at) })
	})
}

// madeOf gives the quotes of the steps that a text has made, also of those that have no text of their own, as a decision. The other words of a
// reply say what happens to the steps before it, and a change does what they say or asks.
func madeOf(t *tree.Tree, text int) (out []tree.Quote) {
	for s := range t.Walk {
		own := s.Own()
		if all := tree.Quotes(&own); !slices.ContainsFunc(all, func(q tree.Quote) bool { return q.Text != text }) {
			out = append(out, all...)
		}
	}
	return out
}

// Split gives the sentences of a text. A line of a list ends one.
func Split(words string) [][]phrase.Token {
	return sentences(phrase.Arrange(phrase.Scan(words, 0, len(words))))
}

// sentences gives the sentences of items, and of those below them.
func sentences(items []phrase.Item) (out [][]phrase.Token) {
	for _, it := range items {
		out = append(append(out, phrase.Sentences(it.Toks)...), sentences(it.Kids)...)
	}
	return out
}

// tellingIn gives the words of a sentence that say when, for whom or how often something is done.
func tellingIn(s []phrase.Token) (out []string) {
	for _, t := range s {
		if word := "“" + t.Low + "”"; t.Kind == phrase.Word && tells(t) && t.Low != "it" && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// Joining gives the words of a text, without quoted ones, that join what would be several steps, or say when something is done: "once", "unless".
func Joining(text string) (out []string) {
	for i, t := range phrase.Scan(text, 0, len(text)) {
		if word := "“" + t.Low + "”"; i > 0 && t.Kind == phrase.Word && (separating[t.Low] || general(t.Low)) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// tellsIt reports whether a sentence tells what others before it are about: "post it to #sales".
func tellsIt(s []phrase.Token) bool {
	s = behindLeads(s)
	return len(s) > 1 && phrase.Messages[s[0].Low] && s[0].Low != "ask" && s[1].Is("it", "them")
}
