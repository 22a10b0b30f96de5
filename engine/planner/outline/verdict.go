package outline

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// otherSide reads the steps of a condition that holds just where the one directly before it does not, as its other side: "if it is in stock
// ship it. If it is not in stock order it". n is how many tokens they take; without ok it is another condition.
func otherSide(r *reader, list *[]tree.Step, cond tree.Cond, rest []phrase.Token, kids []phrase.Item, depth int) (n int, took, ok bool) {
	if !contraryTo(*list, cond) {
		return 0, false, false
	}
	if n = caseEnd(r.Source, rest, nil); n < len(rest) {
		kids = nil
	}
	r.no = 0
	b := r.branch(append(r.lead, cond.At...), rest[:n], kids, depth)
	b.Else, b.Label = true, cond.Words
	last := &(*list)[len(*list)-1]
	last.Branches = append(last.Branches, b)
	return n, n == len(rest), true
}

// contraryTo reports whether a condition holds just where the one directly before it, of which no other side is known, does not.
func contraryTo(list []tree.Step, cond tree.Cond) bool {
	if len(list) == 0 {
		return false
	}
	last := &list[len(list)-1]
	when := last.Branches
	return last.Kind == tree.Decide && len(when) == 1 && when[0].When != nil && (phrase.Contrary(when[0].When.Words, cond.Words) || values.Opposite(*when[0].When, cond))
}

// askedBefore reports whether an approval of somebody was asked for before, or one of nobody who is named.
func askedBefore(r *reader, list []tree.Step, who string) bool {
	for _, t := range []*tree.Tree{r.t, {Steps: list}} {
		for s := range t.Walk {
			if s.Kind == tree.Ask && !s.Free && len(s.Fields) == 0 && (asked(s, who) || len(s.Who) == 0) {
				return true
			}
		}
	}
	return false
}

// beforeStep puts the approval of somebody in front of the step before. A message may say itself when it is so: false.
func beforeStep(r *reader, list *[]tree.Step, ask tree.Step) bool {
	at := len(*list) - 1
	last := &(*list)[at]
	if last.Kind != tree.Do && (last.Kind != tree.Tell || !last.Said.Empty() && r.Src[last.Said.From] != '"') {
		return false
	}
	ask.No, last.No = last.No, 0
	*list = slices.Insert(*list, at, ask)
	return true
}

// approvedBefore puts an approval at the end of a list in front of what was said to be done before, where its own words say so: "deploy it. @ana approves
// it first." "First" at the end of a sentence may also mean that it stands before what comes next.
func approvedBefore(r *reader, list *[]tree.Step, said []phrase.Token) {
	n := len(*list) - 1
	if n < 1 || len(said) == 0 || !unanswered(&(*list)[n]) {
		return
	}
	words, last := r.Words(said), strings.TrimSpace(r.Src[said[len(said)-1].To:]) == ""
	if !beforeThat.MatchString(words) || !last && endsFirst.MatchString(words) {
		return
	}
	at := n
	for at > 1 && (*list)[at-1].Kind == tree.Tell { // which only says that it was done
		at--
	}
	ask, told := (*list)[n], slices.Clone((*list)[at:n])
	if *list = (*list)[:at]; beforeStep(r, list, ask) {
		*list = append(*list, told...)
	} else {
		*list = append(append(*list, told...), ask)
	}
}

var endsFirst = regexp.MustCompile(`(?i)\bfirst[\s.!]*$`)

// beforeThat finds words that put what they say in front of what was said.
var beforeThat = regexp.MustCompile(`(?i)^\W*first\b|\b(?:first|beforehand|in advance|before that|before)[\s.!]*$`)

// inquires finds what a step checks: "check whether the parcel is there".
var inquires = regexp.MustCompile(`(?i)^(?:checks?|verif(?:y|ies)|sees?|looks?|finds? out|makes? sure|tests?|confirms?)(?: up)?(?: for us)? (?:if|whether|that) `)

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
	over := cond.Subject()
	over.At, cond.Right.At = tree.Quote{}, tree.Quote{}
	values.Over(&cond, over)
	if no > yes {
		cond = values.Unless(cond)
	}
	return cond, n
}

// passed takes words that only state what has to be so for the flow to come there: those before have done their steps, or each of those who may
// be asked has approved. said are the words that state it.
func passed(r *reader, list []tree.Step, toks, said []phrase.Token, joined bool) bool {
	if len(list) == 0 || !joined {
		return false
	}
	last := &list[len(list)-1]
	all, ways, words := reply.Asked(last), max(1, len(last.Branches)), english.Scan(phrase.Lows(said))
	if toks[0].Low == "if" && phrase.Has(said, "it", "this", "that") { // of which it may be a result
		return false
	}
	if last.Kind == tree.Ask || last.Any || len(all) != ways || !alwaysTaken(last) || slices.ContainsFunc(all, func(s *tree.Step) bool {
		means := reply.Means(s, words)
		return s.Kind == tree.Ask && !s.Approves() || s.Judges || len(s.Branches) > 0 || len(means) != 1 || means[0] != reply.All(s)[0]
	}) {
		return false
	}
	stated(r, last, toks, joined)
	return true
}

// alwaysTaken reports whether one of the branches of a decision is always taken.
func alwaysTaken(d *tree.Step) bool {
	if d.Kind != tree.Decide || d.Branches[len(d.Branches)-1].Else {
		return true
	}
	var when []*tree.Cond
	for _, b := range d.Branches {
		when = append(when, b.When)
	}
	gaps, ok := tree.Gaps(when)
	return ok && len(gaps) == 0
}

// allAgree reads "if both agree" behind several approvals, which then decide together. "When both agree" behind those that follow one another states
// only that the flow has come there.
func allAgree(r *reader, list []tree.Step, toks []phrase.Token) (cond tree.Cond, n int) {
	n = 1 + phrase.CondEnd(toks[1:])
	if _, ok := phrase.Whole(phrase.AllAgreed, toks[1:n]); !ok || len(list) == 0 || toks[0].Low != "if" && list[len(list)-1].Kind != tree.Parallel {
		return cond, 0
	}
	cond = tree.Cond{Op: tree.OpAnd, Words: r.Words(toks[1:n])}
	all := together(list)
	for _, s := range all {
		yes := tree.Value{Literal: reply.For(s, "approved")}
		cond.Parts = append(cond.Parts, tree.Cond{Op: "==", Left: tree.Value{Ref: tree.Ref{Step: s.ID}}, Right: yes})
	}
	if len(all) < 2 || slices.ContainsFunc(all, func(s *tree.Step) bool { return !unanswered(s) || s.Deadline != nil }) { // what if nobody answers?
		return cond, 0
	}
	for _, s := range all {
		s.Judges = true
	}
	return cond, n
}

// together lists the only steps of the branches at the end of a list, or the approvals there that follow one another.
func together(list []tree.Step) (out []*tree.Step) {
	if last := list[len(list)-1]; last.Kind == tree.Parallel {
		for _, b := range last.Branches {
			if last.Any || len(b.Steps) != 1 {
				return nil
			}
			out = append(out, &b.Steps[0])
		}
		return out
	}
	at := len(list)
	for at > 0 && unanswered(&list[at-1]) {
		at--
	}
	for i := range list[at:] {
		out = append(out, &list[at+i])
	}
	return out
}
