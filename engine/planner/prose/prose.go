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

// A plain sentence with a condition has so many words, without names and quoted texts, and one that says how many must agree fewer.
const (
	mostOfPlain = 14
	mostOfVote  = 6
)

// Sentence is a sentence that may have been mistaken, with those of its words that say when, for whom or how often something is done.
type Sentence struct {
	Quote tree.Quote
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
	apart = append(apart, t.At...)
	made := madeOf(t, text)
	toks := slices.DeleteFunc(phrase.Scan(src, 0, len(src)), func(tok phrase.Token) bool {
		at := tree.Quote{Text: text, From: tok.From, To: tok.To}
		return tok.Kind != phrase.Sign && (slices.ContainsFunc(apart, at.Overlaps) || text > 0 && !slices.ContainsFunc(made, at.Overlaps))
	})
	all := sentences(phrase.Arrange(toks))
	for i, s := range all {
		answered := i+1 < len(all) && phrase.Starting(all[i+1], conditions) > 0
		last := i+1 == len(all)
		if (!plain(s) || asksWhether(s) && !answered && !last || i > 0 && limited(all[i-1]) && phrase.Starting(s, conditions) > 0) && !gone(t, text, s) {
			out = append(out, Sentence{tree.Quote{Text: text, From: s[0].From, To: s[len(s)-1].To}, tellingIn(s)})
		}
	}
	return out
}

// asksWhether reports whether a sentence asks people something that has a yes and a no. Whether a run goes on after a no is for the next sentence
// to say.
func asksWhether(s []phrase.Token) bool {
	return slices.ContainsFunc(s, func(t phrase.Token) bool { return t.Low == "ask" || t.Low == "asks" }) && slices.ContainsFunc(s[1:], func(t phrase.Token) bool { return t.Low == "if" || t.Low == "whether" })
}

// limited reports whether a sentence has a time limit. "If not" behind it may mean a no, or that it is late.
func limited(s []phrase.Token) bool {
	return slices.ContainsFunc(s, func(t phrase.Token) bool { return t.Low == "within" })
}

// gone reports whether a person has left out each word of a sentence, or a later change took its place.
func gone(t *tree.Tree, text int, s []phrase.Token) bool {
	out := slices.Clone(t.Replaced)
	for _, l := range t.Left {
		out = append(out, l.Quote)
	}
	return !slices.ContainsFunc(s, func(tok phrase.Token) bool {
		at := tree.Quote{Text: text, From: tok.From, To: tok.To}
		return tok.Kind != phrase.Sign && !slices.ContainsFunc(out, at.Overlaps)
	})
}

// madeOf gives the quotes of the steps that a text has made. The other words of a reply say what happens to the steps before it, and a change
// does what they say or asks.
func madeOf(t *tree.Tree, text int) (out []tree.Quote) {
	for s := range t.Walk {
		if own := s.Own(); s.Said.Text == text && !s.Said.Empty() {
			out = append(out, tree.Quotes(&own)...)
		}
	}
	return out
}

// sentences gives the sentences of items, and of those below them.
func sentences(items []phrase.Item) (out [][]phrase.Token) {
	for _, it := range items {
		for _, s := range phrase.Sentences(it.Toks) {
			if s = phrase.Trim(s); len(s) > 0 {
				out = append(out, s)
			}
		}
		out = append(out, sentences(it.Kids)...)
	}
	return out
}

// plain reports whether a sentence has a form that leaves nothing to guess.
func plain(s []phrase.Token) bool {
	words := 0
	for _, t := range s {
		if t.Kind == phrase.Word || t.Kind == phrase.Number {
			words++
		}
	}
	if phrase.Voting(s) { // "both must agree"
		return words < mostOfVote
	}
	var r reading
	for rest := behindLeads(s); len(rest) > 0; rest = behindLeads(s) {
		r.then = slices.ContainsFunc(s[:len(s)-len(rest)], func(t phrase.Token) bool { return t.Low == "then" })
		s = rest
		n, ok := r.otherwise(s), true
		if n == 0 {
			n, ok = r.condition(s, words)
		}
		if n == 0 && ok {
			n, ok = r.clause(s)
		}
		if !ok || n == 0 {
			return false
		}
		s = s[n:]
	}
	return !r.open
}

