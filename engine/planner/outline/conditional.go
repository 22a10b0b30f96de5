package outline

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/jumps"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// conditional reads a condition with its steps, or a condition behind the step that it is for.
func (r *reader) conditional(list *[]tree.Step, from, size int, opposite bool, toks []phrase.Token, kids []phrase.Item, joined bool, depth int) (int, bool) {
	n := size + phrase.CondEnd(toks[size:])
	ends := n < len(toks) && (toks[n].Kind == phrase.Sign || toks[n].Low == "then")
	if (toks[0].Low == "when" || toks[0].Low == "once") && size == 1 && (isFinished(*list, toks[1:n]) || joined && ends && toks[0].Low == "once" && restates(r, toks[1:n])) && r.inOrder(list, toks[:n], joined) {
		return n, false
	}
	if m, ok := phrase.Whole(phrase.Overdue, toks[size:n]); ok && joined && r.t.Deadline == nil && len(r.t.Steps) > 0 { // "if it is not done within 7 days, ..."
		r.tooLate(m.Term, toks, n, kids, depth)
		return len(toks), true
	}
	said := phrase.Trim(toks[size:n])
	then := len(said) > 1 && said[len(said)-1].Low == "and" // "and then"
	if then {
		said = phrase.Trim(said[:len(said)-1])
	}
	if _, silent := phrase.Silence(toks); unattached(*list, said, r.Words(said)) || silent > 0 && len(*list) == 0 && said[0].Low != "it" { // whose answer?
		r.lead = nil
		return len(toks), true
	}
	cond := r.Condition(said)
	if len(*list) == 1 && len(r.t.Steps) <= 1 && depth == 0 && !joined {
		if m := r.opening.Behind(toks, cond); m > 0 {
			return m, false
		}
	}
	if opposite {
		cond = values.Unless(cond)
	}
	cond.At = without(r.Quotes(toks[:n]), notYet(r, list, &cond, said, joined))
	if joined && !opposite && toks[0].Low == "if" {
		if e, took := otherSide(r, list, cond, toks[n:], kids, depth); e > 0 {
			return n + e, took
		}
	}
	d := step(r.t, tree.Decide)
	excepts := opposite && from < len(*list) // "order it, unless it costs more than 300, then ask @bob"
	behind := !joined || len(phrase.Trim(toks[n:])) == 0 && len(kids) == 0 || excepts
	if !joined && !ends && phrase.Begins(toks, "if") && phrase.StartsStep(toks[n:]) && from < len(*list) && !unsaid(&(*list)[len(*list)-1]) { // "ask @ana for the budget if it is over 100 get approval"
		behind = false
		r.Object(r.t, toks[:n], "may be about the words before it, and not about those behind it")
	}
	if behind && from < len(*list) {
		if n == size {
			return 0, false
		}
		says := condition{toks: toks, n: n, said: said, joined: joined, excepts: opposite && ends && !then}
		ambiguous(r, says, &(*list)[len(*list)-1], r.lead)
		from = len(*list) - 1 // the step directly before
		jumps.Wrap(list, from, d.Step)
		(*list)[from].Branches[0].When = &cond
		return n, false
	}
	into, joins := tierOf(*list, from, cond)
	if !joins {
		taken, took := r.conditionBody(list, d, &cond, toks[n:], kids, depth)
		return n + taken, took
	}
	var read []tree.Step
	taken, took := r.conditionBody(&read, d, &cond, toks[n:], kids, depth)
	if len(read) > 0 {
		into.Branches, into.At = append(into.Branches, read[0].Branches...), append(into.At, read[0].At...)
		*list = append(*list, read[1:]...)
	}
	return n + taken, took
}

// notYet puts a wait before a condition that something has not happened in a time: "if nobody fixes it in 2 hours". Who decides it is asked after
// that time.
func notYet(r *reader, list *[]tree.Step, cond *tree.Cond, said []phrase.Token, joined bool) (at tree.Quote) {
	if cond.Op != "" || len(*list) == 0 || !slices.ContainsFunc(said, func(t phrase.Token) bool {
		return t.Low == "still" || phrase.Starting([]phrase.Token{t}, phrase.Denials) > 0 || strings.HasSuffix(t.Low, "n't")
	}) {
		return at
	}
	for i, t := range said {
		if t.Low == "by" && slices.ContainsFunc(said[i:], phrase.IsTime) { // "if he hasn't done it by Wednesday"
			r.Object(r.t, said[i:], "may be a time to wait for, and the draft decides at once")
		}
		if term, n := phrase.ReadTerm(said[i+1:]); joined && n > 0 && i+1+n == len(said) && i > 0 && (t.Low == "in" || t.Low == "within" || t.Low == "after") {
			pauses(r, list, tree.Step{For: term}, said[i:])
			return r.Quote(said[i:])
		}
	}
	return at
}

// condition is a condition of n tokens behind the step that it is for.
type condition struct {
	toks, said []phrase.Token
	n          int
	joined     bool
	excepts    bool // "unless", and what follows may be for when it holds
}

// ambiguous notes what a condition behind a step, or the words behind the condition, may mean besides.
func ambiguous(r *reader, c condition, last *tree.Step, lead []tree.Quote) {
	if c.joined && last.Kind == tree.Ask && unsaid(last) && phrase.Persons[c.said[0].Low] { // "ask the customer, if he wants to keep it"
		r.Object(r.t, c.toks[:c.n], "may be what is asked")
	}
	if next := phrase.Trim(c.toks[c.n:]); c.excepts && len(next) > 1 && (c.joined || next[0].Low == "then") && !phrase.InThatCase(next) { // "refund it unless it is over 100, then ask @bob"
		r.Object(r.t, next[:phrase.ClauseEnd(next)], "may count only where "+english.Quote(r.Words(c.said)))
	}
	if slices.ContainsFunc(lead, func(q tree.Quote) bool { return strings.EqualFold(r.t.Words(q), "and") }) { // "test it, and only if that worked on production"
		r.Object(r.t, c.toks[:c.n], "may be about words that are missing behind it, and not about the step before it")
	}
}

// tierOf gives the decision before a condition in the same sentence that holds only where the condition does, too, so that it is one or the
// other: "if it is over 500 ask @cfo, if it is over 50 ask @team".
func tierOf(list []tree.Step, from int, cond tree.Cond) (d *tree.Step, ok bool) {
	last := len(list) - 1
	if from > last || list[last].Kind != tree.Decide || !tiered(list[last]) || slices.ContainsFunc(list[last].Branches, func(b tree.Branch) bool { return !values.Covers(cond, *b.When) }) {
		return nil, false
	}
	return &list[last], true
}

// unattached reports whether a condition is about questions before it, and no form says of which: how many have answered, or a no. Its words
// stay unread, because as a condition of its own it would be decided anew.
func unattached(list []tree.Step, said []phrase.Token, words string) bool {
	if _, ok := phrase.Whole(phrase.SomeAnswered, said); ok && len(list) > 0 && list[len(list)-1].Kind == tree.Ask {
		return true
	}
	return refusal.MatchString(words) && slices.ContainsFunc(list, func(s tree.Step) bool { return s.Kind == tree.Ask })
}

// refusal finds words for a no that somebody has said.
var refusal = regexp.MustCompile(`(?i)^(?:(?:it|this|that|(?:the|a) [a-z -]{2,30}?)(?: is|['’]s| was| gets| got| has been) )?(?:turned down|rejected|refused|declined|denied|not approved|disapproved)(?: or .*)?$`)
