// Package prose finds the sentences of a text that a reader without a model may mistake, because their meaning hangs on other sentences. It knows
// no steps: engine/planner shows such sentences beside the steps that they became.
package prose

import (
	"slices"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// A reader without a model reads sentence by sentence. What a sentence in a longer text means depends on those around it: which of them a
// condition is for, whom "she" means, when "the day after" is. Above these numbers of words a person compares the text with the draft.
const (
	mostOfText = 20
	mostOfItem = 12 // of a list, whose items stand for themselves
)

// Sentence is a sentence whose meaning hangs on others, with the words that say so.
type Sentence struct {
	Quote tree.Quote
	Words []string
}

// Sentences gives the sentences with rules in the parts of a text that are too long to be read for certain. What starts the flow, and what
// a run is given, is no part.
func Sentences(t *tree.Tree, text int) (out []Sentence) {
	src := t.Texts[text].Words
	var apart []tree.Quote
	for _, g := range t.Triggers {
		apart = append(apart, g.At...)
	}
	for _, in := range t.Inputs {
		apart = append(apart, in.At...)
	}
	toks := slices.DeleteFunc(phrase.Scan(src, 0, len(src)), func(tok phrase.Token) bool {
		return slices.ContainsFunc(apart, tree.Quote{Text: text, From: tok.From, To: tok.To}.Overlaps)
	})
	items := phrase.Arrange(toks)
	listed := 0
	for _, it := range items {
		if len(it.Mark) > 0 && it.Mark[0].Low != "->" {
			listed++
		}
	}
	add := func(toks []phrase.Token, counts func(toks []phrase.Token, i int) bool) {
		if words := wordsOf(toks, counts); len(words) > 0 {
			out = append(out, Sentence{tree.Quote{Text: text, From: toks[0].From, To: toks[len(toks)-1].To}, words})
		}
	}
	var prose []phrase.Token
	for _, part := range partsOf(items, listed > 1) {
		if !part.listed {
			prose = append(prose, part.toks...)
			continue
		}
		for _, s := range phrase.Sentences(part.toks) {
			add(s, countsIn(part.toks, mostOfItem))
		}
	}
	counts := countsIn(prose, mostOfText)
	for n, s := range phrase.Sentences(prose) {
		add(s, func(toks []phrase.Token, i int) bool { return counts(toks, i) || n > 0 && labels(toks, i) })
	}
	return out
}

// countsIn tells which words of a part count: more of them when the part is too long to be read for certain.
func countsIn(part []phrase.Token, most int) func(toks []phrase.Token, i int) bool {
	if size(part) <= most {
		return turns
	}
	return func(toks []phrase.Token, i int) bool { return telling[toks[i].Low] }
}

// part is a line of a text, which may be an item of a list.
type part struct {
	toks   []phrase.Token
	listed bool
}

// partsOf gives the lines of items, and of those below them, which are always a list.
func partsOf(items []phrase.Item, listed bool) (out []part) {
	for _, it := range items {
		out = append(append(out, part{it.Toks, listed}), partsOf(it.Kids, true)...)
	}
	return out
}

// size is how many words there are, without names and what stands in quotation marks.
func size(toks []phrase.Token) (n int) {
	for _, t := range toks {
		if t.Kind == phrase.Word || t.Kind == phrase.Number {
			n++
		}
	}
	return n
}

// wordsOf gives the words of a sentence that count.
func wordsOf(toks []phrase.Token, counts func(toks []phrase.Token, i int) bool) (out []string) {
	for i, t := range toks {
		if word := "“" + t.Low + "”"; t.Kind == phrase.Word && counts(toks, i) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// turns reports whether a word is one that few descriptions have and that turns round, or moves, what others say. A sentence with one is
// compared however short it is.
func turns(toks []phrase.Token, i int) bool {
	rest := toks[i+1:]
	switch toks[i].Low {
	case "first": // "needs the approval of @bob first", and not "first get the order, then ..."
		return len(rest) == 0 || rest[0].Kind == phrase.Sign
	case "back": // "back to @bob", and not "back to 2"
		return len(rest) < 2 || rest[1].Kind != phrase.Number
	case "still": // ", still failing -> ...", and not "if it still fails"
		return i == 0 || toks[i-1].Kind == phrase.Sign
	case "not": // ", not if it is done"
		return i > 0 && toks[i-1].Kind == phrase.Sign && phrase.Starting(rest, phrase.Ifs) > 0
	case "all": // "all of #backend"
		return len(rest) > 1 && rest[0].Low == "of" && rest[1].Kind == phrase.Name
	case "unless": // "delete it and tell @ana, unless she knows"
		and := slices.IndexFunc(toks[:i], func(t phrase.Token) bool { return t.Low == "and" })
		return and > 0 && phrase.StartsStep(toks[and+1:i])
	case "after": // "more than 14 days late, ... after 30 days ..."
		return phrase.TermLength(rest) > 0 && slices.ContainsFunc(toks[:i], func(t phrase.Token) bool { return t.Low == "than" })
	case "but":
		return len(rest) > 1 && !(rest[0].Low == "only" && phrase.IfNamed(rest[1:])) && (rest[0].Low == "not" && rest[1].Kind == phrase.Name || phrase.Starting(rest, phrase.Ifs) > 0 || phrase.Starting(rest[1:], phrase.Ifs) > 0)
	}
	return rare[toks[i].Low] && !(toks[i].Low == "only" && phrase.IfNamed(rest)) // "only if @bob approves" is read as an approval
}

// labels reports whether a word ends a label in front of a later sentence, which may be an answer: "@bob checks it. Looks good: refund it".
func labels(toks []phrase.Token, i int) bool {
	const longest = 3 // words of a label
	return i < longest && i+1 < len(toks) && toks[i+1].Low == ":"
}

var rare = phrase.Set(`vote votes poll anyway regardless separately respectively while meanwhile except besides though although however next following already rather another other others rest without never any each only till`)

// telling are words that say when or for whom something is done, or that mean somebody who is named elsewhere.
var telling = phrase.Set(`if unless otherwise don't doesn't didn't isn't hasn't haven't won't can't wasn't else when once over under above below more less while
	until till before after meanwhile first again back instead only except already still same next following besides but though although
	however any whatever whichever whenever either neither both each anyone anything anybody everyone everybody who which whose whom or not no
	never nobody none noone nothing without rather also too other others rest late later earlier by within max maximum most least than he she
	they it him her them his their one those these per between`)
