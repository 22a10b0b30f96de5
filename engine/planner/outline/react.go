package outline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/jumps"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
)

// reaction reads the steps after an answer, a failure or a missing answer: "if yes ...", "on error ...", "if nobody answers within 2 days ...".
func (r *reader) reaction(list *[]tree.Step, toks []phrase.Token, kids []phrase.Item, depth int) (n int, took bool) {
	if len(*list) == 0 {
		return 0, false
	}
	if r.onError(*list, toks, kids, depth) {
		return len(toks), true
	}
	in := nearest(list)
	ask := &(*in)[len(*in)-1]
	if size, took := silentIn(r, lateAsked(*in), toks, depth); size > 0 {
		return size, took
	}
	var choice, term string
	if asksPeople(ask) {
		reviewed(*in, toks)
		reply.YesNo(ask, toks)
		choice, term, n = reply.OrSilence(ask, toks)
		if last := len(*in) - 1; reply.Unable(ask, toks[:n]) && last > 0 && (*in)[last-1].Said == ask.Said || choice == tree.PersonChoices()[1] && len(reply.Answerer(toks)) == 0 && namesOthers(ask) { // which of those who do the same?
			n = 0
		}
	}
	if in != list && (ask.Approves() && phrase.Answers[choice] == "approve" || ask.Kind != tree.Ask && phrase.Has(toks[:n], "it")) { // "if approved ...": also where the condition does not hold?
		return 0, false
	}
	if n == 0 {
		if ask.Kind != tree.Ask {
			n = r.refused(*list, toks, kids, depth)
		}
		return n, n > 0
	}
	if all := refusable(r, *in, toks[:n]); len(all) > 1 && phrase.Answers[choice] == "reject" {
		return refusedBy(r, all, choice, toks, n, kids, depth), true
	}
	if !reply.Agreeing(ask, choice, toks[:n]) || another(r, ask, toks) {
		r.lead = nil
		return len(toks), true // the words stay unread
	}
	if lead := phrase.Starting(toks, phrase.AnswerLeads); choice != "timeout" && !phrase.Persons[toks[lead].Low] {
		of, answer, certain := whose(r, ask, choice, toks, n)
		if !certain {
			return unsure(r, list, toks, n, kids, depth)
		}
		ask, choice = of, answer
	}
	r.no = 0
	if size := outcome(r, ask, choice, term, toks, n, in == list); size > 0 {
		return size, size == len(toks)
	}
	e := answerEnd(r, ask, choice, toks, n, depth)
	if e < len(toks)-n {
		kids = nil
	}
	b := answerBranch(r, *list, ask, toks[:n+e], n, kids, depth)
	b.Choice = choice
	if !follows(r, ask, b, term, toks[:n+e], n) {
		return len(toks), true // two deadlines: the words stay unread
	}
	return n + e, e == len(toks)-n
}

// answerBranch reads the steps behind the first n tokens, which say an answer of the last question of a list.
func answerBranch(r *reader, list []tree.Step, ask *tree.Step, toks []phrase.Token, n int, kids []phrase.Item, depth int) tree.Branch {
	b, ok := sameBy(r, ask, toks, n)
	if !ok {
		b = r.branch(append(r.lead, r.Quotes(toks[:n])...), toks[n:], kids, depth)
	}
	redoes(r.t, ask, b.Steps)
	if last := len(b.Steps) - 1; last >= 0 && b.Steps[last].Kind == tree.Do && resubmits.MatchString(b.Steps[last].Text) {
		b.Steps = append(b.Steps, tree.Step{Kind: jumps.Jump, Max: cmp.Or(list[len(list)-1].No, len(list))})
	}
	return b
}

// insteadOfThem are the forms in which somebody else does what a person has not done.
var insteadOfThem = []string{"[then] ask|have|get|let {who} [to] do|does it|this|that|so [instead|then]", "[then] {who} [must|should|has_to|will|can|may] [to] do|does|takes_over|take_over [it|this|that|so] [instead|then]"}

