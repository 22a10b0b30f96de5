package planner

import (
	"fmt"
	"slices"
)

// askObjections asks about each difference that a second reading found, until a person confirms the draft.
func (p *inquiry) askObjections() {
	for _, o := range p.t.Objections {
		id := "confirm." + o.ID
		if slices.Contains(p.t.Settled, id) {
			continue
		}
		p.hidden = 0
		q := Question{
			ID: id, Kind: "confirm", Quote: p.t.Words(o.Quote), Default: optRight,
			Text:    fmt.Sprintf("A second reading differs from the draft: %s. Is the draft right as it is, or what should change (reply in this thread)?", trimWords(o.Text)),
			Options: []Option{{ID: optRight, Label: "The draft is right"}},
		}
		if o.Change {
			q.Text = fmt.Sprintf("The last change did this, too, and your words do not name it: %s. Is it meant (if not, reply “undo”)?", trimWords(o.Text))
			q.Options[0].Label = "It is meant"
		}
		p.asked = append(p.asked, asking{q, o.Quote})
	}
}
