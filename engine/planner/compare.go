package planner

import (
	"fmt"
	"slices"
	"strconv"

	"sluice/engine/planner/english"
	"sluice/engine/planner/prose"
	"sluice/engine/planner/tree"
)

// At most so many sentences are shown, so many letters of each, and so many of the words to mind.
const (
	mostSentences   = 8
	shownOfSentence = 220
	mostMinded      = 4
	shownOfStep     = 200
	shownOfSteps    = 2000 // letters for the steps of all sentences
)

// askToCompare asks a person to compare the draft with the sentences that are not plain, of all texts that were read without a model. It is the
// last question, because the answers to others change the draft. Many sentences are asked about in several questions, one after the other.
func askToCompare(p *inquiry) {
	if len(p.asked) > 0 {
		return
	}
	all, id := toCompare(p)
	for len(all) > 0 && len(p.asked) == 0 {
		some := all[:min(len(all), mostSentences)]
		all = all[len(some):]
		q := &asking{Question: Question{ID: id, Kind: "confirm"}, at: some[0].Quote}
		read := "Without a language model I may mistake what belongs together."
		if p.w.Model {
			read = "These words were read without the language model, which may mistake what belongs together."
		}
		q.Text = read + " Is the draft what you mean here, or what should change (reply in this thread)?"
		if len(all) > 0 {
			q.ID = fmt.Sprintf("%s.%d", id, len(all))
			q.Text = read + " Is the draft what you mean in these sentences, or what should change (reply in this thread)? More sentences follow."
		}
		does, left := p.out.Does(p.w.Tools), shownOfSteps // what is shown of a step is taken out
		for _, e := range some {
			line, numbers := compare(p, e)
			for _, n := range numbers {
				if step := "\n    " + n + ". " + english.Shorten(does[n], shownOfStep); does[n] != "" && len(step) <= left {
					line, left, does[n] = line+step, left-len(step), ""
				}
			}
			q.Lines = append(q.Lines, line)
		}
		q.button("right", "Yes, that is what I mean", nil)
		p.add(q)
	}
}

// toCompare gives the sentences that nobody has compared yet, and the id of the question about them: a person who answers it has compared this text and
// those before it.
func toCompare(p *inquiry) (all []prose.Sentence, id string) {
	for i, t := range p.t.Texts {
		if !t.Outline {
			continue
		}
		this := "confirm.long." + strconv.Itoa(i)
		if slices.Contains(p.t.Settled, this) {
			all = nil
			continue
		}
		if more := prose.Sentences(p.t, i); len(more) > 0 {
			all, id = append(all, more...), this
		}
	}
	return all, id
}

// compare shows a sentence, the steps that it became, whose numbers it gives, and the words to mind.
func compare(p *inquiry, e prose.Sentence) (line string, numbers []string) {
	for s := range p.t.Walk {
		own := s.Own()
		said := tree.Quotes(&own)
		if behind := p.t.Behind(s); len(said) == 0 && len(behind) > 0 { // what another tier does is done in this one, too
			next := behind[0].Own()
			said = tree.Quotes(&next)
		}
		if n := p.out.Numbers[s.ID]; n != "" && slices.ContainsFunc(said, e.Quote.Overlaps) && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	place := "no step of its own"
	switch {
	case len(numbers) == 1:
		place = "step " + numbers[0]
	case len(numbers) > 1:
		place = "steps " + english.Join(numbers, "and")
	case slices.ContainsFunc(p.t.Triggers, func(g tree.Trigger) bool { return slices.ContainsFunc(g.At, e.Quote.Overlaps) }):
		place = "the start"
	}
	line = fmt.Sprintf("“%s” became %s", english.Shorten(english.Plain(e.Text), shownOfSentence), place)
	if mind := english.Join(e.Words[:min(len(e.Words), mostMinded)], "and"); mind != "" {
		line += fmt.Sprintf(" (mind %s)", mind)
	}
	return line, numbers
}
