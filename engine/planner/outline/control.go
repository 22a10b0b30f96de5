package outline

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/jumps"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// mostDepth bounds how deep conditions and loops are nested.
const mostDepth = 12

// sentence reads the steps of one sentence and adds them. kids are the items below it, which belong to its last condition or loop.
func (r *reader) sentence(list *[]tree.Step, toks []phrase.Token, kids []phrase.Item, depth int) {
	if depth > mostDepth {
		return
	}
	joined, from, start := true, len(*list), len(*list)
	line := r.line
	r.line = false
	all := toks
	defer func() {
		endsLast((*list)[min(start, len(*list)):])
		if line && depth == 0 {
			approvedBefore(r, list, all)
		}
	}()
	r.acting, r.itself = nil, false
	for {
		if n := r.leading(toks); n > 0 {
			meets(list, toks[:n])
			toks, joined = toks[n:], true
		}
		if len(toks) == 0 {
			break
		}
		if phrase.Relative(toks) && toks[1].Low == "," && len(*list) > 0 { // ", which, upon approval, is paid"
			r.lead = append(r.lead, r.Quotes(toks[:1])...)
			toks, joined = toks[2:], true
		}
		if joined {
			commanded(toks, len(*list) == start && r.acting == nil || r.itself)
		}
		n, took := r.control(list, from, toks, kids, joined, depth)
		if took {
			kids = nil
		}
		if n == 0 {
			from = len(*list)
			n = phrase.ClauseEnd(toks)
			if line && phrase.Begins(toks[n:], "->") && len(*list) == start { // a case that is not understood
				r.lead, r.people.last = nil, nil
				return
			}
			at := len(*list)
			said, rest := inTurn(toks, n)
			if read := r.clause(list, start, said); read && joined {
				restricted(r, list, at, toks[:n])
			} else if !read {
				r.lead, r.people.last = nil, nil
				if !r.listed && phrase.Starting(toks, phrase.Denials) == 0 && !phrase.TellsAuthor(toks) { // without its beginning the rest may mean something else
					return
				}
			}
			joined = n > 0 && toks[n-1].Low == ":"
			toks, n = rest, 0
		}
		toks = toks[n:]
	}
	r.kids(list, kids, depth)
}

// commanded makes a command of what the flow itself does: "Monitors the inbox, extracts ...", "checking the stock".
func commanded(toks []phrase.Token, itself bool) {
	if itself && len(toks) > 1 && phrase.Third(toks[0].Low) && toks[1].Kind != phrase.Sign && toks[1].Low != "of" && !values.Compares(toks[1:]) {
		phrase.Imperative(toks)
	}
	if phrase.Gerund(toks[0]) != "" {
		phrase.Commands(toks)
	}
}

// endsLast puts what ends a run, or goes back, behind the other steps of its sentence: "stop and tell @ana".
func endsLast(list []tree.Step) {
	at := slices.IndexFunc(list, func(s tree.Step) bool { return s.Kind == tree.Stop || s.Kind == jumps.Jump })
	if at >= 0 {
		end := list[at]
		copy(list[at:], list[at+1:])
		list[len(list)-1] = end
	}
}

// leading skips words that join steps, and keeps them for the next step.
func (r *reader) leading(toks []phrase.Token) (n int) {
	for n < len(toks) {
		size := phrase.Starting(toks[n:], phrase.Leads)
		if size == 0 {
			break
		}
		if toks[n].Kind == phrase.Word && phrase.Starting(toks[n:], phrase.Remembering) == 0 { // a courtesy of the account
			r.lead = append(r.lead, r.Quotes(toks[n:n+size])...)
		}
		n += size
	}
	return n
}

// meets has all answers of the question before go on to what words lead to: "in any case", and "at the end" when steps are said for each answer.
func meets(list *[]tree.Step, lead []phrase.Token) {
	if len(*list) == 0 {
		return
	}
	in := nearest(list)
	ask := &(*in)[len(*in)-1]
	if ask.Kind != tree.Ask || len(ask.Branches) == 0 {
		return
	}
	for i := range lead {
		if phrase.Starting(lead[i:], phrase.Anyhow) > 0 || phrase.Starting(lead[i:], phrase.AtLast) > 0 && len(ask.Branches) == len(reply.All(ask)) {
			ask.Judges = true
		}
	}
}

