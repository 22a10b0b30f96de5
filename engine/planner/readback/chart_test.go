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

// What a step does with a tool, and where branches begin and meet, is said in words: the type of the shape says nothing to its author.
func TestChartSaysWhatPlainStepsDo(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "box", Entry: "split", Nodes: []flow.Node{
		{ID: "split", Kind: flow.KindParallel, Spec: &flow.ParallelSpec{Branches: []flow.Route{{To: "get"}, {To: "tell"}}}, Routes: []flow.Route{{To: "own"}}},
		{ID: "get", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "parcel_shop.get"}},
		{ID: "tell", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: flow.PostMessage}},
		{ID: "own", Description: "the box", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "shop.get"}},
	}}
	got := map[string]string{}
	for _, n := range readback.Chart(f, nil).Nodes {
		got[n.ID] = n.Description
	}
	for id, want := range map[string]string{
		"split": "2 at once", chart.JoinNode("split"): "when all are done", "get": "with Parcel shop", "tell": "sends a message", "own": "the box",
	} {
		if got[id] != want {
			t.Errorf("below %s stands %q, want %q", id, got[id], want)
		}
	}
}

// Only a message that needs an answer is called one: a step whose doer is not known yet has a shape of the same type.
func TestChartCallsOpenMessages(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "box", Entry: "pack", Nodes: []flow.Node{
		{ID: "pack", Name: "Pack half of it (?)", Description: "needs an answer", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "Pack half of it."}, Routes: []flow.Route{{To: "tell"}}},
		{ID: "tell", Name: "Tell the customer (?)", Description: "needs an answer", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "hi"}},
	}}
	got := map[string]string{}
	for _, n := range readback.Chart(f, nil, "pack", "tell").Nodes {
		got[n.ID] = n.Description
	}
	if got["pack"] == "sends a message" || got["tell"] != "sends a message" {
		t.Errorf("below the names stand %q", got)
	}
}
