package outline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	no "sluice/engine/flow/refusal"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// clause reads one step and adds it. It reports whether the words are one.
func (r *reader) clause(list *[]tree.Step, start int, toks []phrase.Token) bool {
	toks = phrase.Polite(phrase.Trim(toks))
	if len(toks) == 0 {
		return true
	}
	if n := phrase.OnlyReminds(toks); n > 0 || phrase.Starting(toks, phrase.Denials) > 0 {
		return r.form(list, toks, true) || n > 1 && len(*list) == 0 && r.form(list, toks[:n], false) // what of, and when, is asked
	}
	if assigned(r, list, start, toks) {
		return true
	}
	if phrase.TellsAuthor(toks) || phrase.NeedsApproval(toks) {
		return false
	}
	if phrase.Relative(toks) {
		if toks = r.antecedent(toks); toks == nil {
			return false
		}
	}
	r.before = toks
	if said := phrase.HaveDone(toks); said != nil {
		r.lead, toks = append(r.lead, r.Quotes(toks[:1])...), said
	}
	if approvedFirst(r, list, start, toks) {
		return true
	}
	if a := phrase.ActorOf(toks); a.N > 0 && (a.System || toks[0].Low == "we") { // the flow itself does it
		r.lead, r.itself = append(r.lead, r.Quotes(toks[:a.Verb])...), true
		toks = slices.Clone(toks[a.Verb:])
		phrase.Imperative(toks[:1])
	}
	toks = r.opening.Within(informing(r, toks))
	for n := len(toks) - 1; n > 0 && toks[n].Is("and", "but", ","); n-- {
		toks = toks[:n]
	}
	toks = phrase.TogetherLast(toks)
	if r.form(list, toks, true) || doesToo(r, list, toks) {
		return true
	}
	if phrase.Voting(toks) { // of a question that cannot be voted on
		return false
	}
	toks, tail := modifiers(toks)
	before := len(*list)
	ok := r.form(list, toks, false) || seeks(r, list, toks) || r.plainStep(list, toks)
	if ok {
		modified(r, list, start, before, tail)
	}
	if ok && phrase.Persons[toks[0].Low] {
		handedOver(list, before)
	}
	r.people.mentioned(toks)
	return ok
}

// informing takes a role off a clause that says whom it tells something, so that a message is left: "the manager informs the requester". A person
// who is named does it in person.
func informing(r *reader, toks []phrase.Token) []phrase.Token {
	a := phrase.ActorOf(toks)
	role := r.acting
	if a.N > 0 {
		probe := people{Source: r.Source, last: r.people.last, several: r.people.several}
		role = probe.names([]phrase.Who{{Toks: toks[:a.N]}})
	}
	verb := cmp.Or(phrase.Base(toks[a.Verb].Low), toks[a.Verb].Low)
	if a.N > 0 && !a.Person || len(role) != 1 || strings.HasPrefix(role[0].Words, "@") || refers[strings.ToLower(role[0].Words)] || speakers[strings.ToLower(role[0].Words)] || !informs[verb] || phrase.Has(toks[a.Verb+1:min(a.Verb+2, len(toks))], "me", "us") {
		return toks
	}
	told := slices.Clone(toks[a.Verb:])
	told[0].Low = verb
	var out []tree.Step
	if rest, _ := modifiers(told); !r.probe().form(&out, rest, false) || out[len(out)-1].Kind != tree.Tell || verb == "send" && !phrase.Has(told[:min(len(told), 5)], "message", "notification", "notice", "reminder") {
		return toks
	}
	if r.lead = append(r.lead, r.Quotes(toks[:a.Verb])...); a.N > 0 {
		r.acting, r.could = r.people.names([]phrase.Who{{Toks: toks[:a.N]}}), a.Modal
	}
	return told
}

var informs = phrase.Set(`tell inform notify alert remind warn message dm send`)

// form reads a step by the first form that fits. With affects it tries only forms that make no step of their own.
func (r *reader) form(list *[]tree.Step, toks []phrase.Token, affects bool) bool {
	for i := range steps {
		f := &steps[i]
		if (f.effect > flows) != affects || f.effect == also && !r.tiered {
			continue
		}
		m, ok := phrase.Whole(f.Pattern, toks)
		if !ok || misfits(f, m, toks) || affects && !r.affect(list, f, m, toks) {
			continue
		}
		if !affects {
			m.SaidLast(toks)
			r.add(list, f, m, toks)
		}
		r.note(f.Pattern)
		return true
	}
	return false
}

