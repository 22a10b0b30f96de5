package run_test

import (
	"strings"
	"testing"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// What a run did under an earlier revision is shown on the edges that are the same now, and on no others.
func TestAMovedRunLightsOnlyTheSameEdges(t *testing.T) {
	t.Parallel()
	chart := func(change func(f *flow.Flow)) *flow.Flow {
		say := func(id, to string) flow.Node {
			return flow.Node{ID: id, Kind: flow.KindSay, Spec: &flow.SaySpec{Message: id}, Routes: []flow.Route{{To: to}}}
		}
		f := &flow.Flow{Name: "f", Entry: "pick", Nodes: []flow.Node{
			{
				ID: "pick", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "1 < 2"},
				Routes: []flow.Route{{When: "true", To: "a"}, {When: "false", To: "b"}, {To: "c"}},
			},
			say("a", "sure"), say("b", "sure"), say("c", "sure"),
			{
				ID: "sure", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "sure?", Choices: []string{"approve", "reject"}},
				Routes: []flow.Route{{To: flow.End}},
			},
		}}
		change(f)
		return f
	}
	d, err := enginetest.NewDriver(chart(func(*flow.Flow) {}))
	if err != nil {
		t.Fatal(err)
	}
	step := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	step(d.Start(nil))
	step(d.Claim(1))
	step(d.Finish(1, history.Output{Text: "a"}, nil))
	for name, c := range map[string]struct {
		change func(f *flow.Flow)
		lit    string // pick/0, a/0 and the start, in this order
	}{
		"nothing":             {func(*flow.Flow) {}, "YYY"},
		"another node":        {func(f *flow.Flow) { f.Nodes[3].Spec = &flow.SaySpec{Message: "other words"} }, "YYY"},
		"another way first":   {func(f *flow.Flow) { r := f.Nodes[0].Routes; r[0], r[1] = r[1], r[0] }, "nYY"},
		"another condition":   {func(f *flow.Flow) { f.Nodes[0].Routes[0].When = "0" }, "nYY"},
		"another value":       {func(f *flow.Flow) { f.Nodes[0].Spec = &flow.DecisionSpec{Expr: "2 < 3"} }, "nYY"},
		"it leads elsewhere":  {func(f *flow.Flow) { f.Nodes[0].Routes[0].To = "b" }, "nYY"},
		"it begins elsewhere": {func(f *flow.Flow) { f.Entry = "a" }, "YYn"},
		"a way less":          {func(f *flow.Flow) { f.Nodes[1].Routes = nil }, "YnY"},
	} {
		d, err := enginetest.Resume(d, len(d.Inputs))
		step(err)
		step(d.Move(chart(c.change)))
		v, err := history.NewView(d.Flow, d.Facts, d.Past...)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, id := range []string{"pick/0", "a/0", flow.EntryEdge} {
			got.WriteString(map[bool]string{true: "Y", false: "n"}[v.Edges[id].Count == 1])
		}
		if got.String() != c.lit {
			t.Errorf("%s: lit are %s, want %s", name, got.String(), c.lit)
		}
		// From here on it goes by the new revision.
		if _, err := d.Feed(run.Answer{At: d.Now, Gate: d.State.Gates[0].ID, Shown: d.State.Gates[0].Shown, Choice: "approve", Actor: history.Actor{User: "U1"}}); err != nil {
			t.Fatal(err)
		}
		if v, err = history.NewView(d.Flow, d.Facts, d.Past...); err != nil || v.Edges["sure/0"].Count != 1 {
			t.Errorf("%s: what it did then is %+v, %v", name, v.Edges["sure/0"], err)
		}
		if v, err = history.NewView(d.Flow, d.Facts); err != nil || v.Edges["pick/0"].Count != 0 {
			t.Errorf("%s: of a revision that nobody knows %+v is lit, %v", name, v.Edges["pick/0"], err)
		}
	}
}
