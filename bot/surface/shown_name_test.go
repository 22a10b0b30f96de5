package surface

import (
	"testing"

	"sluice/engine/flow"
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