// misfits reports whether words that have a form say something else: what is told or asked is a thing that is sent, or it is not said in chat.
func misfits(f *stepForm, m *phrase.Match, toks []phrase.Token) bool {
	text := m.Slots["text"]
	switch {
	case phrase.Has(m.Slots["acts"], "and"):
		return true
	case f.kind == tree.Tell:
		return phrase.IsThing(toks, text) || phrase.IsLetter(text) || phrase.Often(text) || phrase.Elsewhere(text) || phrase.SentElsewhere(toks, text)
	case len(m.Names) > 0 && m.Names[0].Every:
		return true
	}
	return f.kind == tree.Ask && (phrase.Elsewhere(text) || phrase.Elsewhere(m.Slots["question"]) || phrase.SignsUp(toks))
}

// add makes the step of a form.
func (r *reader) add(list *[]tree.Step, f *stepForm, m *phrase.Match, toks []phrase.Token) {
	s := step(r.t, f.kind)
	s.Choices = f.choices
	names := addressed(r, &s, f, m)
	var wait tree.Quote
	if f.kind == tree.Tell {
		wait = r.inTime(list, m, toks)
	}
	bracketed(r, &s, m.Slots, toks)
	cut := r.texts(&s, f, m, toks)
	if len(cut) == 0 {
		cut = append(cut, wait)
	}
	r.answers(&s, m)
	either(r.Source, &s, phrase.Trim(m.Slots["text"]))
	if f.effect == settled {
		s.Result, s.Over = "decision", tree.Value{Words: r.Words(toks), Literal: "approved", At: r.Quote(toks)}
	}
	if s.Kind == tree.Wait {
		s.Time, _ = phrase.Moment(m.Slots["moment"])
		s.For, s.Event = m.Term, r.Words(slices.Concat(m.Slots["happening"], m.Slots["period"]))
		if t := m.Slots["span"]; t != nil {
			s.Over = tree.Value{Words: t[0].Text, At: r.Quote(t[:1])}
		}
	}
	if t := m.Slots["flow"]; t != nil {
		s.Doer, s.Tool = tree.DoerFlow, r.Plain(t[:1])
		s.Said, s.Text = r.Quote(t[1:]), r.Words(t[1:])
	}
	r.quoteRest(&s, toks, cut)
	each := (f.kind == tree.Ask || s.Doer == tree.DoerPerson) && len(names) > 1 && m.Names[0].All
	if f.kind == tree.Ask && len(m.Names) > 0 {
		s.Quorum = max(m.Count, m.Names[0].Quorum)
	}
	if each && f.kind == tree.Ask && s.Quorum == 0 && !s.Free && len(s.Fields) == 0 {
		s.Quorum = len(names)
	}
	r.sameAsked(&s, toks)
	r.append(list, s)
	if each && s.Quorum == 0 { // each of them answers for themselves
		r.split(list)
	}
}

// addressed sets whom a step asks or tells, and gives them.
func addressed(r *reader, s *tree.Step, f *stepForm, m *phrase.Match) []tree.Name {
	if f.kind == tree.Tell && len(m.Names) == 0 {
		m.Names, m.Slots["text"] = phrase.SaidIn(m.Slots["text"])
	}
	names := r.people.names(m.Names)
	if what, buttons := phrase.Buttons(m.Slots["text"]); buttons && f.kind == tree.Tell {
		s.Kind, s.Who, m.Slots["text"] = tree.Ask, names, what
	} else if f.kind == tree.Tell {
		s.To = starters(names, r.opening.Starter)
		markDM(s, m)
	} else {
		s.Who = names
	}
	if f.effect == byPerson {
		s.Doer = tree.DoerPerson
	}
	return names
}

// sameAsked gives "ask @x instead" what the person before was asked.
func (r *reader) sameAsked(s *tree.Step, toks []phrase.Token) {
	switch of := &r.asked; {
	case s.Kind != tree.Ask && s.Doer != tree.DoerPerson:
	case !unsaid(s):
		r.asked = *s
	case toks[len(toks)-1].Low == "instead" && of.Kind != "":
		s.Kind, s.Doer, s.Text, s.Parts, s.Said = of.Kind, of.Doer, of.Text, slices.Clone(of.Parts), of.Said
		s.Choices, s.Fields, s.Free = slices.Clone(of.Choices), slices.Clone(of.Fields), of.Free
	}
}

