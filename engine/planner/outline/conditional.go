package outline

import (
	"cmp"
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
	found, at := r.finding(*list, toks)
	n := cmp.Or(at, size+phrase.CondEnd(toks[size:]))
	ends := n < len(toks) && (toks[n].Kind == phrase.Sign || toks[n].Low == "then")
	if (toks[0].Low == "when" || toks[0].Low == "once") && r.inOrder(*list, toks[:n], toks[size:n], joined) {
		return n, false
	}
	said := phrase.Trim(toks[size:n])
	if last := len(said) - 1; last > 0 && said[last].Low == "and" { // "and then"
		said = phrase.Trim(said[:last])
	}
	_, silent := phrase.Silence(toks)
	if s := len(*list) - 1; silent > 0 && !joined && s >= 0 && (*list)[s].Deadline != nil && (*list)[s].Deadline.Remind != "" { // "remind them if they have not answered"
		(*list)[s].At = append((*list)[s].At, r.Quotes(toks[:silent])...)
		return silent, false
	}
	if silent > 0 && (!joined || len(*list) == 0 && said[0].Low != "it") || refusal.MatchString(r.Words(said)) && slices.ContainsFunc(*list, func(s tree.Step) bool { return s.Kind == tree.Ask }) { // whose answer?
		r.lead = nil
		return len(toks), true
	}
	cond := found
	if at == 0 {
		cond = r.Condition(said)
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
	if !joined && !ends && phrase.Begins(toks, "if") && phrase.StartsStep(toks[n:]) && from < len(*list) { // "ask @ana for the budget if it is over 100 get approval"
		behind = false
		r.Object(r.t, toks[:n], "may be about the words before it, and not about those behind it")
	}
	if behind && from < len(*list) {
		if n == size {
			return 0, false
		}
		if next := phrase.Trim(toks[n:]); opposite && ends && len(next) > 1 && (joined || next[0].Low == "then") && !phrase.InThatCase(next) { // "refund it unless it is over 100, then ask @bob"
			r.Object(r.t, next[:phrase.ClauseEnd(next)], "may count only where "+english.Quote(r.Words(said)))
		}
		from = len(*list) - 1 // the step directly before
		jumps.Wrap(list, from, d.Step)
		(*list)[from].Branches[0].When = &cond
		return n, false
	}
	last := len(*list) - 1
	into := list
	if from <= last && (*list)[last].Kind == tree.Decide && tiered((*list)[last]) && !slices.ContainsFunc((*list)[last].Branches, func(b tree.Branch) bool { return !values.Covers(cond, *b.When) }) {
		into = &[]tree.Step{} // one or the other: "if it is over 500 ask @cfo, if it is over 50 ask @team"
	}
	taken, took := r.conditionBody(into, d, &cond, toks[n:], kids, depth)
	if into != list && len(*into) > 0 {
		s := &(*list)[last]
		s.Branches, s.At = append(s.Branches, (*into)[0].Branches...), append(s.At, (*into)[0].At...)
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
		if term, n := phrase.ReadTerm(said[i+1:]); joined && n > 0 && i+1+n == len(said) && i > 0 && (t.Low == "in" || t.Low == "within" || t.Low == "after") {
			pauses(r, list, tree.Step{For: term}, said[i:])
			return r.Quote(said[i:])
		}
	}
	return at
}

// refusal finds words for a no that somebody has said.
var refusal = regexp.MustCompile(`(?i)^(?:(?:it|this|that|(?:the|a) [a-z -]{2,30}?)(?: is|['’]s| was| gets| got| has been) )?(?:turned down|rejected|refused|declined|denied|not approved|disapproved)(?: or .*)?$`)