// sameBy reads that somebody else does what a person cannot do or has not done, behind the first n tokens that say so: "@ana does it".
func sameBy(r *reader, ask *tree.Step, toks []phrase.Token, n int) (b tree.Branch, ok bool) {
	said := phrase.Trim(toks[n:])
	if ask.Doer != tree.DoerPerson || len(said) == 0 {
		return b, false
	}
	for _, form := range insteadOfThem {
		if m, fits := phrase.Fit(form, said); fits && m.End == len(said) {
			s := step(r.t, tree.Do)
			s.Doer, s.Text, s.Who, s.At = tree.DoerPerson, ask.Text, r.people.names(m.Names), r.Quotes(said)
			return tree.Branch{At: append(r.lead, r.Quotes(toks[:n])...), Steps: []tree.Step{s}}, true
		}
	}
	return b, false
}

// follows adds what follows an answer, or none in time, that the first n tokens say. It reports whether it fits the deadline that there is.
func follows(r *reader, ask *tree.Step, b tree.Branch, term string, toks []phrase.Token, n int) bool {
	choice := b.Choice
	if choice == "timeout" && reply.Unable(ask, toks[:n]) {
		undone(r, ask, b, toks[n:])
		return true
	}
	if choice == "timeout" && (reminded(r, ask, &b, term) || r.escalated(ask, &b, term)) {
		return true
	}
	if choice == "timeout" || ask.Doer == tree.DoerPerson {
		same := sameDeed(r, b.Steps, ask)
		ask.Judges = ask.Judges || same && choice != "timeout" // somebody else does it, and then the flow goes on
	} else if phrase.Answers[choice] == "reject" && len(b.Steps) == 1 && askTheSame(r, b.Steps, ask) {
		ask.Judges = true // somebody else may say yes, and then the flow goes on
	}
	if !ask.SetDeadline(term) {
		return false
	}
	addBranch(ask, b)
	return true
}

// sameDeed reports whether steps ask somebody else for what one asks for, or begin with doing the same.
func sameDeed(r *reader, steps []tree.Step, of *tree.Step) bool {
	stems := func(s *tree.Step) []string { return english.Stems(english.Scan(s.Text)) }
	return askTheSame(r, steps, of) || len(steps) > 0 && steps[0].Doer == tree.DoerPerson && slices.Equal(stems(&steps[0]), stems(of))
}

// reviewed makes an approval of a review, or of what somebody decides about, when the words behind it say what follows a yes or a no: "ask @ana to
// review it. If she rejects it ...".
func reviewed(list []tree.Step, toks []phrase.Token) {
	s := &list[len(list)-1]
	asked, ok := asApproval(s, reviewing)
	choice, n := reply.Of(&asked, toks)
	if len(reply.Answerer(toks)) == 0 && unclear(list, toks[:n]) {
		return
	}
	_, size := reply.Verdict(&asked, toks)
	person := phrase.Has(toks[:n], "he", "she", "they", "he's", "she's", "they're") || len(reply.Answerer(toks)) > 0
	if !ok && person && (size > 0 || slices.ContainsFunc(toks[:n], phrase.Judges)) {
		asked, ok = asApproval(s, looking)
	}
	if ok && choice != "" {
		*s = asked
	}
}

// unclear reports whether a pronoun may mean somebody else than the one who does the last step: who does the step before, or is named in it.
func unclear(list []tree.Step, said []phrase.Token) bool {
	last := len(list) - 1
	pronoun := slices.ContainsFunc(said, func(t phrase.Token) bool {
		return phrase.Persons[strings.TrimSuffix(strings.TrimSuffix(t.Low, "'s"), "'re")]
	})
	others := last > 0 && asksPeople(&list[last-1]) && len(list[last-1].Who)+len(list[last].Who) > 1 && list[last-1].Who[0].Words != list[last].Who[0].Words
	return pronoun && (others || namesOthers(&list[last]))
}

// namesOthers reports whether the words of a step name people besides those who do it.
func namesOthers(s *tree.Step) bool {
	return slices.ContainsFunc(phrase.Scan(s.Text, 0, len(s.Text)), func(t phrase.Token) bool {
		return t.Kind == phrase.Name && t.Low[0] == '@' || phrase.Roles[t.Low] && !phrase.Departments[t.Low] && !phrase.Persons[t.Low]
	})
}

