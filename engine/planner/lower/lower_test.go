package lower

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/validate"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/tree"
)

// checkLowered lowers a tree and fails when the flow is not valid, when a step that is reached became nothing, or when a way avoids a gate.
func checkLowered(t *testing.T, tr *tree.Tree, open map[string]bool) {
	t.Helper()
	f, nodes, notes := Flow(tr, plannertest.Shop(), nil, open)
	if f == nil {
		t.Fatal("there is no flow")
	}
	for _, p := range validate.Flow(f, plannertest.Checks()).Errors() {
		t.Errorf("%s: %s %s", p.Code, p.Message, p.Hint)
	}
	lost := map[string]bool{}
	for _, n := range notes {
		if n.Code == "unreachable" || n.Code == "too_long" || n.Code == "cannot" {
			lost[n.Step] = true
		}
	}
	reached(tr.Steps, lost, func(s *tree.Step) {
		if len(nodes[s.ID]) == 0 && len(s.Branches) == 0 {
			t.Errorf("step %s %s %q became nothing", s.ID, s.Kind, s.Text)
		}
	})
	checkGates(t, f, nodes, tr.Steps)
	for _, ids := range nodes {
		for _, id := range ids {
			if f.Node(id) == nil {
				t.Errorf("there is no node %s", id)
			}
		}
	}
}

// checkGates fails when what follows a gate in a list of steps can be reached without passing the gate.
func checkGates(t *testing.T, f *flow.Flow, nodes map[string][]string, steps []tree.Step) {
	t.Helper()
	for i := range steps {
		s := &steps[i]
		for _, list := range s.Lists() {
			checkGates(t, f, nodes, *list)
		}
		if s.Kind != tree.Ask || len(nodes[s.ID]) == 0 {
			continue
		}
		free := without(f, nodes[s.ID])
		for j := range steps[i+1:] {
			for _, id := range nodes[steps[i+1+j].ID] {
				if end, ok := f.Node(id).Spec.(*flow.TerminalSpec); ok && end.Output == idiom.Stopped {
					continue // the end that branches share
				}
				if free[id] && !slices.Contains(nodes[s.ID], id) {
					t.Errorf("%s can be reached without the gate %s", id, s.ID)
				}
			}
		}
	}
}

// without lists the nodes that can be reached from the entry without passing some of them.
func without(f *flow.Flow, gates []string) map[string]bool {
	seen := map[string]bool{}
	for todo := []string{f.Entry}; len(todo) > 0; todo = todo[1:] {
		n := f.Node(todo[0])
		if n == nil || seen[n.ID] || slices.Contains(gates, n.ID) {
			continue
		}
		seen[n.ID] = true
		for _, e := range n.Edges() {
			todo = append(todo, e.To)
		}
	}
	return seen
}

// reached visits the steps of a list up to one that is never reached.
func reached(steps []tree.Step, lost map[string]bool, visit func(s *tree.Step)) {
	for i := range steps {
		if lost[steps[i].ID] {
			return
		}
		visit(&steps[i])
	}
}

func TestLowerRandomTrees(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1500) {
		tr := plannertest.Random(seed)
		open := map[string]bool{}
		tr.Walk(func(s *tree.Step) bool {
			open[s.ID] = seed%3 == 0 && len(s.ID)%2 == 0
			return true
		})
		checkLowered(t, tr, open)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzLower(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkLowered(t, plannertest.Random(seed), nil) })
}

// TestAReasonOfARefusal: a question with a form whose answer decides what follows is a gate, and what only one answer needs is asked for that
// answer alone.
func TestAReasonOfARefusal(t *testing.T) {
	t.Parallel()
	reason := tree.Value{Words: "the reason", Ref: tree.Ref{Step: "s1", Field: "reason"}}
	ask := tree.Step{ID: "s1", Kind: tree.Ask, Text: "the refund", Fields: []tree.Field{{Name: "reason", Required: true}}, Branches: []tree.Branch{
		{Choice: "approve", Steps: []tree.Step{{ID: "s2", Kind: tree.Tell, Text: "yes"}}},
		{Choice: "reject", Steps: []tree.Step{{ID: "s3", Kind: tree.Tell, Parts: []tree.Value{reason}}}},
	}}
	for name, c := range map[string]struct {
		behind   []tree.Step
		required bool
	}{
		"of a refusal":    {nil, false},
		"of every answer": {[]tree.Step{{ID: "s4", Kind: tree.Tell, Parts: []tree.Value{reason}}}, true},
	} {
		f, nodes, _ := Flow(&tree.Tree{Steps: append([]tree.Step{ask}, c.behind...)}, plannertest.Shop(), nil, nil)
		gate, ok := f.Node(nodes["s1"][0]).Spec.(*flow.ApprovalSpec)
		if !ok {
			t.Fatalf("%s: the question is %+v", name, f.Node(nodes["s1"][0]).Spec)
		}
		if field := gate.Form["reason"]; field.Required != c.required || !c.required && !slices.Equal(field.RequiredFor, []string{"reject"}) {
			t.Errorf("%s: the field is %+v", name, field)
		}
	}
}