// reading is what has been read of a sentence.
type reading struct {
	compared bool // it has a condition that is no answer
	amount   bool // that compares with a number
	acting   bool // people do something: nobody knows whether others do something else beside them, behind them or in their place
	asks     bool // people are asked
	whether  bool // that has a yes and a no
	other    bool // it is about what is done otherwise
	open     bool // a condition has no steps yet
	then     bool // the next words come behind "then"
}

// otherwise takes the words that lead to the other side of a condition, and gives how many they are. When people are asked on one side, the
// words do not say what is done behind their answer.
func (r *reading) otherwise(s []phrase.Token) int {
	n := phrase.Starting(s, phrase.Elses)
	r.other = r.other || n > 0
	return n
}

// condition takes a condition, and reports whether it is plain.
func (r *reading) condition(s []phrase.Token, words int) (n int, ok bool) {
	if n = phrase.Starting(s, conditions); n == 0 {
		return 0, true
	}
	n += conditionEnd(s[n:])
	if answers(s[:n]) {
		r.open = true
		return n, true
	}
	ok = !r.compared && !r.asks && words <= mostOfPlain && plainCondition(s[:n])
	r.compared, r.open = true, true
	r.amount = slices.ContainsFunc(s[:n], func(t phrase.Token) bool { return t.Kind == phrase.Number })
	return n, ok
}

// clause takes a command, and reports whether it is plain behind what stands before it.
func (r *reading) clause(s []phrase.Token) (n int, ok bool) {
	n = clauseEnd(s)
	named := s[0].Kind == phrase.Name
	ok = plainClause(s[:n]) && !(r.acting && named)
	if r.whether && n > 0 && !r.open || r.other && (r.asks || !phrase.Messages[s[0].Low] || s[0].Low == "ask") || r.compared && r.asks && !(r.amount && r.then) {
		ok = false
	}
	r.acting, r.asks, r.open = r.acting || named, r.asks || named || s[0].Low == "ask", false
	r.whether = asksWhether(s[:n])
	return n, ok
}

var (
	leads      = phrase.Phrases(`and_then then and next first finally also please just , : ; . -> -`)
	conditions = phrase.Phrases(`if when`)
	blocks     = phrase.Phrases(`in_parallel for_each for_every repeat_until`)
)

// behindLeads leaves out the words that only join steps.
func behindLeads(s []phrase.Token) []phrase.Token {
	for n := phrase.Starting(s, leads); n > 0; n = phrase.Starting(s, leads) {
		s = s[n:]
	}
	return s
}

// conditionEnd is where the steps behind a condition begin.
func conditionEnd(s []phrase.Token) int {
	for i, t := range s {
		if t.Low == "," || t.Low == ":" || t.Low == "->" || t.Low == "then" || i > 0 && begins(s[i:]) && !phrase.Guards[s[i-1].Low] {
			return i
		}
	}
	return len(s)
}

// plainCondition reports whether a condition is one comparison, an answer or a failure.
func plainCondition(s []phrase.Token) bool {
	return !slices.ContainsFunc(s, func(t phrase.Token) bool { return t.Kind == phrase.Word && (joining[t.Low] || persons[t.Low]) })
}

// answers reports whether a condition says no more than what somebody answered: "if it is rejected", "when @bob approves".
func answers(s []phrase.Token) bool {
	const longest = 4 // words of such a condition
	if last := len(s) - 1; s[last].Low == "it" {
		s = s[:last]
	}
	if len(s) == 2 && bare[s[1].Low] {
		return true
	}
	return len(s) <= longest && phrase.Answers[s[len(s)-1].Low] != "" && !slices.ContainsFunc(s, func(t phrase.Token) bool { return denials[t.Low] })
}

// clauseEnd is where the next command of a sentence begins.
func clauseEnd(s []phrase.Token) int {
	for i := 1; i < len(s); i++ {
		low := s[i].Low
		if low == ";" || low == "->" || low == "then" || phrase.Starting(s[i:], phrase.Elses) > 0 || (low == "," || low == "and" || low == ":") && begins(behindLeads(s[i:])) {
			return i
		}
	}
	return len(s)
}

// begins reports whether a command begins here: a verb, or people with what they do.
func begins(s []phrase.Token) bool {
	if len(s) == 0 {
		return false
	}
	if n := phrase.NamesAt(s); n > 0 && n < len(s) {
		return phrase.Third(s[n].Low) || phrase.Verbs[s[n].Low] || duties[s[n].Low]
	}
	return phrase.StartsStep(s) || phrase.UnknownVerb(s) || phrase.Starting(s, blocks) > 0 || phrase.Starting(s, conditions) > 0
}

