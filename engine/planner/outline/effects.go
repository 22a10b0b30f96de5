package outline

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/jumps"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// modifier is a form of words behind a step that say how it is done.
type modifier struct {
	Form
	what string
}

// modifiers are read from the end of a clause.
var modifierForms = []modifier{
	{Form: Form{"Deadlines", "[(] " + inTime + " {dur} " + toAnswer + " [)]", "ask @ops to approve within 3 days", "how long people have"}, what: "deadline"},
	{Form: Form{Pattern: "[,] all|both|everything|not by|before|due|until {due}"}, what: "unread"},
	{Form: Form{Pattern: "[(] before {sharp} [)]"}, what: "deadline"},
	{Form: Form{"Deadlines", "[(] " + dueBy + " {due} [at_the_latest|latest] [)]", "ask @ops to approve by Friday at noon", "until when people have"}, what: "deadline"},
	{Form: Form{Pattern: "[(] they|he|she|people has|have|gets|get [time] until|till|by {due} [)]"}, what: "deadline"},
	{Form: Form{Pattern: "[(] within|in|for|max|max.|maximum|at_most|up_to {nounit} [)]"}, what: "unread"}, // "within 1 dya"
	{Form: Form{Pattern: "( {dur} " + toAnswer + " )"}, what: "deadline"},
	{Form: Form{Pattern: "( {dur} [,] [then|and|or] else|otherwise|then ask|escalate_to|to {who} )"}, what: "escalate"},
	{Form: Form{Pattern: "( both|all [of_them] )"}, what: "all"},
	{Form: Form{Pattern: "[(] they|he|she|people has|have|gets|get {dur} " + toAnswer + " [)]"}, what: "deadline"},
	{Form: Form{Pattern: "[(] they|he|she|people has|have [time] until|till|by {text}"}, what: "unread"}, // a time of day is no duration
	{Form: Form{"Each", "for each|every|all_of [one] [of] {item}", "send a voucher for each of the orders", "a step for each item of a list"}, what: "each"},
	{Form: Form{Pattern: "every {dur} until|till {cond}"}, what: "again"},
	{Form: Form{Pattern: "by|before {days}"}, what: "unread"}, // a deadline that no duration says
	{Form: Form{Pattern: "by|before|until {date}"}, what: "unread"},
	{Form: Form{Pattern: "by|before {moment}"}, what: "unread"},
	{Form: Form{Pattern: "by|before [the|next|this] tomorrow|tonight|eod|end_of_day|end_of_the_day|end_of_week|end_of_month|end_of_the_week|end_of_the_month|week|month|weekend|lunch"}, what: "unread"},
	{Form: Form{"Parallel", "[(|-|–] [all|both|everything] [of_them|of_this|of_that] in_parallel|at_the_same_time|simultaneously|in_any_order|at_once [)]", "get the order and check the stock in parallel", "steps at the same time"}, what: "parallel"},
	{Form: Form{Pattern: "[,] [but] [only] after|once|while {who} approves|approve|approved|has_approved|have_approved|confirms|has_confirmed|signs_off|has_signed_off|signs the|a|an|his|her|their|our {text}"}, what: "unread"}, // is the approval a step of its own?
	{Form: Form{Pattern: phrase.ApprovedBy}, what: "first"},
	{Form: Form{Pattern: "[,] [but] only_after|only_once|only_when|once|after {who} has|have [given] approved|agreed|confirmed|signed|signed_off|accepted|their_ok|their_approval|reviewed [it|this|that|them]"}, what: "first"},
	{Form: Form{Pattern: "[,] while|whilst {addr} {text}"}, what: "unread"}, // at the same time?
	{Form: Form{Pattern: "[,] [and] before_that {text}"}, what: "unread"},
	{Form: Form{Pattern: "[,] so [that] everybody|everyone|everybody_else|everyone_else|people|all|they|we|he|she|nobody know|knows|is_informed|are_informed|is_aware|are_aware|see|sees|can_see|uses|forgets [it|this|that|about_it|of_it]"}, what: "purpose"},
	{Form: Form{"AI", "with|using|by|via [the|an|our] " + theAI, "classify the ticket with AI", "an AI agent does it"}, what: "agent"},
	{Form: Form{Pattern: "( [via|through|over|on|in|by|as] [a] slack [message] )"}, what: "slack"},
	{Form: Form{"Tell", "via|through|over|on|in|using slack", "notify @ana via Slack", "a message: all of them are sent in Slack"}, what: "slack"},
	{Form: Form{"Results", "( variable {item} )", "summarize the ticket (variable summary)", "a name for the result"}, what: "result"},
}

