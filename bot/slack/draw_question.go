package slack

import (
	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
)

// question draws a question and its answers. A question whose answers have no room is left out whole, and the card says that it is short.
func (d *drawing) question(q card.Question) {
	row, before := d.answers(q), *d
	d.section(q.Text)
	if len(row) == 0 || len(d.blocks) == len(before.blocks) {
		return
	}
	d.add(slackgo.NewActionBlock("", row...))
}

// answers makes the buttons and selects of a question.
func (d *drawing) answers(q card.Question) []slackgo.BlockElement {
	var row []slackgo.BlockElement
	for _, b := range q.Buttons[:min(len(q.Buttons), maxActions)] {
		if whole(b) {
			row = append(row, d.button(b))
		}
	}
	for _, s := range q.Selects {
		if el := d.selection(s); el != nil && len(row) < maxActions {
			row = append(row, el)
		}
	}
	return row
}

// selection draws a select with as many choices as have room; nil = none has.
func (d *drawing) selection(s card.Select) slackgo.BlockElement {
	var options []*slackgo.OptionBlockObject
	for _, c := range s.Choices {
		room := len([]rune(c.Label)) + len(c.Value)
		if len(options) == maxChoices || d.room < maxTotal/3+room || c.Value == "" || len(c.Value) > maxChoiceValue {
			d.short = d.short || len(options) < maxChoices
			continue
		}
		d.room -= len(c.Value)
		options = append(options, slackgo.NewOptionBlockObject(c.Value, plain(d.take(card.OneLine(c.Label), maxChoice)), nil))
	}
	if len(options) == 0 {
		return nil
	}
	label := plain(d.take(card.OneLine(s.Label), maxChoice))
	return slackgo.NewOptionsSelectBlockElement(slackgo.OptTypeStatic, label, d.take(s.Action, maxActionID), options...)
}