// asApproval gives what somebody does as an approval of what stands behind its verbs; false = it is something else.
func asApproval(s *tree.Step, verbs *regexp.Regexp) (asked tree.Step, ok bool) {
	verb := verbs.FindString(s.Text)
	asked = tree.Step{Kind: tree.Ask, Who: s.Who, Text: s.Text[len(verb):], Said: s.Said, At: s.At, ID: s.ID, No: s.No, Deadline: s.Deadline, Quorum: s.Quorum}
	asked.Said.From += len(verb)
	asked.At = append(slices.Clone(s.At), tree.Quote{Text: s.Said.Text, From: s.Said.From, To: asked.Said.From})
	if asked.Text = lookingWell.ReplaceAllString(asked.Text, ""); english.Pronouns[strings.ToLower(asked.Text)] { // what was done before
		asked.At, asked.Text, asked.Said = append(asked.At, asked.Said), "", tree.Quote{}
	}
	return asked, s.Doer == tree.DoerPerson && len(s.Branches) == 0 && verb != ""
}

// reviewedByAll makes approvals of the reviews that several people do, when the words behind them say that all of them agree: "@ana and @bob review
// it. When both have approved ...".
func reviewedByAll(list *[]tree.Step, said []phrase.Token) {
	if _, ok := phrase.Whole(phrase.AllAgreed, said); !ok || len(*list) == 0 {
		return
	}
	at := len(*list) - 1
	if last := (*list)[at]; last.Kind == tree.Parallel {
		for _, b := range last.Branches {
			if len(b.Steps) != 1 {
				continue
			}
			if asked, ok := asApproval(&b.Steps[0], reviewing); ok {
				b.Steps[0] = asked
			}
		}
		return
	}
	for at > 0 && (*list)[at-1].Said == (*list)[at].Said && (*list)[at-1].Doer == tree.DoerPerson {
		at--
	}
	asked, ok := asApproval(&(*list)[at], reviewing)
	for _, s := range (*list)[at+1:] {
		asked.Who, asked.At = append(asked.Who, s.Who...), append(asked.At, s.At...)
	}
	if asked.Quorum = len(asked.Who); ok && asked.Quorum > 1 {
		*list = append((*list)[:at], asked)
	}
}

// looking finds the verbs of what people do to say what they think of something.
var looking = regexp.MustCompile(`(?i)^(?:checks?|(?:looks?|goes|go) (?:at|over|through|into)|takes? a (?:close |closer |quick )?look at|reads?|tests?|inspects?|examines?|evaluates?|assess(?:es)?|proofreads?|tastes?|tries|try|audits?) `)

// lookingWell are words behind what is looked at that say how: "reads it through".
var lookingWell = regexp.MustCompile(`(?i) (?:through|over|again|carefully|first|closely|asap|quickly|right away)$`)

var reviewing = regexp.MustCompile(`(?i)^(?:reviews?|(?:decides?|makes? (?:a|the) decision) (?:about|on|upon|over)) `)

// nearest is the list that ends with the question which an answer behind a list is for: the list itself, or the steps behind a condition at its
// end, if one question stands there.
func nearest(list *[]tree.Step) *[]tree.Step {
	out, asks := list, 0
	if last := len(*list) - 1; last >= 0 && (*list)[last].Kind == tree.Decide {
		for s := range (&tree.Tree{Steps: (*list)[last:]}).Walk {
			if asksPeople(s) {
				asks++
			}
		}
		for i := range (*list)[last].Branches {
			in := nearest(&(*list)[last].Branches[i].Steps)
			if n := len(*in); asks == 1 && n > 0 && asksPeople(&(*in)[n-1]) {
				out = in
			}
		}
	}
	return out
}

