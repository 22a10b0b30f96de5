package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/match"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/prose"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// wait finds what a step waits for: as long as a value says, a time that is counted from a date, or what somebody reports.
func (p *planning) wait(s *tree.Step, k match.Scope) {
	span(p, s, k)
	askSince(&p.inquiry, s)
	if s.Event == "" {
		return
	}
	toks := phrase.Scan(s.Event, 0, len(s.Event))
	at, n := phrase.ReadCounted(toks, values.Dates(p.t)...)
	whole := n == len(toks) && n > 0
	if whole {
		if ref := dateMeant(p, s, at, k); ref != (tree.Ref{}) {
			waitFor(s, at, ref)
			return
		}
	}
	q := question(s, "event", "event", "Who says when this has happened: %s?", english.Quote(s.Event))
	q.Quote = s.Event
	lasts := func(s *tree.Step, term string) {
		s.For, s.Event = term, ""
		p.t.Replaced = append(p.t.Replaced, s.At...)
	}
	if q.typedTerm(lasts); phrase.IsPeriod(toks) {
		q.Text = fmt.Sprintf("How long should the run wait: %s?", english.Quote(s.Event))
		if days := phrase.InDays(toks); days > 0 { // "3 months"
			q.button("days", fmt.Sprintf("%d days", days), func(s *tree.Step) { lasts(s, fmt.Sprintf("%dd", days)) })
		} else {
			q.term(lasts)
		}
	}
	p.person(q, "A person says so...", "", func(s *tree.Step, who tree.Name) {
		byPerson(s, who)
		s.Text, s.Event = "say when this has happened: "+s.Event, ""
	})
	if whole && p.byPeople() && (at.Term != "" || toks[0].Low == "on") {
		q.button(optInput, "The person who starts it gives the date", func(s *tree.Step) {
			waitFor(s, at, p.newInput(phrase.Lows(at.Of)+" date", "date", ""))
		})
	}
	q.button(optNow, "Another flow sends the event", nil)
	p.leavable(q, s)
	p.add(q)
}

// askSince asks what “after 3 days” behind a question to people counts from: their answer, or the question, which nobody has answered then.
func askSince(p *inquiry, s *tree.Step) {
	ask := p.t.Before(s)
	if ask == nil || s.For == "" || ask.Kind != tree.Ask && ask.Doer != tree.DoerPerson || ask.Deadline != nil && ask.Deadline.After != "" || first(s.At).Empty() {
		return
	}
	at := first(s.At)
	words := english.Scan(p.t.Words(at))
	late := func(b tree.Branch) bool { return b.Choice == flow.ChoiceTimeout }
	term, err := flow.ParseDuration(s.For)
	if err != nil || len(words) == 0 || slices.ContainsFunc(ask.Branches, late) || !p.t.Texts[at.Text].Outline || words[0].Low != "after" && words[len(words)-1].Low != "later" {
		return
	}
	number, long := p.t.Numbers()[ask.ID], readback.Duration(term)
	q := question(s, "since", "since", "When is it %s?", english.Quote(p.t.Words(at)))
	q.Quote, q.at = p.t.Words(at), at
	after, open := "the answer in step "+number, "Step "+number+" has no answer"
	if ask.Kind == tree.Do {
		after, open = "step "+number+" is done", "Step "+number+" is not done"
	}
	q.button(optNow, english.SentenceCase(long)+" after "+after, nil)
	q.button("late", open+" "+long+" after it was asked", func(s *tree.Step) {
		list, i := p.t.Place(s.ID)
		end := i + 1
		for to := sentenceEnd(p.t, at); end < len(*list) && (*list)[end].Stands().Text == at.Text && (*list)[end].Stands().From < to; {
			end++
		}
		ask.SetDeadline(s.For)
		ask.Branches = append(ask.Branches, tree.Branch{Choice: flow.ChoiceTimeout, At: s.At, Steps: slices.Clone((*list)[i+1 : end])})
		*list = slices.Delete(*list, i, end)
		p.t.Forget()
	})
	p.add(q)
}

// sentenceEnd gives the place in its text where the sentence of a quote ends.
func sentenceEnd(t *tree.Tree, at tree.Quote) int {
	words := t.Texts[at.Text].Words
	for _, s := range prose.Split(words) {
		if to := s[len(s)-1].To; to > at.From {
			return to
		}
	}
	return len(words)
}

// waitFor makes a step wait for a time that is counted from a date. A day without an hour is at nine.
func waitFor(s *tree.Step, at phrase.Counted, date tree.Ref) {
	s.Side, s.For, s.Time, s.Event = at.Side, at.Term, at.Clock, ""
	s.Over = tree.Value{Words: strings.TrimSpace(phrase.Lows(at.Of)), Ref: date}
	if at.Term == "" || strings.HasSuffix(at.Term, "d") || strings.HasSuffix(at.Term, "w") {
		s.Time = cmp.Or(s.Time, "09:00")
	}
}

// dateMeant finds the date that words name: a value that is known, or one that each run is given; the zero Ref = none.
func dateMeant(p *planning, s *tree.Step, at phrase.Counted, k match.Scope) tree.Ref {
	name := phrase.Lows(at.Of)
	if last := at.Of; len(last) > 0 && last[len(last)-1].Kind == phrase.Slot {
		return slotMeant(p, last[len(last)-1].Text, "date", k)
	}
	dates := func(typ string) bool { return typ == "date" || typ == "datetime" }
	if len(at.Of) == 0 { // "two days before": before what was waited for last
		var last tree.Ref
		for _, other := range p.t.Earlier(s) {
			if other.Side != "" {
				last = other.Over.Ref
			}
		}
		return last
	}
	all := k.Named(english.Scan(name), func(typ string) bool { return dates(typ) || at.Certain() && (typ == "string" || typ == "") })
	if len(all) == 0 { // "the event" is the event date
		all = k.Named(english.Scan(name+" date"), dates)
	}
	switch {
	case len(all) == 1:
		return all[0].Ref
	case len(all) == 0 && at.Certain() && p.byPeople():
		return p.newInput(name, "date", "")
	}
	return tree.Ref{}
}

// span finds the value that says how long a step waits: one that is known there, else a number that a run is given.
func span(p *planning, s *tree.Step, k match.Scope) {
	if s.Side == "" && s.Over.Words != "" && s.Over.Open() {
		s.Over.Ref = slotMeant(p, s.Over.Words, "number", k)
	}
}

// slotMeant finds what a <name> means: a value that is known there, else an input of a type.
func slotMeant(p *planning, name, typ string, k match.Scope) tree.Ref {
	ref := tree.Ref{Input: idiom.InputName(name)}
	if all := k.Slot(name); len(all) == 1 {
		ref = all[0].Ref
	} else if p.t.Input(ref.Input) == nil {
		p.t.Inputs = append(p.t.Inputs, tree.Input{Name: ref.Input})
	}
	if in := p.t.Input(ref.Input); in != nil && in.Type == "" {
		in.Type = typ
	}
	return ref
}