// modifierStarts are the words with which modifiers begin.
var modifierStarts = phrase.Set(`every within no not due deadline everything for in at simultaneously ( by before with using via through over on - – all both everything they he she max maximum up but only once after when while whilst and as provided so ,`)

// tail is a modifier that was found.
type tail struct {
	form *modifier
	toks []phrase.Token
	m    *phrase.Match
}

// modifiers cuts what says how a step is done off its end.
func modifiers(toks []phrase.Token) (rest []phrase.Token, out []tail) {
	for i := 1; i < len(toks); i++ {
		if !modifierStarts[toks[i].Low] || toks[i].Is("by", "before") && (phrase.PassiveWord(toks[i-1]) || toks[i-1].Is("due", "arrives", "not")) || toks[i].Is("due", "deadline") && toks[i-1].Kind != phrase.Sign { // "the orders placed by noon"
			continue
		}
		var found []tail
		at := i
		for t, ok := modifierAt(toks[at:]); ok; t, ok = modifierAt(toks[at:]) {
			found, at = append(found, t), at+len(t.toks)
			for at < len(toks) && toks[at].Low == "," {
				at++
			}
		}
		if at == len(toks) {
			return phrase.Trim(toks[:i]), found
		}
	}
	return toks, nil
}

func modifierAt(toks []phrase.Token) (tail, bool) {
	for i := range modifierForms {
		if m, ok := phrase.Fit(modifierForms[i].Pattern, toks); ok {
			return tail{&modifierForms[i], toks[:m.End], m}, true
		}
	}
	return tail{}, false
}

// fits reports whether a modifier can be said of a step.
func fits(s *tree.Step, t tail) bool {
	switch t.form.what {
	case "unread":
		return false
	case "deadline":
		asked := s.Free || slices.Equal(s.Choices, []string{"yes", "no"}) // "whether it is done by Friday"
		return s.TakesTime() && s.Deadline == nil && !(asked && strings.HasPrefix(t.m.Term, tree.Until))
	case "escalate":
		return asksPeople(s) && s.Deadline == nil && len(t.m.Names) == 1
	case "all":
		return s.Quorum >= 2 && s.Quorum == len(s.Who)
	case "slack":
		return s.Kind == tree.Tell || s.Kind == tree.Ask
	case "agent":
		return s.Kind == tree.Do
	}
	return true
}

// modify applies a modifier to the steps from a place on. It reports whether it fits them.
func (r *reader) modify(list *[]tree.Step, from int, t tail) bool {
	last := &(*list)[len(*list)-1]
	at := r.Quotes(t.toks)
	r.note(t.form.Pattern)
	if !fits(last, t) {
		return false
	}
	switch t.form.what {
	case "deadline":
		for i := from; i < len(*list); i++ {
			(*list)[i].Deadline = &tree.Deadline{After: t.m.Term}
		}
	case "escalate":
		last.Deadline = &tree.Deadline{EscalateAfter: t.m.Term, EscalateTo: &r.people.names(t.m.Names)[0]}
	case "first":
		ask := step(r.t, tree.Ask)
		if ask.Who = r.people.names(t.m.Names); askedBefore(r, *list, ask.Who[0].Words) {
			break
		}
		if refers[phrase.Lows(t.m.Names[0].Toks)] { // "once he has approved it": who?
			return false
		}
		ask.At = at
		return beforeStep(r, list, ask)
	case "agent":
		last.Kind = tree.Agent
	case "result":
		last.Result = english.Snake(r.Plain(t.m.Slots["item"]))
	case "each":
		e := r.each(t.m.Slots["item"])
		e.At = append(e.At, at...)
		jumps.Wrap(list, from, len(*list), e)
		return true
	case "again":
		r.repeated(list, from, t.m, t.toks)
		return true
	case "parallel":
		for i := len(*list) - 2; i >= from && (*list)[i].Kind == last.Kind; i-- { // of the same kind, if there are several
			if i == from || (*list)[i-1].Kind != last.Kind {
				from = i
			}
		}
		return parallel(r.t, list, from, at)
	}
	last.At = append(last.At, at...)
	return true
}

