package readback_test

import (
	"slices"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/planner/readback"
)

// A step whose name is the beginning of its description shows whom it asks, and not the same words twice.
func TestChartSaysNothingTwice(t *testing.T) {
	t.Parallel()
	pack := flow.Node{ID: "pack", Name: "Pack the box and…", Description: "pack the box and send it away", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "{{run.title}}", Who: &flow.Who{Users: []string{"@bob"}}}}
	c := readback.Chart(&flow.Flow{Name: "box", Entry: "pack", Nodes: []flow.Node{pack}}, nil)
	at := slices.IndexFunc(c.Nodes, func(n chart.Node) bool { return n.ID == "pack" })
	if got := c.Nodes[at].Description; got != "asks @bob" {
		t.Errorf("below the name stands %q", got)
	}
}