// another reports whether "she" in an answer of a question may be somebody who is asked behind the answer before: "if she approves, ask @bob to
// approve. If he rejects ...".
func another(r *reader, ask *tree.Step, toks []phrase.Token) bool {
	n := phrase.Starting(toks, phrase.AnswerLeads)
	if len(ask.Branches) == 0 || n == 0 || n == len(toks) || !phrase.Persons[toks[n].Low] {
		return false
	}
	b := &ask.Branches[len(ask.Branches)-1]
	for s := range (&tree.Tree{Steps: b.Steps}).Walk {
		if _, answer := reply.Of(s, toks); answer > 0 && s.Kind == tree.Ask {
			return !slices.ContainsFunc(b.At, func(q tree.Quote) bool {
				return slices.Contains(strings.Fields(strings.ToLower(r.Src[q.From:q.To])), toks[n].Low) // the same "she"
			})
		}
	}
	return false
}

// answered gives the question behind a condition at the end of a list, if something was said of its answers. An "if not" is about those.
func answered(list *[]tree.Step) *tree.Step {
	in := nearest(list)
	if ask := &(*in)[len(*in)-1]; in != list && len(ask.Branches) > 0 {
		return ask
	}
	return nil
}

// outcome reads what the missing answer counts as that the first n tokens are about: "without an answer in 2 days it counts as a yes". next: what
// comes next is done behind this question alone, and so may be "pay it anyway".
func outcome(r *reader, ask *tree.Step, choice, term string, toks []phrase.Token, n int, next bool) int {
	said, size := phrase.OutcomeOf(toks[n:])
	counted := reply.For(ask, said)
	anyway := next && len(ask.Branches) == 0 && phrase.Anyway(toks[n:]) // "pay it anyway": as after a yes
	if size == 0 && !anyway || choice != "timeout" || said != "" && counted == "" || term == "" && ask.Deadline == nil || !ask.SetDeadline(term) {
		return 0
	}
	at := append(r.lead, r.Quotes(toks[:n+size])...)
	if r.lead = nil; said == "" {
		addBranch(ask, tree.Branch{Choice: choice, At: at})
	} else {
		ask.Deadline.Choice, ask.At = counted, append(ask.At, at...)
	}
	return n + size
}

// redoes opens "him" in steps that make something anew behind a question: the one who is asked did not make it.
func redoes(t *tree.Tree, ask *tree.Step, steps []tree.Step) {
	for i := range steps {
		for _, n := range steps[i].Names() {
			words := strings.ToLower(t.Words(n.At))
			if ask.Kind == tree.Ask && len(ask.Who) == 1 && refers[words] && n.Words == ask.Who[0].Words && anew.MatchString(steps[i].Text) {
				n.Words, n.Is = words, ""
			}
		}
	}
}

// anew finds words for making something that was there, or making it better.
var anew = regexp.MustCompile(`(?i)\b(?:re-?(?:do|write|work|make|submit)|change|fix|correct|revise|improve|adjust|repair|redraft|again)\b`)

// answerEnd is how many tokens the steps behind an answer of n tokens have: they end at another answer of the same question.
func answerEnd(r *reader, ask *tree.Step, choice string, toks []phrase.Token, n, depth int) int {
	late := choice == "timeout"
	return caseEnd(r.Source, toks[n:], func(other []phrase.Token) bool {
		asked := *ask
		reply.YesNo(&asked, other)
		next, size := reply.Of(&asked, other)
		_, _, silent := phrase.Silence(other)
		between := toks[n : len(toks)-len(other)]
		return (silent > 0 && !late || size > 0 && next != choice) && !r.asksIn(between, late && !phrase.Has(between, "instead"), depth)
	})
}

// addBranch adds what follows an answer. More of it may have been said before: "if rejected also tell @bob".
func addBranch(ask *tree.Step, b tree.Branch) {
	if at := slices.IndexFunc(ask.Branches, func(o tree.Branch) bool { return o.Choice == b.Choice }); at >= 0 {
		ask.Branches[at].Steps, ask.Branches[at].At = append(ask.Branches[at].Steps, b.Steps...), append(ask.Branches[at].At, b.At...)
		return
	}
	ask.Branches = append(ask.Branches, b)
}

