package surface

import (
	"slices"
	"testing"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/view"
)

// TestShownName calls values as people know them, and not by their paths.
func TestShownName(t *testing.T) {
	t.Parallel()
	v := &view.View{Flow: &flow.Flow{Nodes: []flow.Node{{ID: "ask_ann", Name: "@ann fills it in", Kind: flow.KindAsk, Spec: &flow.AskSpec{}}}}}
	for path, want := range map[string]string{
		"vars.report": "Report", "inputs.order_id": "Order id", "approvals.ask_ann.tax_number": "Tax number", "approvals.ask_ann": "@ann fills it in", "approvals.gone.x": "Approvals gone x",
	} {
		if got := shownName(v, path); got != want {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
}

// TestShortAnswersAreLines: what people answered before stands in one section, a line each; other values have a section of their own.
func TestShortAnswersAreLines(t *testing.T) {
	t.Parallel()
	v := &view.View{Flow: &flow.Flow{Nodes: []flow.Node{{ID: "ask_ann", Name: "@ann fills it in", Kind: flow.KindAsk, Spec: &flow.AskSpec{}}}}}
	got := shownSections(v, []history.Shown{
		{Name: "approvals.ask_ann.item", Value: "chair"},
		{Name: "inputs", Value: map[string]any{"order": "A-1"}},
		{Name: "approvals.ask_ann.quantity", Value: 2},
		{Name: "approvals.ask_ann.reason", Value: "one\ntwo"},
	})
	var titles []string
	for _, s := range got {
		titles = append(titles, s.Title)
	}
	if want := []string{"Inputs", "Reason", "Answered before"}; !slices.Equal(titles, want) {
		t.Fatalf("sections %q, not %q", titles, want)
	}
	if last, want := got[2].Text.Words(), card.Textf(">Item: *chair*\n>Quantity: *2*").Words(); last != want {
		t.Errorf("the answers are %q, not %q", last, want)
	}
}

// TestInputsInTheOrderOfTheFlow: what a run was given is shown in the order in which it is asked for.
func TestInputsInTheOrderOfTheFlow(t *testing.T) {
	t.Parallel()
	v := &view.View{Flow: &flow.Flow{Inputs: []flow.Input{{Name: "start_date"}, {Name: "end_date"}, {Name: "cover"}}}}
	got := shownSections(v, []history.Shown{{Name: "inputs", Value: map[string]any{"cover": "Ana", "end_date": "2030-02-03", "start_date": "2030-02-01", "other": 1}}})
	if want := card.Textf(">start date: *2030-02-01*\n>end date: *2030-02-03*\n>cover: *Ana*\n>other: *1*").Words(); len(got) != 1 || got[0].Text.Words() != want {
		t.Errorf("the inputs are shown as %+v, not %q", got, want)
	}
}