// kids reads items as steps.
func (r *reader) kids(list *[]tree.Step, kids []phrase.Item, depth int) {
	for i := range kids {
		r.item(list, &kids[i], depth+1)
	}
	for s := range (&tree.Tree{Steps: *list}).Walk {
		r.closed[s.ID] = r.closed[s.ID] || len(kids) > 0
	}
}

// item reads one item of a list.
func (r *reader) item(list *[]tree.Step, it *phrase.Item, depth int) {
	r.no, r.lead, r.listed = it.No, nil, len(it.Mark) > 0
	if len(it.Mark) > 0 {
		r.lead = r.Quotes(it.Mark)
	}
	parts := phrase.Sentences(it.Toks)
	for i, part := range parts {
		var kids []phrase.Item
		if i == len(parts)-1 {
			kids = it.Kids
		}
		r.line = true
		r.sentence(list, part, kids, depth)
		r.listed = false
	}
	r.no, r.listed = 0, false
}

// body reads the steps of a branch.
func (r *reader) body(toks []phrase.Token, kids []phrase.Item, depth int) (out []tree.Step) {
	no, listed, other := r.no, r.listed, r.other
	r.no, r.lead, r.other = 0, nil, nil
	r.listed = listed && len(phrase.Trim(toks)) > 0
	r.sentence(&out, toks, kids, depth+1)
	r.no, r.listed = no, listed
	r.doOther(out, other)
	return slices.DeleteFunc(out, func(s tree.Step) bool { return s.Doer == tree.DoerPerson && doesIt.MatchString(s.Text) }) // what?
}

// doOther gives a step that only says who does it the words of the one step on the other side: "if it rains bob brings it, otherwise ana does it".
func (r *reader) doOther(out, other []tree.Step) {
	if len(out) != 1 || len(other) != 1 || out[0].Doer != tree.DoerPerson || !doesIt.MatchString(out[0].Text) {
		return
	}
	s, of := &out[0], &other[0]
	if of.Kind != tree.Do && of.Kind != tree.Ask || of.Doer == tree.DoerFlow || of.Deadline != nil || of.Quorum > 1 || len(of.Branches)+len(of.OnError) > 0 {
		return
	}
	same := r.t.Again(other)[0]
	same.ID, same.No, same.Who, same.Quorum, same.At = s.ID, s.No, s.Who, s.Quorum, append(s.At, s.Said)
	if of.Kind == tree.Do {
		same.Doer = tree.DoerPerson
	}
	*s = same
}

// doesIt finds a step that only says that somebody else does what another branch says: "otherwise ana does it".
var doesIt = regexp.MustCompile(`(?i)^(?:to )?(?:(?:do|does|handles?|takes?|takes? over|takes? care of|deals? with) (?:it|this|that|the same))(?: too| as well| instead)?$`)

// branch reads the steps of a branch, of which those words are known.
func (r *reader) branch(at []tree.Quote, toks []phrase.Token, kids []phrase.Item, depth int) tree.Branch {
	r.lead = nil
	b := tree.Branch{Steps: r.body(toks, kids, depth)}
	b.At, r.lead = append(at, r.lead...), nil
	return b
}

// control reads a condition, a loop or parallel steps at the beginning of toks. n is how many tokens it takes; took reports whether it has
// taken the items below.
func (r *reader) control(list *[]tree.Step, from int, toks []phrase.Token, kids []phrase.Item, joined bool, depth int) (n int, took bool) {
	if n := contrast(*list, toks); n > 0 && joined && (toks[0].Low != "if" || r.limit || answerable(list)) {
		n = r.otherwise(list, n, toks, kids, depth)
		return n, n == len(toks)
	}
	if n := startAgain(r, *list, toks); n > 0 {
		return n, false
	}
	if joined {
		if n, took = r.reaction(list, toks, kids, depth); n > 0 {
			return n, took
		}
		if n := r.later(list, toks); n > 0 {
			return n, false
		}
	}
	opposite := phrase.Begins(toks, "unless") || toks[0].Low == "except" && phrase.Starting(toks, phrase.Trailing) > 0
	size := phrase.CondLead(toks, phrase.Ifs)
	if opposite {
		size = phrase.CondLead(toks, phrase.Trailing)
	}
	if joined {
		if n := r.beyond(list, toks, depth); n > 0 {
			return n, false
		}
	}
	if size > 0 {
		return r.conditional(list, from, size, opposite, toks, kids, joined, depth)
	}
	if !joined {
		return 0, false
	}
	if n := r.tier(list, toks, depth); n > 0 {
		return n, false
	}
	if n := phrase.OnEvent(toks); n > 0 {
		cond, before := unled(r.Source, toks[:n]), len(*list)
		taken, took := below(r, list, from, cond, toks[n:], kids, depth)
		if len(*list) > before {
			(*list)[before].Branches[0].Label = cond.Words
		}
		return n + taken, took
	}
	return r.loop(list, from, toks, kids, depth)
}