// refused reads "if it is rejected ..." behind a decision or approvals at the same time, or behind steps that follow an approval, when it can be about
// one question alone, or about each of those there. A refusal ends the run there anyway.
func (r *reader) refused(list []tree.Step, toks []phrase.Token, kids []phrase.Item, depth int) int {
	choice, n := reply.Of(&tree.Step{Kind: tree.Ask}, toks)
	lead := phrase.Starting(toks, phrase.AnswerLeads)
	if n == 0 && lead == 0 {
		return 0
	}
	said := toks[:phrase.CondEnd(toks)]
	words := r.Words(phrase.Trim(said[min(1, len(said)):]))
	switch refuses := refusal.MatchString(words); {
	case refuses && contraryTo(list, tree.Cond{Words: words}): // the other side of "if the claim is approved", which somebody decides
		return 0
	case n == 0 && !phrase.Has(said, "or") && refuses:
		choice, n = "reject", len(said)
	}
	anybody := lead > 0 && phrase.Starting(toks[lead:], phrase.Anybody) > 0
	if choice != "reject" || toks[n-1].Low == "no" && !anybody || n == len(toks) && len(kids) == 0 || caseEnd(r.Source, toks[n:], func([]phrase.Token) bool { return true }) < len(toks)-n {
		return 0
	}
	var all []*tree.Step
	for s := range (&tree.Tree{Steps: list}).Walk {
		if s.Kind == tree.Ask || s.Doer == tree.DoerPerson && checking.MatchString(s.Text) {
			all = append(all, s)
		}
	}
	last := &list[len(list)-1]
	if len(all) == 0 || len(all) > 1 && !anybody && (last.Kind != tree.Decide && last.Kind != tree.Parallel || !slices.Contains(slices.Collect(last.Walk), all[0])) || slices.ContainsFunc(all, func(s *tree.Step) bool {
		return !s.Approves() || !anybody && !reply.IsAsked(s, reply.Answerer(toks)) || slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.Choice == choice })
	}) {
		return 0
	}
	return refusedBy(r, all, choice, toks, n, kids, depth)
}

// refusedBy reads what follows the no to each of several questions, behind the first n tokens that say it.
func refusedBy(r *reader, all []*tree.Step, choice string, toks []phrase.Token, n int, kids []phrase.Item, depth int) int {
	b := r.branch(append(r.lead, r.Quotes(toks[:n])...), toks[n:], kids, depth)
	b.Choice, r.no = choice, 0
	for _, s := range all {
		s.Branches = append(s.Branches, b)
		b = tree.Branch{Choice: choice, Steps: r.t.Again(b.Steps)}
	}
	return len(toks)
}

// begins reports whether tokens begin a sentence that stands in no line of a numbered step.
func begins(r *reader, list []tree.Step, toks []phrase.Token) bool {
	last := list[len(list)-1].Stands()
	before := r.Src[min(last.From, toks[0].From):toks[0].From]
	numbered := list[len(list)-1].No > 0 && !strings.Contains(before, "\n")
	before = strings.TrimRight(before, " \t\"”")
	return !numbered && (strings.HasSuffix(before, ".") || strings.HasSuffix(before, "\n"))
}

// refusable lists the approvals that a no may be to when its words name nobody: with "anybody" all in a list, and in a sentence of its own those that end
// the list one behind the other.
func refusable(r *reader, list []tree.Step, said []phrase.Token) (out []*tree.Step) {
	lead := phrase.Starting(said, phrase.AnswerLeads)
	anybody := phrase.Starting(said[lead:], phrase.Anybody) > 0
	if lead == 0 || !anybody && (phrase.AnswererEnd(said[lead:]) > phrase.Starting(said[lead:], phrase.Phrases("it_is it's")) || !begins(r, list, said)) {
		return nil
	}
	for i := range list {
		s := &list[len(list)-1-i]
		if !unanswered(s) && !anybody {
			break
		}
		if unanswered(s) {
			out = append(out, s)
		}
	}
	slices.Reverse(out)
	return out
}

// unanswered reports whether a step asks for nothing but an approval, and nothing is said of its answers yet.
func unanswered(s *tree.Step) bool { return s.Approves() && len(s.Branches) == 0 }