// modified applies what stands behind the step at a place, whose sentence begins at start. What does not fit stays unquoted.
func modified(r *reader, list *[]tree.Step, start, at int, tails []tail) {
	for _, t := range tails {
		from := at
		if last := len(*list) - 1; t.form.what == "parallel" && last == at {
			if s := (*list)[last]; s.Kind == tree.Ask && s.Quorum > 1 && s.Quorum == len(s.Who) || s.Doer == tree.DoerPerson && len(s.Who) > 1 { // each of them, at the same time
				r.split(list)
			} else {
				from = start
			}
		}
		r.modify(list, from, t)
	}
}

// each makes an empty loop over a list.
func (r *reader) each(item []phrase.Token) tree.Step {
	s := step(r.t, tree.Each)
	s.Over = tree.Value{Words: r.Words(item), At: r.Quote(item)}
	if english.Pronouns[strings.ToLower(s.Over.Words)] {
		s.As = "entry"
		return s
	}
	for _, t := range item { // "unpaid order in the list": the item is called by the noun
		if t.Kind != phrase.Word || phrase.RoleEnds[t.Low] && !phrase.Determiners[t.Low] || phrase.Prepositions[t.Low] && t.Low != "of" || s.As != "" && t.Is("of", "older") {
			break
		}
		if !phrase.Determiners[t.Low] && t.Low != "of" {
			if s.As != "" && keys[t.Low] { // "order id"
				s.As += "_" + english.Snake(t.Text)
			} else {
				s.As = english.Snake(t.Text)
			}
		}
	}
	return s
}

// keys are what a thing is known by.
var keys = phrase.Set(`id number code name`)

// parallel makes branches of the steps from a place on.
func parallel(t *tree.Tree, list *[]tree.Step, from int, at []tree.Quote) bool {
	if len(*list)-from < 2 {
		return false
	}
	p := step(t, tree.Parallel)
	p.At, p.No = at, (*list)[from].No
	for _, s := range (*list)[from:] {
		s.No = 0
		p.Branches = append(p.Branches, tree.Branch{Steps: []tree.Step{s}})
	}
	*list = append((*list)[:from], p)
	return true
}

// affect applies a form that makes no step of its own. It reports whether it fits what stands before.
func (r *reader) affect(list *[]tree.Step, f *stepForm, m *phrase.Match, toks []phrase.Token) bool {
	at := append(r.lead, r.Quotes(toks)...)
	switch f.effect {
	case goesOn:
		r.lead = at // the words stand at what follows, or at the branch
		return true
	case ends:
		stop := step(r.t, tree.Stop)
		stop.At = r.Quotes(toks)
		r.append(list, stop)
		return true
	case whole_:
		return wholeDeadline(r, m, at)
	case jumpsTo:
		jump := tree.Step{Kind: jumps.Jump, Max: max(m.Count, 1), At: at}
		if most := m.Slots["last"]; most != nil {
			jump.Retry = phrase.Small(most[0])
		}
		*list = append(*list, jump)
		r.lead = nil
		return true
	}
	if len(*list) == 0 {
		return false
	}
	if f.effect == repeats {
		r.repeated(list, len(*list)-1, m, toks)
		return true
	}
	if f.effect == allows || f.effect == reminds || f.effect == escalate || f.effect == votes {
		list = nearest(list)
	}
	last := &(*list)[len(*list)-1]
	if f.effect == reminds && !asksPeople(last) || f.effect == allows && last.Kind == tree.Parallel {
		return lateIn(r, lateAsked(*list), f, m, toks, at)
	}
	if !r.changeLast(last, f, m, toks) {
		return false
	}
	if f.effect == allows || f.effect == reminds || f.effect == escalate {
		forEach(*list)
	}
	last.At = append(last.At, at...)
	r.lead = nil
	return true
}

// eachAsks reports whether each of a few ways at the same time is one step of people.
func eachAsks(s *tree.Step) bool {
	const most = 10 // ways: what is said of them is read for each
	return s.Kind == tree.Parallel && len(s.Branches) <= most && !slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return len(b.Steps) != 1 || !asksPeople(&b.Steps[0]) })
}

