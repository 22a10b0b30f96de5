package outline

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// verdict reads the steps after a check that is no question: "if valid ...", "if no ...". The planner or a person decides the condition.
func (r *reader) verdict(list *[]tree.Step, toks []phrase.Token, kids []phrase.Item, depth int) (n int, took bool) {
	if !phrase.Begins(toks, "if") || len(toks) < 2 {
		return 0, false
	}
	cond, n := r.finding(*list, toks)
	if n == 0 {
		n = 1 + phrase.CondEnd(toks[1:])
		words := phrase.Trim(toks[1:n])
		if len(words) == 0 || len(words) > 2 {
			return 0, false
		}
		cond = tree.Cond{Words: r.Words(words), At: r.Quotes(toks[:n])}
	}
	if at := len(*list) - 1; values.ComparesAmount(cond) && inquires.MatchString((*list)[at].Text) { // a value needs nobody who checks it
		s := (*list)[at]
		cond.At = slices.Concat(s.At, []tree.Quote{s.Said}, cond.At)
		r.no, *list = s.No, (*list)[:at]
	}
	rest := toks[n:]
	if e, took := otherSide(r, list, cond, rest, kids, depth); e > 0 {
		return n + e, took
	}
	taken, took := r.conditionBody(list, step(r.t, tree.Decide), &cond, rest, kids, depth)
	return n + taken, took
}

// contraryTo gives whether tokens begin with a condition that holds just where another one does not.
func contraryTo(words string) func(toks []phrase.Token) bool {
	return func(toks []phrase.Token) bool {
		return phrase.Contrary(words, phrase.Lows(phrase.Trim(toks[1:1+phrase.CondEnd(toks[1:])])))
	}
}

// otherSide reads the steps of a condition that holds just where the one directly before it does not, as its other side: "if it is in stock
// ship it. If it is not in stock order it". n is how many tokens it takes; 0 = it is another condition.
func otherSide(r *reader, list *[]tree.Step, cond tree.Cond, rest []phrase.Token, kids []phrase.Item, depth int) (n int, took bool) {
	if len(*list) == 0 {
		return 0, false
	}
	last := &(*list)[len(*list)-1]
	if last.Kind != tree.Decide || len(last.Branches) != 1 || last.Branches[0].When == nil || !phrase.Contrary(last.Branches[0].When.Words, cond.Words) && !values.Opposite(*last.Branches[0].When, cond) {
		return 0, false
	}
	if n = r.caseEnd(rest, contraryTo(cond.Words)); n < len(rest) {
		kids = nil
	}
	r.no = 0
	b := r.branch(append(r.lead, cond.At...), rest[:n], kids, depth)
	b.Else, b.Label = true, cond.Words
	last = &(*list)[len(*list)-1]
	last.Branches = append(last.Branches, b)
	return n, n == len(rest)
}

// agreed reads "once @legal has approved it, ..." as a question to somebody who was not asked before, which the steps after it need.
func agreed(r *reader, list *[]tree.Step, toks []phrase.Token) int {
	n := phrase.CondEnd(toks)
	m, ok := phrase.Whole(phrase.Approved, toks[:n])
	if !ok || n == len(toks) || len(r.t.Triggers)+len(*list) == 0 && toks[0].Low != "only" {
		return 0
	}
	if names, _ := r.people.names(m.Names); askedBefore(r, *list, names[0].Words) {
		return 0
	}
	r.add(list, &stepForm{kind: tree.Ask}, m, toks[:n])
	return n
}

// askedBefore reports whether an approval of somebody was asked for before, or one of nobody who is named.
func askedBefore(r *reader, list []tree.Step, who string) (before bool) {
	for _, t := range []*tree.Tree{r.t, {Steps: list}} {
		t.Walk(func(s *tree.Step) bool {
			before = before || s.Kind == tree.Ask && !s.Free && len(s.Fields) == 0 && (asked(s, who) || len(s.Who) == 0)
			return !before
		})
	}
	return before
}