// plainClause reports whether a clause is a command in which no word says when, for whom or how often it is done, but for a time limit.
func plainClause(s []phrase.Token) bool {
	if !begins(s) || handing[s[0].Low] {
		return false
	}
	if phrase.Starting(s, blocks) > 0 || s[0].Low == "wait" && 1+phrase.TermLength(s[1:]) == len(s) || reminds(s) {
		return true
	}
	asks := s[0].Low == "ask" || s[0].Kind == phrase.Name
	for i := 1; i < len(s); i++ {
		low := s[i].Low
		if n := phrase.TermLength(s[min(i+1, len(s)):]); low == "within" && n > 0 && asks {
			i += n
			continue
		}
		if (low == "if" || low == "when") && answers(s[i:]) {
			return true
		}
		if s[i].Kind == phrase.Number && (timing[s[i-1].Low] || s[i-1].Low == ",") || phrase.DayOf(strings.TrimSuffix(low, "s")) >= 0 || s[i].Kind == phrase.Name && low[0] == '@' && (s[i-1].Low == "and" || s[i-1].Low == ",") && s[0].Kind == phrase.Name {
			return false
		}
		if asks && (low == "if" || low == "whether") && s[i-1].Kind == phrase.Name { // what is asked
			return !slices.ContainsFunc(s[i+1:], func(t phrase.Token) bool { return joining[t.Low] })
		}
		switch {
		case s[i].Kind != phrase.Word, low == "me", s[0].Low == "ask" && low == "or":
		case (low == "it" || low == "them" && !phrase.Messages[s[i-1].Low]) && (phrase.Verbs[s[i-1].Low] || phrase.Third(s[i-1].Low)):
		case bounds[low] && (i+1 == len(s) || s[i+1].Kind != phrase.Number): // "take over"
		case spans[low] && (phrase.Determiners[s[i-1].Low] || s[i-1].Low == "first"): // "a day off", "the first week"
		case telling[low] && s[i].Text != strings.ToUpper(s[i].Text): // "ask IT"
			return false
		}
	}
	return true
}

// reminds reports whether a clause is a reminder of the question before it: "remind them after 2 days".
func reminds(s []phrase.Token) bool {
	return len(s) > 3 && s[0].Low == "remind" && (phrase.Begins(s[2:], "after") || phrase.Begins(s[2:], "every")) && 3+phrase.TermLength(s[3:]) == len(s)
}

// tellingIn gives the words of a sentence that say when, for whom or how often something is done.
func tellingIn(s []phrase.Token) (out []string) {
	for _, t := range s {
		if word := "“" + t.Low + "”"; t.Kind == phrase.Word && telling[t.Low] && t.Low != "it" && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// timing stand before the number of a time or a date.
var timing = phrase.Set(`at on by until till from before after`)

var (
	bare    = phrase.Set(`so not yes no`) // "if so"
	denials = phrase.Set(`not no never neither`)
)

// handing are verbs that give something to somebody, who may decide it or only be told.
var handing = phrase.Set(`escalate hand decide`)

// duties stand between people and what they do.
var duties = phrase.Set(`must should will can has have needs need gets to`)

// joining are words that make more than one comparison of a condition, or move it, and persons are those whom a condition may mean.
var (
	joining = phrase.Set(`and or but either neither both unless until before after while only still except without never any each every else otherwise which`)
	persons = phrase.Set(`he she they we him her them`)
)

// bounds compare with the number behind them.
var bounds = phrase.Set(`over under above below`)

// spans are words for times that may be a thing: "the first day".
var spans = phrase.Set(`first day week month morning evening hour`)

// telling are words that say when, for whom or how often something is done, or that mean somebody or something named elsewhere.
var telling = phrase.Set(`if unless otherwise don't doesn't didn't isn't hasn't haven't won't can't wasn't cannot else when once twice over under above below more less while
	until till before after meanwhile first again back instead only except already still same next following besides but though although
	however any whatever whichever whenever whoever either neither both each every anyone anything anybody everyone everybody everything all who which whose whom or not no
	never nobody none noone nothing without rather also too other another others rest remaining late later earlier by within max maximum most least than he she
	they it him her me us them his their this that's those these per between parallel together separately respectively regardless anyway vote votes poll
	daily weekly monthly hourly nightly today tomorrow tonight soon during so because since as
	minute minutes min mins hour hours day days week weeks month months morning noon evening enough`)
