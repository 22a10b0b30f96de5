package raise_test

import (
	"slices"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/refusal"
	"sluice/engine/planner/lower"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/raise"
	"sluice/engine/planner/tree"
)

// change lowers a tree, raises it, changes a step and lowers it again on the base of the first flow.
func change(t *testing.T, base *flow.Flow, step string, to func(s *tree.Step)) *flow.Flow {
	t.Helper()
	was, err := raise.Steps(base)
	if err != nil {
		t.Fatal(err)
	}
	now := was.Clone()
	to(now.Step(step))
	w := plannertest.Shop()
	w.Base = base
	f, _, _ := lower.Flow(now, w, was, nil)
	return f
}

// TestWordsTakeRetriesAway: a retry and what is done on an error stay as long as no words take them away.
func TestWordsTakeRetriesAway(t *testing.T) {
	t.Parallel()
	pay := tree.Step{ID: "s1", Kind: tree.Do, Doer: tree.DoerTool, Tool: "shop.pay", Text: "pay it", Retry: 3, OnError: []tree.Step{{ID: "s2", Kind: tree.Tell, Text: "it failed"}}}
	base, nodes, _ := lower.Flow(&tree.Tree{Steps: []tree.Step{pay}}, plannertest.Shop(), nil, nil)
	id := nodes["s1"][0]
	base.Node(id).Retry.MaxBackoffMS = 7000 // no words say this
	for name, c := range map[string]struct {
		change         func(s *tree.Step)
		attempts, ways int
	}{
		"nothing":       {func(*tree.Step) {}, 3, 1},
		"other words":   {func(s *tree.Step) { s.Text = "pay the bill" }, 3, 1},
		"the number":    {func(s *tree.Step) { s.Retry = 5 }, 5, 1},
		"no retry":      {func(s *tree.Step) { s.Retry = 0 }, 0, 1},
		"no error":      {func(s *tree.Step) { s.OnError = nil }, 3, 0},
		"none of both":  {func(s *tree.Step) { s.Retry, s.OnError = 0, nil }, 0, 0},
		"another error": {func(s *tree.Step) { s.OnError[0].Text = "sorry" }, 3, 1},
	} {
		n := change(t, base, id, c.change).Node(id)
		attempts := 0
		if n.Retry != nil {
			attempts = n.Retry.MaxAttempts
		}
		if attempts != c.attempts || len(n.OnError) != c.ways {
			t.Errorf("%s: it is tried %d times and has %d ways on errors", name, attempts, len(n.OnError))
		}
	}
	base.Node(id).OnError = []flow.ErrorRoute{{Match: "Timeout", To: flow.End}, {Default: true, To: flow.End}} // words have no form for these
	if n := change(t, base, id, func(s *tree.Step) { s.Text = "pay the bill" }).Node(id); len(n.OnError) != 2 {
		t.Errorf("of two ways on errors %d are left", len(n.OnError))
	}
}

// TestRefusalsThatAreAnswers: a refusal behind which the words say what is done does not reject the run. One behind which nothing is done, or
// people are told, does.
func TestRefusalsThatAreAnswers(t *testing.T) {
	t.Parallel()
	tell := tree.Step{ID: "s8", Kind: tree.Tell, Text: "sorry"}
	more := tree.Step{ID: "s9", Kind: tree.Ask, Text: "what is missing", Free: true}
	ask := func(no string, steps ...tree.Step) *tree.Tree {
		s := tree.Step{ID: "s1", Kind: tree.Ask, Text: "is it back", Choices: []string{"yes", no}, Branches: []tree.Branch{{Choice: "yes", Steps: []tree.Step{{ID: "s2", Kind: tree.Tell, Text: "good"}}}}}
		if len(steps) > 0 {
			s.Branches = append(s.Branches, tree.Branch{Choice: no, Steps: steps})
		}
		return &tree.Tree{Steps: []tree.Step{s}}
	}
	both := func(t *testing.T, tr *tree.Tree) (*flow.Flow, *flow.Node) {
		t.Helper()
		f, nodes, _ := lower.Flow(tr, plannertest.Shop(), nil, nil)
		return f, f.Node(nodes["s1"][0])
	}
	for name, c := range map[string]struct {
		no    string
		steps []tree.Step
		want  bool
	}{
		"nothing follows":   {"no", nil, true},
		"it is told":        {"no", []tree.Step{tell}, true},
		"somebody is asked": {"no", []tree.Step{more, tell}, false},
		"of a rejection":    {"reject", []tree.Step{tell, more}, false},
		"rejected, told":    {"reject", []tree.Step{tell}, true},
		"in a condition":    {"no", []tree.Step{{ID: "s7", Kind: tree.Decide, Branches: []tree.Branch{{Else: true, Steps: []tree.Step{more}}}}}, false},
		"it stops":          {"no", []tree.Step{{ID: "s7", Kind: tree.Stop}}, true},
	} {
		f, n := both(t, ask(c.no, c.steps...))
		if got, _ := f.Refusal(n, c.no); (got != refusal.None) != c.want {
			t.Errorf("%s: the answer is a refusal of kind %v", name, got)
		}
	}
	f, n := both(t, ask("no", more))
	without := change(t, f, n.ID, func(s *tree.Step) { s.Branches[len(s.Branches)-1].Steps = []tree.Step{tell} })
	if got := without.Node(n.ID).Spec.(*flow.ApprovalSpec).Refuses; got != nil {
		t.Errorf("nothing but a message follows any more, and it refuses %v", got)
	}
	f.Node(n.ID).Spec.(*flow.ApprovalSpec).Refuses = []string{"no"} // a file says so
	same := change(t, f, n.ID, func(s *tree.Step) { s.Text = "is the laptop back" })
	if got := same.Node(n.ID).Spec.(*flow.ApprovalSpec).Refuses; !slices.Equal(got, []string{"no"}) {
		t.Errorf("no words change what is refused, and it is %v", got)
	}
}
