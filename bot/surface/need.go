package surface

import (
	"fmt"
	"slices"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/engine/flow/names"
	"sluice/storage"
)

// Need is a name in a draft's file that is not known here.
type Need struct {
	names.Name
	Used    string `json:"used"`             // by which steps and agents
	Without string `json:"without"`          // what becomes of the flow where nothing stands for the name
	Stands  string `json:"stands,omitempty"` // what stands for it; "" and settled: nothing
	Settled bool   `json:"settled,omitempty"`
	Near    string `json:"near,omitempty"` // a similar name that is here; shown until it is settled
}

// NeedsLabel is the label of the button that opens the form about the names of a file.
const NeedsLabel = "What it needs here…"

// unsettled counts the names that are not resolved yet.
func (b DraftBody) unsettled() (n int) {
	for _, need := range b.Needs {
		if !need.Settled {
			n++
		}
	}
	return n
}

// Unsettled says what is missing before a draft can be approved; "" = nothing.
func (b DraftBody) Unsettled() string {
	switch n := b.unsettled(); n {
	case 0:
		return ""
	case 1:
		i := slices.IndexFunc(b.Needs, func(n Need) bool { return !n.Settled })
		return fmt.Sprintf("The file needs the %s %s, which is not known here.", b.Needs[i].Kind, b.Needs[i].Text)
	default:
		return fmt.Sprintf("The file needs %d things that are not known here.", n)
	}
}

// needsSection lists the names of a file that are not known here, with what stands for them.
func needsSection(b DraftBody) []card.Section {
	if len(b.Needs) == 0 {
		return nil
	}
	var lines []card.Text
	for _, n := range b.Needs {
		switch name := card.Textf("%s `%s` (%s)", string(n.Kind), n.Text, n.Used); {
		case !n.Settled && n.Near != "":
			lines = append(lines, card.Textf("• %s: :grey_question: _not said yet_; nearest here: `%s`", name, n.Near))
		case !n.Settled:
			lines = append(lines, card.Textf("• %s: :grey_question: _not said yet_", name))
		case n.Stands == "":
			lines = append(lines, card.Textf("• %s: left as it is, so %s", name, n.Without))
		default:
			lines = append(lines, card.Textf("• %s: `%s`", name, n.Stands))
		}
	}
	return []card.Section{{Title: "What it needs here", Text: card.Join("\n", lines...)}}
}

// needsQuestion asks what names of a file mean here.
func needsQuestion(b DraftBody) []card.Question {
	words := b.Unsettled()
	if words == "" {
		return nil
	}
	return []card.Question{{Text: card.Textf(":grey_question: *%s* Say what there is here instead, or leave it as it is: press *%s*", words, NeedsLabel)}}
}

// needsButton opens the form about the names.
func needsButton(d storage.Draft, b DraftBody) []card.Button {
	if len(b.Needs) == 0 {
		return nil
	}
	button := FormButton(NeedsLabel, form.Ref{Owner: form.OfNeeds, Subject: d.ID})
	if b.unsettled() == 0 {
		button.Style = card.Default
	}
	return []card.Button{button}
}
