package outline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// clause reads one step and adds it. It reports whether the words are one.
func (r *reader) clause(list *[]tree.Step, start int, toks []phrase.Token) bool {
	toks = phrase.Trim(toks)
	if len(toks) == 0 {
		return true
	}
	if phrase.Starting(toks, phrase.Denials) > 0 {
		return r.form(list, toks, true)
	}
	relative := phrase.Relative(toks) && len(*list)+len(r.before) > 0
	if relative {
		defer func(listed bool) { r.listed = listed }(r.listed)
		toks = r.antecedent(toks)
	}
	r.before = toks
	if a := phrase.ActorOf(toks); a.N > 0 && toks[a.Verb-1].Low != "may" && (a.System && !(phrase.Products[toks[a.N-1].Low] && phrase.Finishing[toks[a.Verb].Low]) || toks[0].Low == "we") { // the flow itself does it
		r.lead, r.itself = append(r.lead, r.Quotes(toks[:a.Verb])...), true
		toks = slices.Clone(toks[a.Verb:])
		phrase.Imperative(toks[:1])
	}
	for n := len(toks); n > 1 && (toks[n-1].Low == "and" || toks[n-1].Low == "but" || toks[n-1].Low == ","); n-- {
		toks = toks[:n-1]
	}
	if n := len(toks) - 1; n > 1 && toks[0].Low == "ask" && toks[n].Low == "too" {
		r.lead, toks = append(r.lead, r.Quotes(toks[n:])...), toks[:n]
	}
	toks = phrase.TogetherLast(toks)
	if r.form(list, toks, true) {
		return true
	}
	if phrase.Voting(toks) { // of a question that cannot be voted on
		return false
	}
	if verb, and := looksFirst(toks); and > 0 {
		object, look := toks[verb+1:and], toks[verb].Low
		r.lead = append(r.lead, r.Quotes(toks[verb:verb+1])...)
		toks = append(slices.Clone(toks[:verb]), toks[and+1:]...)
		if r.form(list, toks, false) {
			s := &(*list)[len(*list)-1]
			s.At = append(s.At, r.Quote(object))
			if s.Text == "" && object[0].Low != "it" {
				s.Text, s.Said, s.At = r.Words(object), r.Quote(object), s.At[:len(s.At)-1]
			}
			if slices.Equal(s.Choices, []string{"approve", "reject"}) {
				s.Choices = nil
			} else if s.Text != "" {
				s.Text = cmp.Or(phrase.Base(look), look) + " " + s.Text
			}
			return true
		}
	}
	if n, ok := sends(toks); ok {
		r.lead = append(r.lead, r.Quotes(toks[:n])...)
		toks = slices.Clone(toks[n:])
		phrase.Imperative(toks[:1])
	}
	whole := toks
	toks, tail := modifiers(toks)
	handed := handsOver(*list, relative || phrase.Persons[toks[0].Low])
	before := len(*list)
	ok := r.form(list, toks, false)
	if !ok && len(tail) == 1 && tail[0].form.what == "slack" { // "share the numbers on Slack"
		if ok = r.form(list, whole, false); ok {
			tail = nil
		}
	}
	if ok = ok || r.plainStep(list, toks); ok {
		for _, m := range tail {
			from := before
			if last := len(*list) - 1; m.form.what == "parallel" && last == before {
				if s := (*list)[last]; s.Kind == tree.Ask && s.Quorum > 1 && s.Quorum == len(s.Who) { // each of them, at the same time
					r.split(list)
				} else {
					from = start // of the sentence
				}
			}
			r.modify(list, from, m) // one that does not fit stays unquoted
		}
	}
	r.people.mentioned(toks)
	if ok && handed && len(r.people.last) == 1 && len(*list) > before && (*list)[before].Kind == tree.Ask {
		(*list)[before].At = append((*list)[before-1].At, append([]tree.Quote{(*list)[before-1].Said}, (*list)[before].At...)...)
		*list = slices.Delete(*list, before-1, before)
	}
	return ok
}

