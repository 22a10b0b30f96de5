package surface

import (
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/trigger"
)

// OpenForm is the action of buttons that open a form; their value is its reference.
const OpenForm = "form.open"

// RunButton starts a run of a flow. A flow with inputs, or one that reads the message which starts it, has a form for them.
func RunButton(f *flow.Flow) card.Button {
	if len(f.Inputs) == 0 && !trigger.ReadsMessage(f) {
		return card.Button{Action: "run.now", Label: "Run now", Value: f.Name, Style: card.Primary}
	}
	return FormButton("Run now…", form.Ref{Owner: form.OfRun, Subject: f.Name})
}

// flowButtons are the buttons of an approved flow.
func flowButtons(f *flow.Flow) []card.Button {
	opens := func(label string, owner form.Owner) card.Button {
		b := FormButton(label, form.Ref{Owner: owner, Subject: f.Name})
		b.Action, b.Style = OpenForm+":"+string(owner), card.Default
		return b
	}
	all := []card.Button{RunButton(f)}
	if !trigger.ReadsMessage(f) { // the clock gives none
		all = append(all, opens("Schedule…", form.OfSchedule))
	}
	return append(all, opens("Change…", form.OfChange), card.Button{Action: "flow.export", Label: "Export", Value: f.Name})
}

// FormButton opens a form.
func FormButton(label string, ref form.Ref) card.Button {
	return card.Button{Action: OpenForm, Label: label, Value: ref.String(), Style: card.Primary}
}

// AnywayButton asks why a run for the same thing as another one is started, or does not wait.
func AnywayButton(owner form.Owner, run string) card.Button {
	b := FormButton("Run anyway…", form.Ref{Owner: owner, Subject: run})
	b.Style = card.Danger
	return b
}

// GateButtons are the buttons of an open gate, one per choice. A choice that needs more than a press opens a form. Labels may be told apart by
// a suffix.
func GateButtons(id string, o history.GateOpened, suffix string) []card.Button {
	choices, shown := o.Choices, o.Shown()
	if len(choices) == 0 {
		return []card.Button{openForm(id, o, strings.TrimSpace("Answer… "+suffix), 0)}
	}
	numbered := slices.ContainsFunc(choices, longName)
	var out []card.Button
	for i, choice := range choices {
		label := ChoiceLabel(choice)
		if numbered { // the card lists them
			label = fmt.Sprintf("%d. %s", i+1, card.Shorten(label, 30))
		}
		b := card.Button{
			Action: chooseAction(id, i), Label: strings.TrimSpace(label + " " + suffix),
			Value: GateValue(id, i, shown), Style: choiceStyle(i, choice), Decides: true,
		}
		if form.NeedsForm(o, choice) {
			b.Action, b.Value = fmt.Sprintf("%s:%s:%d", OpenForm, id, i), form.Ref{Owner: form.OfGate, Subject: id, Choice: i + 1, Shown: shown}.String()
			b.Label = strings.TrimSpace(label + "… " + suffix)
		}
		out = append(out, b)
	}
	return out
}

func chooseAction(id string, choice int) string { return fmt.Sprintf("gate.choose:%s:%d", id, choice) }

// moreButtons open the form of an open gate, for answers that need more than a button: a note, or the value of a step.
func moreButtons(id string, o history.GateOpened) []card.Button {
	if choice := slices.IndexFunc(o.Choices, func(c string) bool { return form.TakesValue(o.Kind, c) }); choice >= 0 {
		out := []card.Button{openForm(id, o, ChoiceLabel(o.Choices[choice])+" with a value…", choice+1)}
		if o.Kind == history.GateFailure && slices.Contains(o.Choices, history.ChoiceRetry) {
			edit := FormButton("Edit and continue…", form.Ref{Owner: form.OfEdit, Subject: id})
			edit.Action, edit.Style = OpenForm+":"+id+":edit", card.Default
			out = append(out, edit)
		}
		return out
	}
	if o.Error != nil {
		return nil
	}
	return []card.Button{openForm(id, o, "With a note…", 0)}
}

func openForm(id string, o history.GateOpened, label string, choice int) card.Button {
	ref := form.Ref{Owner: form.OfGate, Subject: id, Choice: choice, Shown: o.Shown()}
	return card.Button{Action: fmt.Sprintf("%s:%s:form", OpenForm, id), Label: label, Value: ref.String(), Decides: true}
}

// NeedsInputs reports whether a run of a flow has to be given something.
func NeedsInputs(f *flow.Flow) bool {
	return slices.ContainsFunc(f.Inputs, func(in flow.Input) bool { return in.Required && in.Default == nil })
}