// TestResultsAfterSilence: what is done when nobody answers in time does not keep a run from giving its results, when nothing else follows.
func TestResultsAfterSilence(t *testing.T) {
	t.Parallel()
	set := func(id string) tree.Step {
		return tree.Step{ID: id, Kind: tree.Set, Result: id, Over: tree.Value{Literal: "x"}}
	}
	tell := tree.Step{ID: "s9", Kind: tree.Tell, Text: "done"}
	for name, c := range map[string]struct {
		behind []tree.Step
		want   string
	}{
		"results":      {[]tree.Step{set("s7"), set("s8")}, "set_s7"},
		"another step": {[]tree.Step{tell, set("s7"), set("s8")}, flow.End},
	} {
		ask := tree.Step{ID: "s1", Kind: tree.Ask, Text: "the refund", Deadline: &tree.Deadline{After: "1h"}, Branches: []tree.Branch{{Choice: flow.ChoiceTimeout, Steps: []tree.Step{{ID: "s2", Kind: tree.Tell, Text: "late"}}}}}
		f, nodes, _ := Flow(&tree.Tree{Steps: append([]tree.Step{ask}, c.behind...)}, plannertest.Shop(), nil, nil)
		if to := f.Node(nodes["s2"][0]).Routes[0].To; to != c.want {
			t.Errorf("%s: the message leads to %q", name, to)
		}
	}
}

// TestRoundsOfAnInput: a loop is done as often as an input says.
func TestRoundsOfAnInput(t *testing.T) {
	t.Parallel()
	loop := tree.Step{ID: "s1", Kind: tree.Repeat, Times: "rounds", Any: true, Branches: []tree.Branch{{Steps: []tree.Step{{ID: "s2", Kind: tree.Tell, Text: "hello"}}}}, Until: &tree.Cond{Op: "==", Left: tree.Value{Ref: tree.Ref{Input: "rounds"}}, Right: tree.Value{Literal: 7.0}}}
	tr := &tree.Tree{Inputs: []tree.Input{{Name: "rounds", Type: "integer"}}, Steps: []tree.Step{loop}}
	f, nodes, _ := Flow(tr, plannertest.Shop(), nil, nil)
	check := f.Node(nodes["s1"][len(nodes["s1"])-1])
	if got := check.Routes[1].When; got != "len(vars.rounds_again) >= inputs.rounds" {
		t.Errorf("it ends when %s", got)
	}
	checkLowered(t, tr, nil)
}

// TestAnAgentGetsTheMessage: the first agent of a run that a message starts works on it, and so does one that speaks of it.
func TestAnAgentGetsTheMessage(t *testing.T) {
	t.Parallel()
	agent := func(id, text string) tree.Step { return tree.Step{ID: id, Kind: tree.Agent, Text: text} }
	tr := &tree.Tree{Triggers: []tree.Trigger{{Emoji: "bug"}}, Steps: []tree.Step{agent("s1", "extract the title from it"), agent("s2", "improve the title"), agent("s3", "compare the message with the title")}}
	for _, emoji := range []string{"bug", ""} {
		tr.Triggers[0].Emoji = emoji
		f, nodes, _ := Flow(tr, plannertest.Shop(), nil, nil)
		for id, want := range map[string]bool{"s1": emoji != "", "s2": false, "s3": emoji != ""} {
			input := f.Node(nodes[id][0]).Spec.(*flow.AgentSpec).Input
			if got := input["message"] == "{{event.payload.message}}"; got != want {
				t.Errorf("%q: %s is given %v", emoji, id, input)
			}
		}
	}
}

