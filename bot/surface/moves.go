package surface

import (
	"context"
	"fmt"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/engine/flow"
)

// MovesRef is the reference of the card about runs on versions earlier than that of an approved draft.
func MovesRef(draft string) string { return "moves:" + draft }

// MovesCard says how many runs wait on earlier versions than the one of an approved draft, which of them fit it, and what people did about them.
func (cs *Cards) MovesCard(ctx context.Context, id string) (card.Card, error) {
	d, err := cs.Engine.Store().Draft(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	b, _, err := draft.Decode(d)
	if err != nil {
		return card.Card{}, err
	}
	head, err := cs.Engine.Store().Flow(ctx, d.Flow)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{Context: []card.Text{card.Textf("%s version %d", d.Flow, b.Revision)}}
	var lines []card.Text
	for _, m := range b.Moves {
		switch {
		case m.Left:
			lines = append(lines, card.Textf(":white_check_mark: %s left the other runs on their versions.", card.User(m.By)))
		default:
			lines = append(lines, card.Textf(":white_check_mark: %s moved %s to version %d. Their open questions are asked anew.", card.User(m.By), plural(m.Runs, "run", "runs"), b.Revision))
		}
	}
	switch {
	case b.Settled():
	case head.Head != b.Revision:
		lines = append(lines, card.Textf("Version %d of *%s* has been approved since: its own message says which runs fit that.", head.Head, flow.Words(d.Flow)))
	default:
		p, err := cs.Engine.MovePlan(ctx, d.Flow, b.Revision)
		if err != nil {
			return card.Card{}, err
		}
		lines = append(lines, card.Plain(p.String()))
		if len(p.Fits) > 0 {
			choose := FormButton("Choose…", form.Ref{Owner: form.OfMoves, Subject: d.ID})
			choose.Style = card.Default
			c.Buttons = []card.Button{
				{
					Action: "moves.fit", Label: "Move those that fit", Value: d.ID, Style: card.Primary,
					Confirm: &card.Confirm{Title: "Move the runs?", Text: fmt.Sprintf("They go on by version %d. Their open questions are asked anew, and votes that were given do not count.", b.Revision), Yes: "Move them", No: "Not now"},
				},
				choose,
				{Action: "moves.leave", Label: "Leave them", Value: d.ID},
			}
		}
	}
	c.Text = card.Join("\n", lines...)
	return c, nil
}
