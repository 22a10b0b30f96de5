package readback_test

import (
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/planner/env"
	"sluice/engine/planner/readback"
)

// TestReviewOfMissingNames: a person and an agent that are not here keep a flow from approval, unless people are asked what stands for them.
func TestReviewOfMissingNames(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{
		{ID: "a", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "clerk"}, Routes: []flow.Route{{To: "b"}}},
		{ID: "b", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "Well?", Choices: flow.DefaultChoices(), Who: &flow.Who{Users: []string{"@ana", "@nobody"}}}},
	}}
	w := env.World{Model: true, Kind: func(name string) string { return map[string]string{"@ana": "user"}[name] }}
	var blocking []string
	for _, n := range readback.Review(f, w) {
		if n.Blocks {
			blocking = append(blocking, n.Text)
		}
	}
	want := "No agent here is called “clerk” (named by step 1).\nNo person here is called “@nobody” (named by step 2)."
	if got := strings.Join(blocking, "\n"); got != want {
		t.Errorf("the review says\n%s", got)
	}
	w.Asked = func(string) bool { return true }
	if notes := readback.Review(f, w); len(notes) > 0 {
		t.Errorf("people are asked for all names, and the review says %+v", notes)
	}
}
