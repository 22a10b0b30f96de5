package outline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
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
	if _, late := phrase.Silence(toks); late > n { // "if no reply"
		return 0
	}
	if n == 0 || toks[0].Low != "if" || n == len(toks) || phrase.Starting(toks[n:], phrase.Ends) > 0 || phrase.StartsStep(toks[n:]) || phrase.OpensClause(toks[n:]) && !phrase.Begins(toks[n:], "we") {
		return n
	}
	end := n + phrase.CondEnd(toks[n:])
	if len(list) == 0 || list[len(list)-1].Kind != tree.Decide || end-n > phrase.MostRole {
		return 0
	}
	last := list[len(list)-1].Branches
	if when := last[len(last)-1].When; when == nil || !strings.Contains(" "+strings.ToLower(when.Words)+" ", " "+phrase.Lows(toks[n:end])+" ") {
		return 0
	}
	return end
}

// eitherCase is how many tokens say that steps follow both sides of the decision before, "in either case", when they do: behind a question a
// refusal ends the run.
func eitherCase(list []tree.Step, toks []phrase.Token) int {
	n := phrase.Starting(toks, phrase.Phrases("in_either_case in_both_cases in_any_case either_way"))
	if n == 0 || len(list) == 0 || list[len(list)-1].Kind != tree.Decide {
		return 0
	}
	asks := false
	(&tree.Tree{Steps: list[len(list)-1:]}).Walk(func(s *tree.Step) bool {
		asks = asks || s.Kind == tree.Ask || s.Kind == tree.Stop || s.Doer == tree.DoerPerson
		return !asks
	})
	if asks {
		return 0
	}
	return n
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
func (r source) caseEnd(toks []phrase.Token, another func(toks []phrase.Token) bool) int {
	end := phrase.ElseAt(toks)
	for i := 1; i < len(toks); i++ {
		joined := toks[i-1].Kind == phrase.Sign || toks[i-1].Low == "and" || toks[i-1].Low == "but"
		if toks[i-1].Low == "," && (phrase.Starting(toks[i:], phrase.Beyonds) > 0 || r.nextTier(toks[i-1:])) {
			return min(end, i)
		}
		label := i+1 < len(toks) && reply.Arrows[toks[i+1].Low]
		if joined && (toks[i].Low == "if" || toks[i].Low == "when" || toks[i].Low == "for" || label) && another(toks[i:]) {
			return min(end, i)
		}
	}
	return end
}

// apart reports whether a second condition in a sentence is one beside the first: "if it is over 100 tell #ops, if the status is new tell #team".
// One about an answer, or about what the steps before it do, is not.
func apart(r *reader, cond *tree.Cond, steps, said []phrase.Token, other tree.Cond) bool {
	text, _ := other.Right.Literal.(string)
	left := phrase.Scan(other.Left.Words, 0, len(other.Left.Words))
	before := phrase.Trim(steps[:slices.IndexFunc(steps, func(t phrase.Token) bool { return t.From == said[0].From })])
	if len(before) == 0 {
		return false
	}
	unanswered := phrase.Messages[before[0].Low] && before[0].Low != "ask" && before[0].Low != "let" || phrase.ActorOf(before).N > 0 && !checking.MatchString(r.Words(before))
	pronoun := len(left) > 0 && (english.Pronouns[left[0].Low] || phrase.Persons[left[0].Low]) && !values.Covers(*cond, other)
	if (other.Op == "" || pronoun) && unanswered && len(before) < phrase.MostItem && phrase.Starting(said, phrase.Affirmed)+phrase.Starting(said, phrase.Refuted)+phrase.Starting(said, phrase.Failures) == 0 { // nothing is found out in them
		r.Object(r.t, said, "may count only where "+english.Quote(cond.Words))
		return true
	}
	if other.Op == "" || len(left) == 0 || phrase.Answers[strings.ToLower(text)] != "" || english.Pronouns[left[0].Low] || phrase.Persons[left[0].Low] || phrase.Mentions(r.Src[steps[0].From:said[0].From], left) {
		return false
	}
	r.Object(r.t, said, "may count only where "+english.Quote(cond.Words))
	return true
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
	before := strings.TrimRight(r.Src[:toks[0].From], " \n")
	if !chain(list) && !strings.HasSuffix(before, ";") && !strings.HasSuffix(before, ",") { // in a sentence of its own it may be about all of them
		return len(toks)
	}
	last := &(*list)[len(*list)-1]
	if n := len(last.Branches); last.Kind == tree.Decide && n > 0 {
		if steps := last.Branches[n-1].Steps; len(steps) > 0 && slices.ContainsFunc(steps[len(steps)-1].Branches, func(b tree.Branch) bool { return b.Choice == "approve" }) {
			return len(toks) // the other side of the approval, or of the condition for it?
		}
	}
	if last.Kind == tree.Ask && last.Deadline != nil && len(last.Branches) == 0 { // rejected, or late?
		n = outcome(r, last, "timeout", "", toks, n)
		r.lead, r.no = nil, 0
		return cmp.Or(n, len(toks))
	}
	closed := slices.ContainsFunc(last.Branches, func(b tree.Branch) bool { return b.Else })
	var b tree.Branch
	at := append(r.lead, r.Quotes(toks[:n])...)
	r.lead, r.no = nil, 0
	rest := toks[n:]
	var left []string // of the answers
	switch {
	case last.Doer == tree.DoerPerson && last.Deadline != nil && len(last.Branches) == 0: // neither done in time nor possible
		b = r.branch(at, rest, kids, depth)
		said, size := phrase.OutcomeOf(rest)
		last.Judges = size > 0 && said == "" // "otherwise go on"
		undone(r, &(*list)[len(*list)-1], b)
		return len(toks)
	case closed || last.Kind != tree.Decide && last.Kind != tree.Ask:
		return len(toks)
	case last.Kind == tree.Ask:
		if left = reply.Left(last); len(left) == 0 {
			return len(toks)
		}
		b.Choice = left[0]
	case phrase.Starting(rest, phrase.Ifs) > 0 && phrase.Starting(rest, phrase.Ifs) < len(rest):
		size := phrase.Starting(rest, phrase.Ifs)
		end := size + phrase.CondEnd(rest[size:])
		cond := r.Condition(rest[size:end])
		cond.At = r.Quotes(rest[:end])
		b.When, n = &cond, n+end
	default:
		b.Else = true
	}
	end := n + phrase.ElseAt(toks[n:])
	if at := slices.IndexFunc(toks[n:end], func(t phrase.Token) bool { return reply.Unsure[t.Low] }); at > 1 && last.Kind == tree.Ask && toks[n+at-1].Low == "if" { // ", if unsure ..."
		end = n + at - 1
	}
	if end < len(toks) {
		kids = nil
	}
	read := r.branch(at, toks[n:end], kids, depth)
	b.Steps, b.At = read.Steps, read.At
	last = &(*list)[len(*list)-1]
	if n := len(last.Branches); n > 0 {
		inTheirPlace(b.Steps, last.Branches[n-1].Steps)
	}
	last.Branches = append(last.Branches, b)
	for _, choice := range left[min(1, len(left)):] { // "if red ..., otherwise ...": each of the others
		last.Branches = append(last.Branches, tree.Branch{Choice: choice, Steps: again(r.t, b.Steps)})
	}
	return end
}

// undone sets what follows when somebody has not done a step in time or cannot do it: "@ops restarts it within 2 hours, otherwise page @boss".
func undone(r *reader, s *tree.Step, b tree.Branch) {
	if inTheirPlace(b.Steps, []tree.Step{*s}) || askTheSame(b.Steps, s) { // somebody else does it, and then the flow goes on
		s.Judges = true
	}
	b.Choice = "timeout"
	s.Branches = []tree.Branch{b, {Choice: tree.PersonChoices()[1], Steps: again(r.t, b.Steps)}}
}

// doesIt finds a step that only says that somebody else does what another branch says: "otherwise ana does it".
var doesIt = regexp.MustCompile(`(?i)^(?:to )?(?:(?:do|does|handles?|takes?|takes? over|takes? care of|deals? with) (?:it|this|that|the same)|takes? over)(?: too| as well| instead)?$`)

// inTheirPlace gives the first step the words of the one that it stands for, and keeps who does it. false = there is none.
func inTheirPlace(steps, of []tree.Step) bool {
	if len(steps) == 0 || steps[0].Doer != tree.DoerPerson || !doesIt.MatchString(strings.TrimSpace(steps[0].Text)) {
		return false
	}
	i := slices.IndexFunc(of, func(o tree.Step) bool { return o.Kind == tree.Ask || o.Kind == tree.Do })
	if i < 0 {
		return false
	}
	s, o := &steps[0], of[i]
	s.At = append(s.At, s.Said)
	s.Kind, s.Text, s.Said = o.Kind, o.Text, tree.Quote{}
	s.Choices, s.Fields, s.Free = o.Choices, slices.Clone(o.Fields), o.Free
	for i := range s.Fields {
		s.Fields[i].At = tree.Quote{}
	}
	if s.Kind == tree.Ask {
		s.Doer = ""
	}
	return true
}