// split makes a question of its own for each of those whom the last one asks.
func (r *reader) split(list *[]tree.Step) {
	at := len(*list) - 1
	s := &(*list)[at]
	names := s.Who
	s.Who, s.Quorum = names[:1], 0
	more := *s
	for _, n := range names[1:] {
		s.At = without(s.At, n.At)
		more.ID, more.No, more.Who, more.At = r.t.NewID(), 0, []tree.Name{n}, nil
		*list = append(*list, more)
		s = &(*list)[at]
	}
}

// without cuts quotes out of others.
func without(at []tree.Quote, cuts ...tree.Quote) (out []tree.Quote) {
	for _, q := range at {
		for _, c := range cuts {
			if q.From <= c.From && c.To <= q.To && !c.Empty() {
				if q.From < c.From {
					out = append(out, tree.Quote{Text: q.Text, From: q.From, To: c.From})
				}
				q.From = c.To
			}
		}
		if !q.Empty() {
			out = append(out, q)
		}
	}
	return out
}

// texts fills in the texts of a step. cut are words that stay unread.
func (r *reader) texts(s *tree.Step, f *stepForm, m *phrase.Match, toks []phrase.Token) (cut []tree.Quote) {
	for _, slot := range []string{"text", "matter", "deed", "task", "accord", "thing", "question"} {
		t := phrase.Trim(m.Slots[slot])
		if len(t) == 0 || slot == "thing" && s.Text != "" {
			continue
		}
		all := t
		at := slices.IndexFunc(toks, func(o phrase.Token) bool { return o.From == t[0].From })
		that := at > 0 && phrase.Within[toks[at-1].Low]
		if !that { // "that every Monday the shop is closed" is what is told
			t = r.opening.Unscheduled(t)
		}
		lead := that || at > 0 && toks[at-1].Low == ":"
		if f.kind == tree.Tell {
			if n := phrase.SentAt(t); n > 0 && !lead {
				cut, t = append(cut, r.Quote(t[:n])), t[n+phrase.Starting(t[n:], introductions):]
			}
			t = phrase.SentSo(t)
			t = t[phrase.Starting(t, phrase.Phrases("and")):]
			if at > 0 && toks[at-1].Low == "saying" {
				t = t[phrase.Starting(t, introductions):]
			}
		}
		t = phrase.Trim(t[:phrase.TextEnd(t, lead)])
		switch {
		case len(t) == 0, f.kind == tree.Ask && phrase.Starting(t, beforehand) == len(t):
		case s.Approves() && slot != "question" && phrase.NoMatter(t):
			cut = append(cut, r.Quote(t))
		case f.kind == tree.Tell && phrase.Starting(t, courtesy) == len(t): // "remind him pls"
		case r.noText(f, t, toks):
			cut = append(cut, r.Quote(t))
		case f.kind == tree.Tell && r.told != "" && phrase.Starting(t, phrase.Phrases("as_well too also")) == len(t): // the same message
			s.Text = r.told
		default:
			if t[0].Kind == phrase.Quoted { // what stands behind a quoted text is no part of it
				t = t[:1]
			}
			if end := t[len(t)-1].To; end < all[len(all)-1].To {
				cut = append(cut, tree.Quote{From: end, To: all[len(all)-1].To})
			}
			s.Text, s.Said, s.Free = r.Plain(t), r.Quote(t), s.Free || slot == "question"
			if f.kind == tree.Tell && len(s.To) > 0 {
				r.told = s.Text
			}
		}
	}
	return cut
}

var courtesy = phrase.Phrases("please pls plz")

// noText reports whether words in the place of a text are something else, which stays unread: what parentheses begin, amounts for which it
// is sent, a deadline, another channel, who is not told, at the same time.
func (r *reader) noText(f *stepForm, t, toks []phrase.Token) bool {
	if phrase.Starting(t, phrase.Phrases("at_the_same_time in_parallel simultaneously")) > 0 || t[0].Low == "(" && (f.kind == tree.Tell || phrase.Starting(t[1:], phrase.Phrases("only if unless when except not")) > 0) {
		return true
	}
	_, _, ranged := r.Bounds(t[phrase.Starting(t, phrase.Phrases("for")):])
	return f.kind == tree.Tell && (ranged || toks[0].Low == "let" && t[0].Is("if", "unless") || phrase.ToldElse(t) || toks[0].Low == "give" && phrase.TermLength(t) > 0 ||
		len(t) > 1 && t[0].Is("in", "on") && t[1].Text[0] == '#')
}

