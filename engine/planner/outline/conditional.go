package outline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/jumps"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// conditional reads a condition with its steps, or a condition behind the step that it is for.
func (r *reader) conditional(list *[]tree.Step, from, size int, opposite bool, toks []phrase.Token, kids []phrase.Item, joined bool, depth int) (int, bool) {
	reviewedByAll(list, phrase.Trim(toks[size:size+phrase.CondEnd(toks[size:])]))
	found, at := r.finding(*list, toks)
	n := cmp.Or(at, size+phrase.CondEnd(toks[size:]))
	ends := n < len(toks) && (toks[n].Kind == phrase.Sign || toks[n].Low == "then")
	if at == 0 && !opposite && (toks[0].Is("when", "once") && r.inOrder(*list, toks[:n], toks[size:n], joined) || phrase.ElseAt(toks) == len(toks) && passed(r, *list, toks[:n], toks[size:n], joined)) {
		return n, false
	}
	said := phrase.Trim(toks[size:n])
	if last := len(said) - 1; last > 0 && said[last].Low == "and" { // "and then"
		said = phrase.Trim(said[:last])
	}
	if !joined {
		if n := lateBehind(r, list, from, toks); n > 0 {
			return n, false
		}
	}
	if n, ok := unattached(r, *list, toks, said, joined); ok {
		return n, n == len(toks)
	}
	if toks[0].Low != "only" && !opposite && len(phrase.Trim(toks[n:]))+len(kids) == 0 && leadsWith(r, "and") {
		r.lead = nil
		return len(toks), true // "check the fridge and if the milk is empty buys some": its steps are in it, and the words stay unread
	}
	waits, ok := notYet(r, list, said, joined)
	if !ok {
		r.lead = nil
		if joined { // its steps stay unread, too
			n = len(toks)
		}
		return n, joined
	}
	cond := found
	if at == 0 && waits.Empty() {
		cond = r.Condition(said)
	} else if at == 0 { // a person decides it then
		cond = tree.Cond{Words: r.Words(said)}
	}
	if opposite {
		cond = values.Unless(cond)
	}
	cond.At = without(r.Quotes(toks[:n]), waits)
	if joined && !opposite && toks[0].Low == "if" {
		if e, took, ok := otherSide(r, list, cond, toks[n:], kids, depth); ok {
			return n + e, took
		}
	}
	behind := from < len(*list) && (!joined || opposite || len(phrase.Trim(toks[n:])) == 0 && len(kids) == 0) // "order it, unless it costs more than 300, then ask @bob"
	if behind && !joined && !ends && phrase.Begins(toks, "if") && phrase.StartsStep(toks[n:]) {               // "ask @ana for the budget if it is over 100 get approval"
		behind = false
	}
	if behind {
		return around(r, list, &cond, opposite && thenBehind(toks, n), n, len(toks)), false
	}
	taken, took := below(r, list, from, cond, toks[n:], kids, depth)
	return n + taken, took
}

// around puts a condition of n tokens around the step directly before it. When "then" stands behind it, it is not clear whether that is done in the
// other case or in both, and none of the tokens is read.
func around(r *reader, list *[]tree.Step, cond *tree.Cond, unclear bool, n, all int) int {
	last := len(*list) - 1
	jumps.Wrap(list, last, last+1, step(r.t, tree.Decide))
	(*list)[last].Branches[0].When = cond
	if unclear {
		return all
	}
	return n
}

// below puts steps below a condition: of the decision before it in the sentence, where that one is narrower, else of a decision of its own.
func below(r *reader, list *[]tree.Step, from int, cond tree.Cond, toks []phrase.Token, kids []phrase.Item, depth int) (taken int, took bool) {
	d, last := step(r.t, tree.Decide), len(*list)-1
	if from > last || !narrower((*list)[last], cond) {
		return r.conditionBody(list, d, &cond, toks, kids, depth)
	}
	var read []tree.Step
	taken, took = r.conditionBody(&read, d, &cond, toks, kids, depth)
	for _, s := range read {
		(*list)[last].Branches, (*list)[last].At = append((*list)[last].Branches, s.Branches...), append((*list)[last].At, s.At...)
	}
	return taken, took
}

// thenBehind reports whether "then" stands behind the first n tokens, and no "and" joins what it leads to.
func thenBehind(toks []phrase.Token, n int) bool {
	for n < len(toks) && toks[n].Low == "," {
		n++
	}
	return phrase.Begins(toks[n:], "then") && toks[n-1].Low != "and"
}

