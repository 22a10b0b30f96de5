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

// askToCompare asks a person to compare the draft with the sentences of a text that are not plain, when it was read without a model. It is the
// last question, because the answers to others change the draft.
func askToCompare(p *inquiry) {
	if len(p.asked) > 0 {
		return
	}
	for i, t := range p.t.Texts {
		if !t.Outline {
			continue
		}
		all := prose.Sentences(p.t, i)
		if len(all) == 0 {
			continue
		}
		q := &asking{Question: Question{ID: "confirm.long." + strconv.Itoa(i), Kind: "confirm"}, at: all[0].Quote}
		q.Text = "Without a language model I may mistake what belongs together. Is the draft what you mean here, or what should change (reply in this thread)?"
		does, left := p.out.Does(p.w.Tools), shownOfSteps // what is shown of a step is taken out
		for _, e := range all[:min(len(all), mostSentences)] {
			line, numbers := compare(p, e)
			for _, n := range numbers {
				if step := "\n    " + n + ". " + english.Shorten(does[n], shownOfStep); does[n] != "" && len(step) <= left {
					line, left, does[n] = line+step, left-len(step), ""
				}
			}
			q.Lines = append(q.Lines, line)
		}
		if more := len(all) - mostSentences; more > 0 {
			q.Lines = append(q.Lines, fmt.Sprintf("%d more sentences of that kind", more))
		}
		q.button("right", "Yes, that is what I mean", nil)
		p.add(q)
		return
	}
}

// compare shows a sentence, the steps that it became, whose numbers it gives, and the words to mind.
func compare(p *inquiry, e prose.Sentence) (line string, numbers []string) {
	for s := range p.t.Walk {
		own := s.Own()
		if n := p.out.Numbers[s.ID]; n != "" && slices.ContainsFunc(tree.Quotes(&own), e.Quote.Overlaps) && !slices.Contains(numbers, n) {
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