// beforehand are words that only put an approval in front of what is done, or beside another one.
var beforehand = phrase.Phrases(`it_first it_beforehand this_first that_first them_first first beforehand it_in_advance in_advance it_before before before_that up_front upfront as_well too also`)

// answers fills in how a question can be answered.
func (r *reader) answers(s *tree.Step, m *phrase.Match) {
	switch {
	case m.Slots["choices"] != nil:
		list := m.Slots["choices"]
		if at := phrase.Find(list, ":"); at > 0 { // "choose the colour: red or blue"
			s.Text, s.Said, list = r.Plain(list[:at]), r.Quote(list[:at]), list[at+1:]
		}
		s.Choices = r.Choices(list)
	case m.Slots["picks"] != nil || m.Slots["brief"] != nil:
		s.Choices = r.Choices(slices.Concat(m.Slots["picks"], m.Slots["brief"]))
	case m.Slots["acts"] != nil:
		s.Choices = r.Acts(s, m.Slots["acts"])
	case m.Slots["fields"] != nil:
		s.Fields = r.Fields(m.Slots["fields"])
	}
	s.Judges = len(s.Choices) > 0 && !slices.ContainsFunc(s.Choices, holdsUp)
}

// bracketed reads answers in parentheses behind what somebody is asked or does: "ask @bob if it is ok (ok / not ok)". Of what somebody does, one
// of them has to be a no, since other lists tell things apart: "pack the shirts (red or blue)".
func bracketed(r *reader, s *tree.Step, slots map[string][]phrase.Token, toks []phrase.Token) {
	text := phrase.Trim(slots["text"])
	n := len(text)
	open := phrase.Find(text, "(")
	if open < 1 || text[n-1].Low != ")" || s.Kind != tree.Ask && s.Doer != tree.DoerPerson || !phrase.Brief(text[open+1:n-1]) {
		return
	}
	choices := r.Choices(text[open+1 : n-1])
	if s.Kind == tree.Do && !slices.ContainsFunc(choices, refuses) {
		return
	}
	at := slices.IndexFunc(toks, func(t phrase.Token) bool { return t.From == text[0].From })
	if s.Approves() && at > 0 && phrase.Answers[toks[at-1].Low] == "approve" { // "approve the order"
		text, open = toks[at-1:], open+1
	}
	s.Kind, s.Doer, s.Choices, slots["text"] = tree.Ask, "", choices, text[:open]
}

// holdsUp reports whether nothing is done after an answer for which no steps are said: it is a no, or something has to be changed first. Behind
// any other one the flow goes on: "recount or accept".
func holdsUp(choice string) bool {
	return refuses(choice) || changing.MatchString(choice)
}

// refuses reports whether a choice says no.
func refuses(choice string) bool {
	meaning, _ := no.Named(choice)
	return meaning != no.None
}

var changing = regexp.MustCompile(`(?i)\b(?:back|changes?|hold|later|re-?(?:do|work|vise|write|submit))\b`)

// either gives a question with an "or" its answers: "whether to ship or refund it" is not answered with yes or no.
func either(r values.Source, s *tree.Step, toks []phrase.Token) {
	at := phrase.Find(toks, "or")
	if s.Kind != tree.Ask || !slices.Equal(s.Choices, []string{"yes", "no"}) || at < 1 || phrase.Begins(toks[at+1:], "not") {
		return
	}
	m, _ := phrase.Fit(subjects, toks)
	if s.Choices, s.Free = nil, true; (m.End > 0 || phrase.Verbs[toks[0].Low]) && phrase.ListOf(toks[m.End:]) {
		s.Choices, s.Free, s.Judges = r.Choices(toks[m.End:]), false, true
		for i, c := range s.Choices {
			s.Choices[i] = strings.TrimPrefix(strings.TrimPrefix(c, "a "), "an ")
		}
	}
}

// subjects lead to the answers of such a question.
const subjects = "[i|we|he|she|they|it|that|this|it's|that's|he's|she's|they're] [is|should|shall|can|to|wants|want] [to]"

// step is a new step of a tree.
func step(t *tree.Tree, k tree.Kind) tree.Step { return tree.Step{ID: t.NewID(), Kind: k} }