// leadsWith reports whether a word leads to what is read next.
func leadsWith(r *reader, word string) bool {
	return slices.ContainsFunc(r.lead, func(q tree.Quote) bool { return strings.EqualFold(r.Src[q.From:q.To], word) })
}

// narrower reports whether a decision holds only where a condition behind it in the sentence does, too, so that it is one or the other: "if it is
// over 500 ask @cfo, if it is over 50 ask @team".
func narrower(d tree.Step, cond tree.Cond) bool {
	return d.Kind == tree.Decide && tiered(d) && !slices.ContainsFunc(d.Branches, func(b tree.Branch) bool { return !values.Covers(cond, *b.When) })
}

// unattached takes a condition about answers that no form reads. Behind a reminder it says no more than that, "remind them if they have not
// answered"; else the words stay unread, because as a condition of its own it would be decided anew.
func unattached(r *reader, list []tree.Step, toks, said []phrase.Token, joined bool) (n int, ok bool) {
	_, _, n = phrase.Silence(toks)
	if last := len(list) - 1; n > 0 && !joined && last >= 0 && list[last].Deadline != nil && list[last].Deadline.Remind != "" {
		list[last].At = append(list[last].At, r.Quotes(toks[:n])...)
		return n, true
	}
	silent := n > 0 && (!joined || len(list) == 0 && said[0].Low != "it") // whose answer?
	_, answer := reply.Of(&tree.Step{Kind: tree.Ask}, toks)
	refused := refusal.MatchString(r.Words(said)) || answer > 0 && len(said) > 1 && phrase.Persons[said[0].Low] // whom of those who are asked "she" means is not known
	if !silent && !(refused && asksIn(list) && !contraryTo(list, tree.Cond{Words: r.Words(said)})) {
		return 0, false
	}
	r.lead = nil
	return len(toks), true
}

// asksIn reports whether people are asked in steps.
func asksIn(list []tree.Step) bool {
	for s := range (&tree.Tree{Steps: list}).Walk {
		if s.Kind == tree.Ask {
			return true
		}
	}
	return false
}

// notYet puts a wait before a condition that something has not happened in a time: "if nobody fixes it in 2 hours". Who decides it is asked after
// that time. false: something has happened after a time, and it is not clear when that is decided.
func notYet(r *reader, list *[]tree.Step, said []phrase.Token, joined bool) (at tree.Quote, ok bool) {
	for i, t := range said {
		term, n := phrase.ReadTerm(said[i+1:])
		switch end := min(i+phrase.MostRole, len(said)); {
		case !t.Is("in", "within", "after"):
			continue
		case n == 0 && (t.Low != "after" || !phrase.HasUnit(said[i+1:end])): // "after a few days"
			continue
		}
		not := slices.ContainsFunc(said, func(t phrase.Token) bool {
			return t.Is("still", "missing", "unpaid", "open") || phrase.Starting([]phrase.Token{t}, phrase.Denials) > 0 || strings.HasSuffix(t.Low, "n't")
		})
		if end := i + 1 + n; n > 0 && joined && not && len(*list)+len(r.t.Triggers) > 0 && (i == 0 || end == len(said)) {
			pauses(r, list, tree.Step{For: term}, said[i:end])
			return r.Quote(said[i:end]), true
		}
		return at, t.Low != "after"
	}
	return at, true
}

// refusal finds words for a no that somebody has said.
var refusal = regexp.MustCompile(`(?i)^(?:(?:it|this|that|(?:the|a) [a-z -]{2,30}?)(?: is|['’]s| was| gets| got| has been) )?(?:turned down|rejected|refused|declined|denied|not approved|disapproved)(?: or .*)?$`)

// restricted makes a condition of the words of a step that may limit when it is done: "rejected claims are closed". The draft asks who decides it, or
// whether the step is always done.
func restricted(r *reader, list *[]tree.Step, at int, toks []phrase.Token) {
	toks = phrase.Trim(toks)
	if len(toks) == 0 || at+1 != len(*list) || (*list)[at].Kind == tree.Decide {
		return
	}
	if n := phrase.Restricts(toks); n > 0 {
		cond := unled(r.Source, toks[:n])
		jumps.Wrap(list, at, at+1, step(r.t, tree.Decide))
		b := &(*list)[at].Branches[0]
		b.When, b.Label = &cond, cond.Words
	}
}

// unled makes a condition of words without an "if". Its branch has the same words as its label: by that the draft knows it, and asks whether the step
// is always done.
func unled(r values.Source, toks []phrase.Token) tree.Cond {
	return tree.Cond{Words: r.Words(toks), At: r.Quotes(toks)}
}
