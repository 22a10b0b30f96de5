package outline

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// contrast is how many tokens lead to the other side of the condition before: "otherwise", "if it is not", and "if it is not available" behind
// "if it is available".
func contrast(list []tree.Step, toks []phrase.Token) int {
	n := phrase.Starting(toks, phrase.Elses)
	if n > 0 {
		n += phrase.Starting(toks[n:], phrase.Merely)
	}
	if _, _, late := phrase.Silence(toks); late > n { // "if no reply"
		return 0
	}
	if n == 0 || toks[0].Low != "if" || n == len(toks) || phrase.Starting(toks[n:], phrase.Ends) > 0 || phrase.StartsStep(toks[n:]) || phrase.OpensClause(toks[n:]) && !phrase.Begins(toks[n:], "we") {
		return n
	}
	end := n + phrase.CondEnd(toks[n:])
	if last := len(list) - 1; last >= 0 && list[last].Kind == tree.Decide && end-n <= phrase.MostRole {
		if when := list[last].Branches[len(list[last].Branches)-1].When; when != nil && strings.HasSuffix(strings.ToLower(when.Words), " "+phrase.Lows(toks[n:end])) {
			return end
		}
	}
	return 0 // a condition of its own
}

// chain joins the decisions directly before an "otherwise" into one, when they exclude each other. It reports whether the "otherwise" then
// belongs to exactly one decision.
func chain(list *[]tree.Step) bool {
	from := len(*list)
	open := func(s *tree.Step) bool {
		return s.Kind == tree.Decide && !slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.Else || b.When == nil })
	}
	for from > 0 && open(&(*list)[from-1]) {
		from--
	}
	if len(*list)-from < 2 {
		return true
	}
	first := &(*list)[from]
	for i := from + 1; i < len(*list); i++ {
		for _, b := range first.Branches {
			if !values.Disjoint(*b.When, *(*list)[i].Branches[0].When) {
				return false
			}
		}
		first.Branches, first.At = append(first.Branches, (*list)[i].Branches...), append(first.At, (*list)[i].At...)
	}
	*list = (*list)[:from+1]
	return true
}

// caseEnd is where the steps of a case end: at its other side, or at another case of the same condition or question, ", if it is under 50".
// Without another only its other side and ranges end it.
func caseEnd(r values.Source, toks []phrase.Token, another func(toks []phrase.Token) bool) int {
	end := phrase.ElseAt(toks)
	for i := 1; i < len(toks); i++ {
		joined := toks[i-1].Kind == phrase.Sign || toks[i-1].Is("and", "but")
		if toks[i-1].Low == "," && phrase.Starting(toks[i:], phrase.Beyonds) > 0 || nextTier(r, toks[i-1:]) || joined && phrase.Starting(toks[i:], phrase.Anyhow) > 0 {
			return min(end, i)
		}
		label := slices.ContainsFunc(toks[min(i+1, len(toks)):min(i+phrase.MostRole, len(toks))], func(t phrase.Token) bool { return reply.Arrows[t.Low] })
		if joined && (toks[i].Is("if", "when", "for") || label) && another != nil && another(toks[i:]) {
			return min(end, i)
		}
	}
	return end
}

// apart reports whether a second condition in a sentence is one beside the first: "if it is over 100 tell #ops, if the status is new tell #team".
// One about an answer, or about what the steps before it find out, is not.
func apart(r *reader, cond *tree.Cond, steps, said []phrase.Token, other tree.Cond) bool {
	answer, _ := other.Right.Literal.(string)
	before := phrase.Trim(steps[:slices.IndexFunc(steps, func(t phrase.Token) bool { return t.From == said[0].From })])
	return len(before) > 0 && len(before) <= phrase.MostItem && !before[0].Is("ask", "let") && !checking.MatchString(r.Words(before)) &&
		phrase.Answers[strings.ToLower(answer)] == "" && phrase.Starting(said, phrase.Affirmed)+phrase.Starting(said, phrase.Refuted)+phrase.Starting(said, phrase.Failures) == 0
}

// undone sets what follows when somebody has not done a step in time, or cannot do it: "@ops restarts it within 2 hours, otherwise page
// @boss". toks are the words of that branch.
func undone(r *reader, s *tree.Step, b tree.Branch, toks []phrase.Token) {
	said, goesOn := phrase.OutcomeOf(toks)
	s.Judges = goesOn > 0 && said == "" || sameDeed(r, b.Steps, s) // somebody else does it, and then the flow goes on, too
	b.Choice = "timeout"
	s.Branches = []tree.Branch{b, {Choice: tree.PersonChoices()[1], Steps: r.t.Again(b.Steps)}}
}