// startAgain takes "once the request is received" behind a first sentence that names the sender: it is the trigger of the flow.
func startAgain(r *reader, list []tree.Step, toks []phrase.Token) int {
	if toks[0].Low != "once" {
		return 0
	}
	n := phrase.CondEnd(toks)
	if n == len(toks) || n > phrase.MostRole || !phrase.Arrived[toks[n-1].Low] || len(list)+len(r.t.Steps) > 0 || len(r.t.Triggers) != 1 || !r.t.Triggers[0].Open() {
		return 0
	}
	r.t.Triggers[0].At = append(r.t.Triggers[0].At, r.Quotes(toks[:n])...)
	return n
}

// later reads when a step is done: "after 2 days, ...", "in 2 weeks remind me ...", "after that is done, ...".
func (r *reader) later(list *[]tree.Step, toks []phrase.Token) int {
	if n := pause(r, list, toks); n > 0 {
		return n
	}
	if n := counted(r, list, toks); n > 0 {
		return n
	}
	if n := atTime(r, list, toks); n > 0 {
		return n
	}
	size := phrase.Starting(toks, phrase.Phrases("after as_soon_as following"))
	if size == 0 {
		return 0
	}
	n := size + phrase.CondEnd(toks[size:])
	switch {
	case n == len(toks):
		return 0
	case r.inOrder(*list, toks[:n], toks[size:n], true):
		return n
	case phrase.ActorOf(toks[size:n]).N > 0: // "after the guest has paid, ...": who says when?
		r.lead, r.people.last = nil, nil
		return len(toks)
	}
	return 0
}

// acts reports whether tokens say what is done, or who does it.
func acts(toks []phrase.Token) bool {
	return len(toks) > 0 && (phrase.StartsStep(toks) || phrase.OpensClause(toks) || phrase.ActorOf(toks).N > 0)
}

// asksPeople reports whether a step waits for people, who may not answer.
func asksPeople(s *tree.Step) bool {
	return s.Kind == tree.Ask || s.Doer == tree.DoerPerson
}

// unsaid reports whether a step is an approval or a message that has no words, so that a condition behind it is its own.
func unsaid(s *tree.Step) bool {
	return s.Approves() || s.Kind == tree.Tell && s.Text == ""
}

// conditionBody reads the steps behind a condition and adds the decision. n is how many tokens of rest it takes; took reports whether it has
// taken the items below.
func (r *reader) conditionBody(list *[]tree.Step, d tree.Step, cond *tree.Cond, rest []phrase.Token, kids []phrase.Item, depth int) (n int, took bool) {
	e := caseEnd(r.Source, rest, func(toks []phrase.Token) bool { // a condition beside this one
		size := phrase.Starting(toks, phrase.Ifs)
		if size == 0 || phrase.Starting(toks, phrase.Refuted) > 0 { // "if not" is its other side
			return false
		}
		said := toks[:size+phrase.CondEnd(toks[size:])]
		other := r.Condition(said[size:])
		return values.Disjoint(*cond, other) || values.Covers(other, *cond) || phrase.Contrary(cond.Words, other.Words) || apart(r, cond, rest, said, other)
	})
	lead := r.lead
	if e < len(rest) {
		kids = nil
	} else if after := r.approved(rest, r.listed, depth); after > 0 { // "if ... ask @finance, then refund it": that comes after both ways
		e, kids = after, nil
	}
	b := r.branch(nil, rest[:e], kids, depth)
	b.When, r.lead = cond, lead
	d.Branches = []tree.Branch{b}
	if len(*list) > 0 {
		redoes(r.t, &(*list)[len(*list)-1], b.Steps)
	}
	if len(b.Steps) == 0 && len(b.At) == 0 && e == len(rest) { // the steps are not understood
		r.lead = nil
		return e, true
	}
	r.append(list, d)
	return e, e == len(rest)
}