// onError reads the steps after a failure: "on error ...", "if the refund fails ...".
func (r *reader) onError(list []tree.Step, toks []phrase.Token, kids []phrase.Item, depth int) bool {
	size, at := failure(list, toks)
	if size == 0 || at < 0 {
		return false
	}
	b := r.branch(append(r.lead, r.Quotes(toks[:size])...), toks[size:], kids, depth)
	s := &list[at]
	if more := b.Steps; len(more) == 1 && more[0].Kind == tree.Do && s.Retry == 0 && len(s.OnError) == 0 && s.Doer != tree.DoerPerson {
		if trial := []tree.Step{*s}; r.form(&trial, phrase.Scan(r.Src, more[0].Said.From, more[0].Said.To), true) && trial[0].Retry > 0 { // "if it fails retry up to 3 times, and if it still fails ..."
			s.Retry, s.Pause, s.At = trial[0].Retry, trial[0].Pause, slices.Concat(s.At, b.At, more[0].At, []tree.Quote{more[0].Said})
			s.OnError = more[0].OnError
			return true
		}
	}
	if s.Doer == tree.DoerPerson { // who says so
		no := s.Unable()
		no.Steps, no.At = append(no.Steps, b.Steps...), append(no.At, b.At...)
		return true
	}
	s.OnError, s.At = append(s.OnError, b.Steps...), append(s.At, b.At...)
	return true
}

// askTheSame gives questions that have no words of their own those of the step that got no answer, or that somebody could not do. One whose words
// say that somebody approves is no task.
func askTheSame(r *reader, steps []tree.Step, of *tree.Step) (some bool) {
	for i := range steps {
		s := &steps[i]
		says := func(q tree.Quote) bool { _, ok := phrase.Decides(r.t.Words(q)); return ok }
		if !s.Approves() || s.Text != "" || of.Doer == tree.DoerPerson && slices.ContainsFunc(s.At, says) {
			continue
		}
		if s.Text = of.Text; of.Doer == tree.DoerPerson {
			s.Kind, s.Doer = tree.Do, tree.DoerPerson
		} else if len(s.Branches) == 0 {
			s.Choices, s.Free, s.Fields = of.Choices, of.Free, slices.Clone(of.Fields)
			for i := range s.Fields {
				s.Fields[i].At = tree.Quote{}
			}
		}
		some = true
	}
	return some
}

// asksIn reports whether words ask a question of their own, so that an answer behind them may be the one to that. With same, a question
// without words is none of their own.
func (r *reader) asksIn(toks []phrase.Token, same bool, depth int) bool {
	return slices.ContainsFunc(r.probe().body(toks, nil, depth), func(s tree.Step) bool {
		return s.Kind == tree.Ask && (!same || s.Text != "" || !s.Approves())
	})
}

// resubmits finds words that mean that a document is submitted again after a change.
var resubmits = regexp.MustCompile(`(?i)\bre-?submit(?:s|ting)?\b|\b(?:submit|submits|submitting|sends?|sending|hands? in) .*\bagain\b`)

// failure reads "if it fails", "if step 2 fails" and "if the deployment fails" behind it, and gives the step. Of a test or a check it is a result.
func failure(list []tree.Step, toks []phrase.Token) (n, at int) {
	at = len(list) - 1
	if n = phrase.Starting(toks, phrase.Failures); n > 0 {
		if checking.MatchString(list[at].Text) && strings.HasPrefix(toks[0].Low, "if") && toks[n-1].Low != "wrong" {
			return 0, 0
		}
		return n, at
	}
	n = phrase.Find(toks[:min(len(toks), phrase.MostRole)], "fails", "failed") + 1
	if n < 3 || !toks[0].Is("if", "when") {
		return 0, 0
	}
	if toks[1].Low == "step" {
		at = jumps.Place(list, phrase.Small(toks[2]))
		return n, at
	}
	if s := &list[at]; s.Kind != tree.Do || checking.MatchString(s.Text) || !phrase.Mentions(s.Text, toks[1:n-1]) {
		return 0, 0
	}
	return n, at
}

// checking finds words of a step that has a result of its own.
var checking = regexp.MustCompile(`(?i)\b(?:test|check|verif|validat|review|inspect|qa|audit|scan)`)
