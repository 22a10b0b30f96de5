package surface

import (
	"slices"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/history"
	"sluice/engine/planner/idiom"
	"sluice/engine/view"
	"sluice/render"
)

// TestNumbersInARow are written shortly.
func TestNumbersInARow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ names, want []string }{
		{[]string{"4", "5", "6"}, []string{"4-6"}},
		{[]string{"1", "2", "2a", "3", "5", "Tell ana", "9", "10"}, []string{"1-2", "2a", "3", "5", "Tell ana", "9-10"}},
		{[]string{"3"}, []string{"3"}},
		{nil, nil},
	} {
		if got := ranges(tt.names); !slices.Equal(got, tt.want) {
			t.Errorf("%q are written %q, want %q", tt.names, got, tt.want)
		}
	}
}

// TestErrorsInWords: the kind of an error is shown as people write it.
func TestErrorsInWords(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"ConnectionError": "connection error", "HTTPError": "HTTP error", "RateLimitError": "rate limit error", "CallRefused": "call refused", "UnknownOutcome": "unknown outcome", "closed": "error",
	} {
		if got := errorWords(from); got != want {
			t.Errorf("%s is %q, not %q", from, got, want)
		}
	}
}

// TestStepsAreCountedByTheirNumbers: several nodes can be one step. It is done when none of them is at work or waits.
func TestStepsAreCountedByTheirNumbers(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Nodes: []flow.Node{{ID: "split"}, {ID: "ask"}, {ID: "tell"}, {ID: "go"}}}
	numbers := map[string]string{"split": "1", "ask": "1a", "tell": "1a", "go": "2"}
	for _, tt := range []struct {
		numbers map[string]string
		states  map[string]history.NodeState
		want    string
	}{
		{numbers, nil, "0 of 3 steps"},
		{numbers, map[string]history.NodeState{"split": history.StateRunning, "ask": history.StateComplete}, "1 of 3 steps"},
		{numbers, map[string]history.NodeState{"split": history.StateComplete, "ask": history.StateComplete, "tell": history.StateRunning}, "1 of 3 steps"},
		{numbers, map[string]history.NodeState{"split": history.StateComplete, "ask": history.StateByHand, "tell": history.StateSkipped, "go": history.StateComplete}, "3 of 3 steps"},
		{nil, map[string]history.NodeState{"ask": history.StateComplete, "tell": history.StateComplete}, "2 of 4 steps"},
	} {
		p := &progress{View: &view.View{Flow: f, View: &history.View{Nodes: map[string]history.NodeView{}}}, numbers: tt.numbers}
		for id, state := range tt.states {
			p.Nodes[id] = history.NodeView{State: state}
		}
		if got := p.counted(); got != tt.want {
			t.Errorf("%v are counted as %q, want %q", tt.states, got, tt.want)
		}
	}
}

// TestWhatJoinsBranchesIsNoStep: the list of steps leaves out the question whether a branch has ended early, which lowering adds.
func TestWhatJoinsBranchesIsNoStep(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Nodes: []flow.Node{{ID: "both"}, {ID: "stopped", Name: idiom.EndsEarly, Kind: flow.KindDecision}, {ID: "tell"}}}
	p := &progress{View: &view.View{Flow: f, View: &history.View{Nodes: map[string]history.NodeView{}}}, numbers: map[string]string{"both": "1", "stopped": "1", "tell": "2"}}
	var got []string
	for _, n := range f.Nodes {
		p.Nodes[n.ID] = history.NodeView{State: history.StateComplete}
	}
	for _, task := range p.tasks() {
		got = append(got, task.Title)
	}
	if want := []string{"1. Both", "2. Tell"}; !slices.Equal(got, want) {
		t.Errorf("the steps are %q, want %q", got, want)
	}
}

// TestOneShapeOfSeveralNodes shows the state of the node that the run has reached, whichever is looked at first.
func TestOneShapeOfSeveralNodes(t *testing.T) {
	t.Parallel()
	drawn := chart.Chart{Map: map[string][]string{"no": {"bye"}, "late": {"bye"}, "next": {"next"}}}
	for range 30 { // the order of a map is another one each time
		p := &progress{View: &view.View{View: &history.View{Nodes: map[string]history.NodeView{
			"no": {State: history.StateCancelled}, "late": {State: history.StateSkipped}, "next": {State: history.StateSkipped},
		}}}}
		got := p.shown(drawn)
		if got["bye"].State != render.Cancelled || got["bye"].Note != "cancelled" || got["next"].State != render.Skipped {
			t.Fatalf("the shapes show %+v", got)
		}
	}
}