// restates reports whether words only repeat what was done before: the words before them have all their nouns and verbs.
func (r *reader) restates(toks []phrase.Token) bool {
	const most, far = 24, 4000                                                            // words, and bytes before them that are looked at
	if n := len(toks); n > 3 && toks[n-2].Low == "and" && phrase.PassiveWord(toks[n-1]) { // "is selected and confirmed"
		toks = toks[:n-2]
	}
	if len(toks) == 0 || len(toks) > most || slices.ContainsFunc(toks, func(t phrase.Token) bool {
		return t.Kind != phrase.Word || t.Is("not", "no", "or")
	}) {
		return false
	}
	return phrase.Mentions(r.Src[max(r.opening.Begin, toks[0].From-far):toks[0].From], toks)
}

// isFinished reports whether words only state the end of the steps before, or that all who were asked have agreed.
func isFinished(list []tree.Step, toks []phrase.Token) bool {
	if _, done := phrase.Whole(phrase.AllDone, toks); done || phrase.Starting(toks, phrase.Finished) == len(toks) {
		return true
	}
	_, agreed := phrase.Whole(phrase.AllAgreed, toks)
	s := &list[len(list)-1]
	return agreed && unanswered(s) && (s.Quorum > 1 && s.Quorum == len(s.Who) || len(together(list)) > 1)
}

// inOrder takes words that only put a step after the one before, or behind it: said are those that state that it is done.
func (r *reader) inOrder(list []tree.Step, toks, said []phrase.Token, joined bool) bool {
	last := len(list) - 1
	if last < 0 || !joined && last == 0 || !isFinished(list, said) && (!joined || toks[0].Low == "when" || !r.restates(said)) {
		return false
	}
	stated(r, &list[last], toks, joined)
	return true
}

// stated quotes words that state the end of a step: at that step, where "once both are done" counts what is in it.
func stated(r *reader, s *tree.Step, toks []phrase.Token, joined bool) {
	if !joined || s.Kind == tree.Parallel || s.Kind == tree.Decide || s.Quorum > 1 {
		s.At = append(s.At, r.Quotes(toks)...)
	} else {
		r.lead = append(r.lead, r.Quotes(toks)...)
	}
}

// approved gives where ", then ..." begins behind words that are only an approval; 0 = they are something else.
func (r *reader) approved(toks []phrase.Token, listed bool, depth int) int {
	at := phrase.Find(toks, "then")
	if at > 1 && toks[at-1].Low == "and" { // ", and then"
		at--
	}
	if depth > 0 || at < 2 || toks[at-1].Low != "," {
		return 0
	}
	probe := r.probe()
	probe.listed = listed
	if steps := probe.body(toks[:at-1], nil, depth); len(steps) == 0 || !onlyApprovals(steps) {
		return 0
	}
	return at - 1
}

// onlyApprovals reports whether steps ask for approvals and do nothing else, also under conditions of their own.
func onlyApprovals(steps []tree.Step) bool {
	return !slices.ContainsFunc(steps, func(s tree.Step) bool {
		within := s.Kind == tree.Decide && !slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.Else || len(b.Steps) == 0 || !onlyApprovals(b.Steps) })
		named := s.Kind == tree.Do && strings.HasPrefix(s.Text, "@") && !strings.Contains(s.Text, " ") // "over 1000 @boss": what they do is asked
		return !within && !named && !unanswered(&s)
	})
}

// probe gives a reader that looks at words without taking them.
func (r *reader) probe() *reader {
	return newReader(&tree.Tree{Texts: r.t.Texts}, r.Source)
}

// answerable reports whether "if not" behind a list is the other side of its last step.
func answerable(list *[]tree.Step) bool {
	if len(*list) == 0 || answered(list) != nil {
		return false
	}
	s := &(*list)[len(*list)-1]
	return s.Kind == tree.Decide || s.Kind == tree.Ask || s.Doer == tree.DoerPerson && s.Deadline != nil
}