// endsInApproval reports whether the last case of a condition ends in an approval that has steps of its own.
func endsInApproval(s *tree.Step) bool {
	if s.Kind != tree.Decide || len(s.Branches) == 0 {
		return false
	}
	steps := s.Branches[len(s.Branches)-1].Steps
	return len(steps) > 0 && slices.ContainsFunc(steps[len(steps)-1].Branches, func(b tree.Branch) bool { return b.Choice == "approve" })
}

// endsRun reports whether the run ends with the last answer that was said of a question: it is a no, or the steps behind it stop.
func endsRun(ask *tree.Step) bool {
	b := ask.Branches[len(ask.Branches)-1]
	return phrase.Answers[b.Choice] == "reject" || len(b.Steps) > 0 && b.Steps[len(b.Steps)-1].Kind == tree.Stop
}

// otherBranch begins the branch for the other side of a question or a condition, and gives where its steps begin; false = it cannot be told
// which side is the other one.
func otherBranch(r *reader, s *tree.Step, toks []phrase.Token, n int) (b tree.Branch, from int, ok bool) {
	if s.Kind == tree.Ask {
		left := reply.Left(s)
		if len(left) != 1 { // which of them?
			return b, n, false
		}
		return tree.Branch{Choice: left[0]}, n, true
	}
	size := phrase.Starting(toks[n:], phrase.Ifs)
	if size == 0 || n+size >= len(toks) {
		return tree.Branch{Else: true}, n, s.Kind == tree.Decide
	}
	end := n + size + phrase.CondEnd(toks[n+size:]) // "otherwise, if ..."
	cond := r.Condition(toks[n+size : end])
	cond.At = r.Quotes(toks[n:end])
	return tree.Branch{When: &cond}, end, s.Kind == tree.Decide
}

// otherwise reads the other side of the condition or question before.
func (r *reader) otherwise(list *[]tree.Step, n int, toks []phrase.Token, kids []phrase.Item, depth int) int {
	if r.limit && r.t.Deadline != nil { // "if it is not": the deadline of the whole run
		r.t.Deadline.At = append(r.t.Deadline.At, r.Quotes(toks[:n])...)
		r.t.Deadline.Steps, r.limit = r.body(toks[n:], kids, depth), false
		return len(toks)
	}
	if len(*list) == 0 {
		return len(toks)
	}
	if elseReminds(r, list, toks, n) {
		return len(toks)
	}
	before := strings.TrimRight(r.Src[:toks[0].From], " \n")
	if !chain(list) && !strings.HasSuffix(before, ";") && !strings.HasSuffix(before, ",") { // in a sentence of its own it may be about all of them
		return len(toks)
	}
	last := &(*list)[len(*list)-1]
	if ask := answered(list); ask != nil { // the other side of the answer, which is what comes next if the run ends there
		if !endsRun(ask) {
			return len(toks)
		}
		r.lead = append(r.lead, r.Quotes(toks[:n])...)
		return n
	}
	if endsInApproval(last) { // the other side of the approval, or of the condition for it?
		return len(toks)
	}
	if last.Kind == tree.Ask && last.Deadline != nil && len(last.Branches) == 0 { // rejected, or late?
		n = outcome(r, last, "timeout", "", toks, n, true)
		r.lead, r.no = nil, 0
		return cmp.Or(n, len(toks))
	}
	if slices.ContainsFunc(last.Branches, func(b tree.Branch) bool { return b.Else }) {
		return len(toks)
	}
	at := append(r.lead, r.Quotes(toks[:n])...)
	r.lead, r.no = nil, 0
	if last.Doer == tree.DoerPerson && last.Deadline != nil && len(last.Branches) == 0 { // neither done in time nor possible
		b := r.branch(at, toks[n:], kids, depth)
		undone(r, &(*list)[len(*list)-1], b, toks[n:])
		return len(toks)
	}
	b, n, ok := otherBranch(r, last, toks, n)
	if !ok {
		return len(toks)
	}
	end := n + caseEnd(r.Source, toks[n:], nil)
	if end < len(toks) {
		kids = nil
	}
	if all := last.Branches; len(all) > 0 {
		r.other = all[len(all)-1].Steps
	}
	read := r.branch(at, toks[n:end], kids, depth)
	b.Steps, b.At = read.Steps, read.At
	last = &(*list)[len(*list)-1]
	last.Branches = append(last.Branches, b)
	return end
}