// beforeStep puts the approval of somebody in front of the step before. A message may say itself when it is so: false. Where more is done in
// the sentence before, the approval may be for all of it.
func beforeStep(r *reader, list *[]tree.Step, ask tree.Step, toks []phrase.Token) bool {
	at := len(*list) - 1
	last := &(*list)[at]
	if last.Kind != tree.Do && (last.Kind != tree.Tell || !last.Said.Empty() && r.Src[last.Said.From] != '"') {
		return false
	}
	if at > 0 && (*list)[at-1].Kind != tree.Ask && !fetching.MatchString((*list)[at-1].Text) {
		if q := tree.Quotes(&(*list)[at-1]); len(q) > 0 && !strings.ContainsAny(r.Src[q[len(q)-1].To:max(q[len(q)-1].To, toks[0].From)], ".;\n") {
			r.Object(r.t, phrase.Trim(toks), "may be about all that is done before it in the sentence")
		}
	}
	ask.No, last.No = last.No, 0
	*list = slices.Insert(*list, at, ask)
	return true
}

// fetching finds steps that change nothing, which may as well be done before an approval.
var fetching = regexp.MustCompile(`(?i)^(?:gets?|fetch(?:es)?|looks? up|finds?|reads?|loads?|retrieves?|search(?:es)?) `)

// approves reads "only if @finance approves" as a question to those who were not asked before: behind a step it comes before that step, in
// front of others its answers decide about them.
func approves(r *reader, list *[]tree.Step, from int, toks []phrase.Token, kids []phrase.Item, depth int, joined bool) (n int, took bool) {
	size := phrase.Starting(toks, phrase.Phrases("but_only_if but_only_when only_if only_when provided_that provided if"))
	if size == 0 || size == len(toks) || toks[size].Kind != phrase.Name || len(*list) == 0 {
		return 0, false
	}
	n = size + phrase.CondEnd(toks[size:])
	var asks []tree.Step
	if !r.probe().clause(&asks, 0, toks[size:n]) || len(asks) != 1 || !unanswered(&asks[0]) || slices.ContainsFunc(asks[0].Who, func(n tree.Name) bool { return askedBefore(r, *list, n.Words) }) {
		return 0, false
	}
	last := len(*list) - 1
	behind := !joined || n == len(toks) || size > 1 && toks[0].Low != "provided"
	if behind && from > last {
		return 0, false
	}
	lead := r.lead
	if asks, r.lead = nil, nil; behind {
		r.lead = append(lead, r.Quotes(toks[:size])...)
	}
	r.clause(&asks, 0, toks[size:n])
	if behind {
		if !beforeStep(r, list, asks[0], toks[:n]) {
			r.lead, n = lead, 0
		}
		return n, false
	}
	asks[0].At, asks[0].Said, r.lead = nil, tree.Quote{}, lead
	*list = append(*list, asks...)
	if n, took = r.reaction(list, toks, kids, depth); n == 0 {
		*list = (*list)[:last+1]
	}
	return n, took
}

// inquires finds what a step checks: "check whether the parcel is there".
var inquires = regexp.MustCompile(`(?i)^(?:checks?|verif(?:y|ies)|sees?|looks?|finds? out|makes? sure|tests?|confirms?)(?: up)?(?: for us)? (?:if|whether|that) `)