// TestResultsOfABranch: a way that ends with naming values gives them, also in a branch or where it stops. A branch that only names a value
// gives nothing.
func TestResultsOfABranch(t *testing.T) {
	t.Parallel()
	set := tree.Step{ID: "s7", Kind: tree.Set, Result: "reasons", Over: tree.Value{Literal: "x"}}
	tell := tree.Step{ID: "s8", Kind: tree.Tell, Text: "done"}
	stop := tree.Step{ID: "s9", Kind: tree.Stop}
	over := &tree.Cond{Op: ">", Left: tree.Value{Ref: tree.Ref{Input: "n"}}, Right: tree.Value{Literal: 1.0}}
	for name, c := range map[string]struct {
		steps, behind []tree.Step
		want          bool
	}{
		"at its end":            {[]tree.Step{tell, set}, nil, true},
		"where it stops":        {[]tree.Step{set, stop}, []tree.Step{{ID: "s6", Kind: tree.Tell, Text: "go on"}}, true},
		"something follows":     {[]tree.Step{tell, set}, []tree.Step{{ID: "s6", Kind: tree.Tell, Text: "go on"}}, false},
		"it only names a value": {[]tree.Step{set}, nil, false},
	} {
		decide := tree.Step{ID: "s1", Kind: tree.Decide, Branches: []tree.Branch{{When: over, Steps: c.steps}}}
		f, _, _ := Flow(&tree.Tree{Inputs: []tree.Input{{Name: "n", Type: "number"}}, Steps: append([]tree.Step{decide}, c.behind...)}, plannertest.Shop(), nil, nil)
		got := slices.ContainsFunc(f.Nodes, func(n flow.Node) bool {
			end, ok := n.Spec.(*flow.TerminalSpec)
			return ok && end.Output != nil
		})
		if got != c.want {
			t.Errorf("%s: it gives results: %v", name, got)
		}
	}
}

// TestLeftOutBlocks: a draft whose flow lacks steps of the words cannot be approved.
func TestLeftOutBlocks(t *testing.T) {
	t.Parallel()
	tell := func(id string) tree.Step { return tree.Step{ID: id, Kind: tree.Tell, Text: "hello"} }
	var many []tree.Step
	for i := range maxSteps + 1 {
		many = append(many, tell("s"+strconv.Itoa(i)))
	}
	over := &tree.Cond{Op: ">", Left: tree.Value{Ref: tree.Ref{Input: "n"}}, Right: tree.Value{Literal: 1.0}}
	behindElse := tree.Step{ID: "d", Kind: tree.Decide, Branches: []tree.Branch{{When: over}, {Else: true}, {When: over, Steps: []tree.Step{tell("s1")}}}}
	for name, c := range map[string]struct {
		steps []tree.Step
		want  bool
	}{
		"as many as it may have":    {many[1:], false},
		"too many":                  {many, true},
		"too many in a branch":      {[]tree.Step{{ID: "d", Kind: tree.Decide, Branches: []tree.Branch{{When: over, Steps: many}}}}, true},
		"behind the other side":     {[]tree.Step{behindElse}, true},
		"behind the end":            {[]tree.Step{{ID: "s0", Kind: tree.Stop}, tell("s1")}, true},
		"the end is behind the end": {[]tree.Step{{ID: "s0", Kind: tree.Stop}, {ID: "s1", Kind: tree.Stop}}, false},
	} {
		_, _, notes := Flow(&tree.Tree{Inputs: []tree.Input{{Name: "n", Type: "number"}}, Steps: c.steps}, plannertest.Shop(), nil, nil)
		if got := slices.ContainsFunc(notes, func(n tree.Note) bool { return n.Blocks }); got != c.want {
			t.Errorf("%s: it blocks: %v, with the notes %v", name, got, notes)
		}
	}
}

// TestALoopThatWaitsGoesOnForLonger: what is watched every half an hour may take days.
func TestALoopThatWaitsGoesOnForLonger(t *testing.T) {
	t.Parallel()
	ask := tree.Step{ID: "s2", Kind: tree.Ask, Text: "is it over", Choices: []string{"yes", "no"}, Judges: true}
	until := &tree.Cond{Op: "==", Left: tree.Value{Ref: tree.Ref{Step: "s2"}}, Right: tree.Value{Literal: "yes"}}
	for most, steps := range map[string][]tree.Step{
		">= 10":  {ask},
		">= 200": {ask, {ID: "s3", Kind: tree.Wait, For: "30m"}},
	} {
		f, _, _ := Flow(&tree.Tree{Steps: []tree.Step{{ID: "s1", Kind: tree.Repeat, Until: until, Branches: []tree.Branch{{Steps: steps}}}}}, plannertest.Shop(), nil, nil)
		if body := string(flow.Canonical(f)); !strings.Contains(body, most+`"`) {
			t.Errorf("%d steps: no limit %s in %s", len(steps), most, body)
		}
	}
}