// changeLast applies a form to the last step.
func (r *reader) changeLast(last *tree.Step, f *stepForm, m *phrase.Match, toks []phrase.Token) bool {
	asks := last.Kind == tree.Ask || last.Doer == tree.DoerPerson
	switch f.effect {
	case retries, tries:
		if asks || last.Kind != tree.Do && last.Kind != tree.Agent {
			return false
		}
		if last.Retry, last.Pause = m.Count, m.Term; f.effect == retries {
			last.Retry++
		}
	case allows, reminds, escalate:
		return (asks || f.effect == allows && last.TakesTime()) && r.late(last, f, m, phrase.Once(r.Words(toks)))
	case votes:
		return vote(last, m, toks)
	case calls:
		last.Result = english.Snake(r.Plain(m.Slots["item"]))
	}
	return true
}

// forEach gives the deadline of the last question to those directly before it that ask others for the same.
func forEach(list []tree.Step) {
	last := &list[len(list)-1]
	for i := len(list) - 2; i >= 0; i-- {
		s := &list[i]
		same := s.Kind == last.Kind && s.Said == last.Said && slices.EqualFunc(s.Fields, last.Fields, func(a, b tree.Field) bool { return a.At == b.At })
		if !same || s.Said.Empty() && len(s.Fields) == 0 {
			return
		}
		kept := *last.Deadline
		s.Deadline = &kept
	}
}

// vote sets how many of those who are asked must agree.
func vote(s *tree.Step, m *phrase.Match, toks []phrase.Token) bool {
	n := max(m.Count, 1)
	if low := toks[0].Low; low == "both" || low == "all" || low == "everyone" || low == "everybody" || low == "each" {
		if n = len(s.Who); n < 2 { // how many a group has is not known
			return false
		}
	}
	if s.Kind != tree.Ask || s.Free || len(s.Fields) > 0 {
		return false
	}
	s.Quorum = n
	return true
}

// late sets how long people have, a reminder of a question, or who is asked when nobody answers.
func (r *reader) late(s *tree.Step, f *stepForm, m *phrase.Match, once bool) bool {
	others := slices.ContainsFunc(m.Names, func(w phrase.Who) bool { return !asked(s, r.Words(w.Toks)) })
	if what := m.Slots["matter"]; what != nil && !phrase.Mentions(s.Text+" answer decision approval", what) {
		return false
	}
	if f.effect == escalate && len(m.Names) != 1 || f.effect != escalate && others || f.effect == allows && s.Deadline != nil && s.Deadline.After != "" {
		return false
	}
	if s.Deadline == nil {
		s.Deadline = &tree.Deadline{}
	}
	switch f.effect {
	case allows:
		s.Deadline.After = m.Term
	case reminds:
		s.Deadline.Remind, s.Deadline.RemindOnce = cmp.Or(m.Term, "1d"), once // without a term: daily
	default:
		names := r.people.names(m.Names)
		s.Deadline.EscalateAfter, s.Deadline.EscalateTo = m.Term, &names[0]
	}
	return true
}

// asked reports whether a question goes to somebody: "them", or a name of those who are asked.
func asked(s *tree.Step, who string) bool {
	who = strings.ToLower(who)
	return refers[who] || who == "people" || slices.ContainsFunc(s.Who, func(n tree.Name) bool {
		return strings.TrimPrefix(strings.ToLower(n.Words), "@") == strings.TrimPrefix(who, "@")
	})
}

// repeated makes a loop of the steps from a place on, with a wait in front of them where the words say how long it is between the rounds.
func (r *reader) repeated(list *[]tree.Step, from int, m *phrase.Match, toks []phrase.Token) {
	c := r.Condition(m.Slots["cond"])
	c.At = r.Quotes(m.Slots["cond"])
	s := step(r.t, tree.Repeat)
	s.Until, s.At = &c, append(r.lead, r.Quotes(toks[:len(toks)-len(m.Slots["cond"])])...)
	if m.Term != "" {
		wait := step(r.t, tree.Wait)
		wait.For, wait.At, s.At = m.Term, s.At, nil
		*list = slices.Insert(*list, from, wait)
	}
	jumps.Wrap(list, from, len(*list), s)
	r.lead = nil
}

// wholeDeadline sets how long a whole run may take.
func wholeDeadline(r *reader, m *phrase.Match, at []tree.Quote) bool {
	if r.t.Deadline != nil {
		return false
	}
	l := tree.Limit{After: m.Term, At: at}
	if t := m.Slots["clock"]; t != nil {
		h, min, _ := phrase.ReadClock(t)
		l.Time = phrase.Clock(h, min)
	}
	r.t.Deadline, r.lead, r.limit = &l, nil, true
	return true
}
