package surface

import (
	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/storage"
)

// NeedsLabel is the label of the button that opens the form about the names of a file.
const NeedsLabel = "What it needs here…"

// needsSection lists the names of a file that are not known here, with what stands for them.
func needsSection(b draft.Body) []card.Section {
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
func needsQuestion(b draft.Body) []card.Question {
	words := b.Unsettled()
	if words == "" {
		return nil
	}
	return []card.Question{{Text: card.Textf(":grey_question: *%s* Say what there is here instead, or leave it as it is: press *%s*", words, NeedsLabel)}}
}

// needsButton opens the form about the names.
func needsButton(d storage.Draft, b draft.Body) []card.Button {
	if len(b.Needs) == 0 {
		return nil
	}
	button := FormButton(NeedsLabel, form.Ref{Owner: form.OfNeeds, Subject: d.ID})
	if b.Unsettled() == "" {
		button.Style = card.Default
	}
	return []card.Button{button}
}