// sends is how many tokens name who sends something to somebody for approval: what counts is who is asked. "@ana sends it to @ben for approval".
func sends(toks []phrase.Token) (n int, ok bool) {
	verb, last := phrase.ActorOf(toks).Verb, len(toks)-1
	return verb, last > verb+3 && handsIn[phrase.Base(toks[verb].Low)] && toks[last-1].Low == "for" && toks[last-2].Kind == phrase.Name && phrase.Requests[toks[last].Low]
}

var handsIn = phrase.Set(`send forward hand pass submit route give`)

// handsOver reports whether the last step only delivers the request of the next clause, which is about the same person: "the request is sent
// to the manager, who receives two buttons".
func handsOver(list []tree.Step, relative bool) bool {
	if !relative || len(list) == 0 || list[len(list)-1].Kind != tree.Do {
		return false
	}
	return handing.MatchString(list[len(list)-1].Text)
}

var handing = regexp.MustCompile(`(?i)^(?:receives?|gets?) (?:the|this|that|it)\b|\b(?:routed|forwarded|passed|handed|sent|submitted|assigned) to\b`)

// form reads a step by the first form that fits. With affects it tries only forms that make no step of their own.
func (r *reader) form(list *[]tree.Step, toks []phrase.Token, affects bool) bool {
	for i := range steps {
		f := &steps[i]
		if (f.effect > flows) != affects || f.effect == also && !r.tiered {
			continue
		}
		m, ok := phrase.Whole(f.pattern, toks)
		if !ok || f.kind == tree.Tell && phrase.IsThing(toks, m.Slots["text"]) || len(m.Names) > 0 && m.Names[0].Toks[0].Kind == phrase.Word && phrase.Begins(m.Slots["question"], "who") && phrase.Relative(m.Slots["question"]) || f.kind != tree.Tell && len(m.Names) > 0 && m.Names[0].Every || affects && !r.affect(list, f, m, toks) {
			continue
		}
		if !affects {
			r.add(list, f, m, toks)
		}
		r.note(f.Pattern)
		return true
	}
	return false
}

// add makes the step of a form.
func (r *reader) add(list *[]tree.Step, f *stepForm, m *phrase.Match, toks []phrase.Token) {
	s := step(r.t, f.kind)
	s.Choices = f.choices
	names, _ := r.people.names(m.Names)
	if f.kind == tree.Tell {
		s.To = starters(names, r.opening.Starter)
		s.markDM(m)
	} else {
		s.Who = names
	}
	if f.effect == byPerson {
		s.Doer = tree.DoerPerson
	}
	var wait tree.Quote
	if f.kind == tree.Tell {
		wait = r.inTime(list, m, toks)
	}
	next, cut := r.texts(&s, f, m, toks, names)
	r.answers(&s, m)
	r.either(&s, m.Slots["text"])
	if f.effect == settled {
		s.Result, s.Over = "decision", tree.Value{Words: r.Words(toks), Literal: "approved", At: r.Quote(toks)}
	}
	if at := r.waits(&s, m); !at.Empty() {
		cut = at
	}
	if t := m.Slots["flow"]; t != nil {
		s.Doer, s.Tool = tree.DoerFlow, r.Plain(t[:1])
		s.Said, s.Text = r.Quote(t[1:]), r.Words(t[1:])
	}
	r.quoteRest(&s.Step, toks, cut)
	s.At = without(s.At, wait)
	if f.kind == tree.Ask && len(names) > 1 && m.Names[0].All && !s.Free && len(s.Fields) == 0 {
		s.Quorum = len(names) // each of them
	}
	if f.kind == tree.Ask && len(m.Names) > 0 && max(m.Count, m.Names[0].Quorum) > 0 {
		s.Quorum = max(m.Count, m.Names[0].Quorum)
	}
	sameAsked(r, &s.Step, toks)
	r.append(list, s.Step)
	if f.kind == tree.Ask && s.Quorum == 0 && len(names) > 1 && m.Names[0].All { // each of them answers for themselves
		r.split(list)
	}
	if len(next) > 0 {
		d := step(r.t, tree.Do)
		d.Text, d.Said = r.Words(next), r.Quote(next)
		r.append(list, d.Step)
	}
}