// markDM notes that a direct message is asked for.
func markDM(s *tree.Step, m *phrase.Match) {
	for _, w := range m.Words {
		if low := phrase.Lows(w); strings.HasSuffix(low, "dm") || low == "direct" || strings.HasSuffix(low, "direct message") || low == "in private" || low == "privately" {
			for i := range s.To {
				s.To[i].DM = true
			}
		}
	}
}

// quoteRest quotes all words of a step that are not its text, without those in cut and without what a trigger holds.
func (r *reader) quoteRest(s *tree.Step, toks []phrase.Token, cut []tree.Quote) {
	start, cut := 0, append(cut, s.Said)
	holds := func(q tree.Quote, t phrase.Token) bool { return t.To > q.From && t.From < q.To }
	for i := range toks {
		if i > start && strings.TrimSpace(r.Src[toks[i-1].To:max(toks[i].From, toks[i-1].To)]) != "" { // other words stand between them
			s.At = append(s.At, r.Quotes(toks[start:i])...)
			start = i
		}
		if slices.ContainsFunc(cut, func(q tree.Quote) bool { return holds(q, toks[i]) }) || len(r.t.Triggers) == 1 && slices.ContainsFunc(r.t.Triggers[0].At, func(q tree.Quote) bool { return q.Text == r.Text && holds(q, toks[i]) }) {
			s.At = append(s.At, r.Quotes(toks[start:i])...)
			start = i + 1
		}
	}
	s.At = append(s.At, r.Quotes(toks[start:])...)
}

// append adds a step with the words that lead to it.
func (r *reader) append(list *[]tree.Step, s tree.Step) {
	s.At = append(r.lead, s.At...)
	slices.SortFunc(s.At, func(a, b tree.Quote) int { return a.From - b.From })
	r.lead = nil
	if r.no > 0 {
		s.No, r.no = r.no, 0
	}
	*list = append(*list, s)
}

// plainStep reads an action of which only the verb is known.
func (r *reader) plainStep(list *[]tree.Step, toks []phrase.Token) bool {
	if phrase.HoldsMore(toks) || phrase.Aside(toks) {
		return false
	}
	s := step(r.t, tree.Do)
	text := toks
	a := phrase.ActorOf(toks)
	switch {
	case a.N > 0 && (toks[a.Verb].Is("has", "have") || toks[a.Verb-1].Low == "may" || toks[a.Verb].Is("not", "never")): // "she has 2 days" is nothing that she does, "she may delegate" nothing that she has to do
		return false
	case a.N > 0:
		text = r.people.doneBy(&s, toks, a)
		r.acting, r.could = s.Who, a.Modal
	case len(r.acting) > 0 && (phrase.Third(toks[0].Low) || toks[0].Is("decides", "judges") || r.could && phrase.StartsStep(toks)): // "... and gathers the documents"
		s.Who, s.Doer = unquoted(r.acting), tree.DoerPerson
	case r.listed, phrase.StartsStep(toks), phrase.Verbs[toks[0].Low] && len(toks) < phrase.MostItem && !phrase.Begins(toks, "thank", "you"):
	case phrase.Passive(toks):
		if n := phrase.ByWhom(toks); n > 0 && !phrase.Has(toks[:n], "by", "before") && !phrase.Denied(toks[:n]) { // "it is logged by the support team"
			s.Who = r.people.names([]phrase.Who{{Toks: toks[n+1:]}})
			s.Doer, text = tree.DoerPerson, toks[:n]
		}
	case phrase.UnknownVerb(toks): // a verb that no table has: "thank the team"
	default:
		return false
	}
	end := phrase.TextEnd(text, true)
	if m, ok := phrase.Whole("[then|also] decides|decide|says|say|judges|judge if|whether {text}", text[:end]); ok && s.Doer == tree.DoerPerson { // "checks it and says if it is ok"
		s.Kind, s.Doer, s.Choices = tree.Ask, "", []string{"yes", "no"}
		text, end = m.Slots["text"], len(m.Slots["text"])
	} else if m, ok := phrase.Whole("[then|also] approves|okays|signs_off [on] {text}", text[:end]); ok && s.Doer == tree.DoerPerson && a.N == 0 { // "reads it and approves it"
		s.Kind, s.Doer = tree.Ask, ""
		text, end = m.Slots["text"], len(m.Slots["text"])
	}
	s.Text, s.Said = r.Words(text[:end]), r.Quote(text[:end])
	r.quoteRest(&s, toks, []tree.Quote{r.Quote(text[end:])})
	each := s.Quorum > 1
	r.append(list, s)
	if each {
		r.split(list)
	}
	return true
}