// judged makes a question of what a person does, when the words behind it are a verdict that only they can give: "@bob tests it. If ok ...,
// if not ...". "If not" alone is one where they check something.
func judged(r *reader, s *tree.Step, toks []phrase.Token) {
	yes, no := phrase.Starting(toks, phrase.Affirmed), phrase.Starting(toks, phrase.Refuted)
	if s.Kind != tree.Do || s.Doer != tree.DoerPerson || len(s.Branches)+len(s.OnError) > 0 || s.Said.Empty() || s.Said.Text != r.Text || max(yes, no) == 0 || !phrase.CondEndsAt(toks, max(yes, no)) ||
		yes == 0 && !checking.MatchString(s.Text) && !inquires.MatchString(s.Text) {
		return
	}
	words := phrase.Scan(r.Src, s.Said.From, s.Said.To, r.t.Texts[r.Text].People...)
	s.Kind, s.Doer, s.Choices = tree.Ask, "", []string{"yes", "no"}
	if lead := len(inquires.FindString(s.Text)); lead > 0 {
		s.Text = s.Text[lead:]
	} else if base := phrase.Base(words[0].Low); base != "" {
		s.Text = base + " " + r.Words(words[1:]) + ": is it ok"
	} else {
		s.Text += ": is it ok"
	}
}

// finding reads "if not", "if so" and the like behind a step that checks something, as a condition in the words of that step.
func (r *reader) finding(list []tree.Step, toks []phrase.Token) (cond tree.Cond, n int) {
	if cond, n = allAgree(r, list, toks); n > 0 {
		return cond, n
	}
	yes, no := phrase.Starting(toks, phrase.Affirmed), phrase.Starting(toks, phrase.Refuted)
	if n = max(yes, no); n == 0 || len(list) == 0 || !phrase.CondEndsAt(toks, n) {
		return cond, 0
	}
	s := list[len(list)-1]
	lead := len(inquires.FindString(s.Text))
	if s.Kind != tree.Do || lead == 0 || s.Said.Empty() || s.Said.Text != r.Text {
		return cond, 0
	}
	words := phrase.Scan(r.Src, s.Said.From+lead, s.Said.To, r.t.Texts[r.Text].People...)
	cond = r.Condition(words)
	values.Over(&cond, unquotedValue(cond.Subject()))
	cond.Right.At = tree.Quote{}
	if no > yes {
		cond = values.Unless(cond)
	}
	cond.At = r.Quotes(toks[:n])
	return cond, n
}

// allAgree reads "if both agree" behind approvals at the same time, which then decide together.
func allAgree(r *reader, list []tree.Step, toks []phrase.Token) (cond tree.Cond, n int) {
	n = 1 + phrase.CondEnd(toks[1:])
	if _, ok := phrase.Whole(phrase.AllAgreed, toks[1:n]); !ok || len(list) == 0 || list[len(list)-1].Kind != tree.Parallel || !approvesAll(&list[len(list)-1]) {
		return cond, 0
	}
	cond = tree.Cond{Op: tree.OpAnd, Words: r.Words(toks[1:n]), At: r.Quotes(toks[:n])}
	for _, b := range list[len(list)-1].Branches {
		s := &b.Steps[0]
		if s.Deadline != nil { // and what if nobody answers?
			return cond, 0
		}
		yes := tree.Value{Literal: reply.For(s, "approved")}
		cond.Parts = append(cond.Parts, tree.Cond{Op: "==", Left: tree.Value{Ref: tree.Ref{Step: s.ID}}, Right: yes})
	}
	for _, b := range list[len(list)-1].Branches {
		b.Steps[0].Judges = true
	}
	return cond, n
}

// looksFirst finds where somebody looks at what they decide about, and the "and" before the answers: "@bob reviews the draft and either approves
// or rejects it".
func looksFirst(toks []phrase.Token) (verb, and int) {
	verb = phrase.ActorOf(toks).Verb
	if verb == 0 || !looking[phrase.Base(toks[verb].Low)] {
		return 0, 0
	}
	and = verb + slices.IndexFunc(toks[verb:], func(t phrase.Token) bool { return t.Low == "and" })
	if and < verb+2 || !phrase.Acts(toks[and+1+phrase.Starting(toks[and+1:], phrase.Phrases("either then")):]) {
		return 0, 0
	}
	return verb, and
}

var looking = phrase.Set(`review check read examine inspect`)