// sameAsked gives "ask @x instead" what the person before was asked.
func sameAsked(r *reader, s *tree.Step, toks []phrase.Token) {
	person := s.Kind == tree.Ask || s.Doer == tree.DoerPerson
	switch {
	case !person:
	case !unsaid(s):
		r.asked = *s
	case toks[len(toks)-1].Low == "instead" && r.asked.Kind != "":
		s.Kind, s.Doer, s.Text, s.Parts, s.Said = r.asked.Kind, r.asked.Doer, r.asked.Text, slices.Clone(r.asked.Parts), r.asked.Said
		s.Choices, s.Fields, s.Free = slices.Clone(r.asked.Choices), slices.Clone(r.asked.Fields), r.asked.Free
	}
}

// inTime reads "in 2 hours" before the text of a message, and behind that of a reminder, as a wait before it; before that of a reminder "at 17:00", too.
func (r *reader) inTime(list *[]tree.Step, m *phrase.Match, toks []phrase.Token) (at tree.Quote) {
	text := phrase.Trim(m.Slots["text"])
	for i, t := range text {
		w := step(r.t, tree.Wait)
		n := 0
		switch reminds := toks[0].Low == "remind"; {
		case (t.Low == "in" || t.Low == "after") && (i == 0 || reminds && !phrase.Told(text[:i])): // not "that it is due in 2 weeks"
			w.For, n = phrase.ReadTerm(text[i+1:])
		case t.Low == "at" && i == 0 && reminds:
			var hour, minute int
			hour, minute, n = phrase.ReadClock(text[i+1:])
			w.Time = phrase.Clock(hour, minute)
		}
		if n++; n < 2 || i > 0 && i+n < len(text) {
			continue
		}
		w.At = r.Quotes(text[i : i+n])
		r.append(list, w.Step)
		m.Slots["text"] = text[:i]
		if i == 0 {
			text = phrase.Trim(text[n:])
			m.Slots["text"] = text[phrase.Starting(text, phrase.Phrases("that about")):]
		}
		return w.At[0]
	}
	return at
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

// texts fills in the texts of a step. next is the action after an approval, cut are words that stay unread.
func (r *reader) texts(s *making, f *stepForm, m *phrase.Match, toks []phrase.Token, names []tree.Name) (next []phrase.Token, cut tree.Quote) {
	for _, slot := range []string{"text", "matter", "deed", "accord", "thing", "question"} {
		t := phrase.Trim(m.Slots[slot])
		if len(t) == 0 || slot == "thing" && s.Text != "" {
			continue
		}
		all := t
		if f.kind == tree.Ask && m.Slots[slot][0].Low == "," { // another clause, which is not read
			cut = r.Quote(all)
			continue
		}
		if n := phrase.Starting(t, phrase.Phrases("at_the_same_time in_parallel simultaneously")); n > 0 && len(names) > 1 {
			t = phrase.Trim(t[n+phrase.Starting(t[n:], phrase.Phrases("that")):])
		}
		if len(t) > 1 && t[0].Low == "(" && phrase.Starting(t[1:], phrase.Phrases("only if unless when except not")) > 0 || f.kind == tree.Tell && (r.ranged(t) || toks[0].Low == "give" && phrase.TermLength(t) > 0) { // a condition, or a deadline
			cut = r.Quote(all)
			continue
		}
		if before := slices.IndexFunc(toks, func(o phrase.Token) bool { return o.From == t[0].From }); before < 1 || !phrase.Within[toks[before-1].Low] { // "that every Monday at 9 the shop is closed" is what is told
			t = r.opening.Unscheduled(t)
		}
		if f.kind == tree.Tell {
			t = phrase.SentSo(t)
		}
		if len(t) == 0 || f.kind == tree.Ask && phrase.Starting(t, beforehand) == len(t) {
			continue
		}
		if f.kind == tree.Tell && phrase.ToldElse(t) {
			cut = r.Quote(t)
			continue
		}
		if then := phrase.ApprovedFor(t, toks); f.kind == tree.Ask && then != nil {
			next, cut = then, r.Quote(then)
			continue
		}
		if n := len(t); f.kind == tree.Ask && n > 1 && (t[n-1].Low == "too" || n > 2 && phrase.Begins(t[n-2:], "as", "well")) && t[0].Low == "it" { // "approve it too"
			t, all = t[:1], t[:1]
		}
		if t[0].Kind == phrase.Quoted { // what stands behind a quoted text is no part of it
			t = t[:1]
		}
		if f.kind == tree.Tell && len(names) > 0 && r.people.saidIn(&s.Step, t) {
			cut = names[0].At // who is meant there is asked about
			t = phrase.Trim(t[2:])
			if t = t[phrase.Starting(t, phrase.Phrases("that")):]; len(t) == 0 {
				continue
			}
		}
		if end := t[len(t)-1].To; end < all[len(all)-1].To {
			cut = tree.Quote{From: end, To: all[len(all)-1].To}
		}
		if f.kind == tree.Tell && r.told != "" && phrase.Starting(t, phrase.Phrases("as_well too also")) == len(t) { // the same message
			s.Text = r.told
			continue
		}
		s.Text, s.Said = r.Plain(t), r.Quote(t)
		if f.kind == tree.Tell && len(names) > 0 {
			r.told = s.Text
		}
		s.Free = s.Free || slot == "question"
	}
	return next, cut
}

// beforehand are words that only put an approval in front of what is done.
var beforehand = phrase.Phrases(`first beforehand before_that up_front upfront`)

// answers fills in how a question can be answered.
func (r *reader) answers(s *making, m *phrase.Match) {
	switch {
	case m.Slots["choices"] != nil:
		list := m.Slots["choices"]
		if at := slices.IndexFunc(list, func(t phrase.Token) bool { return t.Low == ":" }); at > 0 { // "choose the colour: red or blue"
			s.Text, s.Said, list = r.Plain(list[:at]), r.Quote(list[:at]), list[at+1:]
		}
		s.Choices = r.Choices(list)
		s.Judges = !slices.ContainsFunc(s.Choices, func(c string) bool { return phrase.Answers[strings.ToLower(c)] != "" })
	case m.Slots["picks"] != nil:
		s.Choices, s.Judges = r.Choices(m.Slots["picks"]), true
	case m.Slots["verdicts"] != nil:
		s.Choices = r.Choices(m.Slots["verdicts"])
	case m.Slots["acts"] != nil:
		s.Choices = r.Acts(&s.Step, m.Slots["acts"])
	case m.Slots["fields"] != nil:
		s.Fields = r.Fields(m.Slots["fields"])
	}
}

// either gives a question with an "or" its answers: "whether to ship or refund it" is not answered with yes or no.
func (r source) either(s *making, toks []phrase.Token) {
	toks = phrase.Trim(toks)
	at := slices.IndexFunc(toks, func(t phrase.Token) bool { return t.Low == "or" })
	if s.Kind != tree.Ask || !slices.Equal(s.Choices, []string{"yes", "no"}) || at < 0 || at+1 < len(toks) && toks[at+1].Low == "not" {
		return
	}
	m, led := phrase.Fit(subjects, toks)
	if s.Choices, s.Free = nil, true; (led && m.End > 0 || phrase.Verbs[toks[0].Low]) && phrase.ListOf(toks[m.End:]) {
		s.Choices, s.Free, s.Judges = r.Choices(toks[m.End:]), false, true
		for i, c := range s.Choices {
			s.Choices[i] = strings.TrimPrefix(strings.TrimPrefix(c, "a "), "an ")
		}
	}
}

// subjects lead to the answers of such a question.
var subjects = phrase.Compile("[i|we|he|she|they|it|that|this|it's|that's|he's|she's|they're] [is|should|shall|can|to|wants|want] [to]")

// making is a step that is being read.
type making struct{ tree.Step }

func step(t *tree.Tree, k tree.Kind) making {
	return making{tree.Step{ID: t.NewID(), Kind: k}}
}

// markDM notes that a direct message is asked for.
func (s *making) markDM(m *phrase.Match) {
	for _, w := range m.Words {
		if low := phrase.Lows(w); strings.HasSuffix(low, "dm") || low == "direct" || strings.HasSuffix(low, "direct message") || low == "in private" || low == "privately" {
			for i := range s.To {
				s.To[i].DM = true
			}
		}
	}
}

// waits fills in how long or for what a step waits. cut are words that stay unread.
func (r source) waits(s *making, m *phrase.Match) (cut tree.Quote) {
	if s.Kind == tree.Wait {
		s.For = m.Term
		s.Time, _ = phrase.Moment(m.Slots["moment"])
		event := m.Slots["happening"]
		if at := slices.IndexFunc(event, func(t phrase.Token) bool { return t.Low == "," || t.Low == "(" }); at > 0 { // "..., but no longer than 2 weeks"
			event, cut = event[:at], r.Quote(event[at:])
		}
		s.Event = r.Words(event)
	}
	return cut
}

// quoteRest quotes all words of a step that are not its text, without those in cut and without what a trigger holds.
func (r *reader) quoteRest(s *tree.Step, toks []phrase.Token, cut tree.Quote) {
	start := 0
	holds := func(q tree.Quote, t phrase.Token) bool { return t.To > q.From && t.From < q.To }
	for i := range toks {
		if i > start && strings.TrimSpace(r.Src[toks[i-1].To:max(toks[i].From, toks[i-1].To)]) != "" { // other words stand between them
			s.At = append(s.At, r.Quotes(toks[start:i])...)
			start = i
		}
		if holds(s.Said, toks[i]) || holds(cut, toks[i]) || len(r.t.Triggers) == 1 && slices.ContainsFunc(r.t.Triggers[0].At, func(q tree.Quote) bool { return q.Text == r.Text && holds(q, toks[i]) }) {
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
	if phrase.HoldsMore(toks) {
		return false
	}
	s := step(r.t, tree.Do)
	text := toks
	a := phrase.ActorOf(toks)
	switch {
	case a.N > 0 && a.Verb+1 == len(toks) && (toks[a.Verb].Low == "does" || toks[a.Verb].Low == "do"): // the verb stands somewhere else
		return false
	case a.N > 0 && (toks[a.Verb].Low == "has" || toks[a.Verb].Low == "have" || strings.HasPrefix(toks[a.Verb].Low, "get") && phrase.TermLength(toks[a.Verb+1:]) > 0 || toks[a.Verb-1].Low == "may"): // "she has 2 days" is nothing that she does, "she may delegate" nothing that she has to do
		return false
	case a.N > 0:
		text = r.people.doneBy(&s.Step, toks, a)
		r.acting, r.could = s.Who, a.Modal
	case len(r.acting) > 0 && (phrase.Third(toks[0].Low) || r.could && phrase.StartsStep(toks)): // "... and gathers the documents"
		s.Who, s.Doer = unquoted(r.acting), tree.DoerPerson
	case r.listed, phrase.StartsStep(toks), phrase.Verbs[toks[0].Low] && len(toks) < phrase.MostItem && !phrase.Begins(toks, "thank", "you"):
	case phrase.Passive(toks):
		if n := phrase.ByWhom(toks); n > 0 { // "it is logged by the support team"
			s.Who, _ = r.people.names([]phrase.Who{{Toks: toks[n+1:]}})
			s.Doer, text = tree.DoerPerson, toks[:n]
			if slices.ContainsFunc(text, func(t phrase.Token) bool { return t.Low == "by" }) { // "written by @ana, reviewed by @bob"
				return false
			}
		}
	case phrase.UnknownVerb(toks): // a verb that no table has: "thank the team"
	default:
		return false
	}
	var cut tree.Quote
	if i := slices.IndexFunc(text, func(t phrase.Token) bool { return t.Low == "before" }); i > 0 && i+2 < len(text) && (text[i+1].Low == "we" || text[i+1].Low == "i") && phrase.Verbs[text[i+2].Low] { // "check it before we ship it"
		text, cut = text[:i], r.Quote(text[i:])
	}
	s.Text, s.Said = r.Words(text), r.Quote(text)
	r.quoteRest(&s.Step, toks, cut)
	each := s.Quorum > 1
	r.append(list, s.Step)
	if each {
		r.split(list)
	}
	return true
}

// ranged reports whether a text begins with amounts for which it is sent: "for $100-$500". That is a condition.
func (r source) ranged(toks []phrase.Token) bool {
	n := phrase.Starting(toks, phrase.Phrases("for"))
	_, _, ok := r.Bounds(toks[n:])
	return ok
}
