package planner

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/planner/change"
	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/raise"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
	"sluice/engine/tool"
)

// TestLoopsEnd runs loops whose end a person decides, to their ends: what is sent, and how the run ends.
func TestLoopsEnd(t *testing.T) {
	t.Parallel()
	w := worldOf()
	w.Tools = append(w.Tools, tool.PostMessage(nil))
	for _, c := range []struct{ words, answers, messages string }{
		{"repeat until @ann says ok: tell #orders \"draft\"", "no no yes", "draft draft draft"},
		{"tell #orders \"draft\". repeat this until @ann says ok. tell #support \"done\"", "no yes", "draft draft done"},
		{"1. tell #orders \"draft\"\n2. ask @ann to approve it. If rejected go back to 1\n3. tell #support \"done\"", "reject reject approve", "draft draft draft done"},
		{"1. tell #orders \"draft\"\n2. @ann reads it\n3. if she is not happy go back to 1\n4. tell #support \"done\"", "reject approve", "draft draft done"},
		{"1. tell #orders \"draft\"\n2. @ann reads it. if she can't go back to 1\n3. tell #support \"done\"", "I_can't Done", "draft draft done"},
		{"@ann packs the box. if she can't, ask @finance. tell #support \"done\"", "I_can't Done", "done"},
		{"1. tell #orders \"draft\"\n2. tell #support \"done\" unless it rains", "yes", "draft"},
		{"1. tell #orders \"draft\"\n2. tell #support \"done\" unless it rains", "no", "draft done"},
	} {
		if got := playAnswers(t, decidedByAnn(t, w, c.words), strings.Fields(c.answers)); got != c.messages {
			t.Errorf("%q, answered with %s: sent %q, want %q", c.words, c.answers, got, c.messages)
		}
	}
}

// TestLoopChanged changes a flow with a loop whose end a person decides: the loop still ends with that answer.
func TestLoopChanged(t *testing.T) {
	t.Parallel()
	w := worldOf()
	w.Tools = append(w.Tools, tool.PostMessage(nil))
	tr := treeDecidedByAnn(t, w, "1. tell #orders \"draft\"\n2. repeat until @ann likes it: tell #orders \"again\"\n3. tell #support \"done\"")
	next, _, err := change.Apply(tr, "remove 1", "U1")
	if err != nil {
		t.Fatal(err)
	}
	p := Plan(next, w)
	if len(p.Questions) > 0 {
		t.Fatalf("the draft asks %q", p.Questions[0].Text)
	}
	if got := playAnswers(t, p.Flow, []string{"no", "yes"}); got != "again again done" {
		t.Errorf("sent %q", got)
	}
}

// decidedByAnn reads an outline and lets @ann decide every condition.
func decidedByAnn(t *testing.T, w env.World, words string) *flow.Flow {
	t.Helper()
	return Plan(treeDecidedByAnn(t, w, words), w).Flow
}

func treeDecidedByAnn(t *testing.T, w env.World, words string) *tree.Tree {
	t.Helper()
	tr, ok := outline.Read(words, "U1")
	if !ok {
		t.Fatalf("%q is no outline", words)
	}
	for {
		p := Plan(tr, w)
		if len(p.Questions) == 0 {
			return p.Tree
		}
		q, option, value := p.Questions[0], optPerson, "@ann"
		switch q.Kind {
		case "value":
			option, value = "words", ""
		case "confirm":
			option, value = "right", ""
		}
		var err error
		if tr, err = Answer(tr, w, q.ID, option, value, "U1"); err != nil {
			t.Fatalf("%q: %s: %v", words, q.Text, err)
		}
	}
}

// playAnswers runs a flow whose gates are answered in order, and gives the messages that it sends.
func playAnswers(t *testing.T, f *flow.Flow, answers []string) string {
	t.Helper()
	d, err := enginetest.NewDriver(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Start(nil); err != nil {
		t.Fatal(err)
	}
	var sent []string
	for {
		at := ""
		for _, n := range f.Nodes {
			if len(d.Tokens(n.ID)) > 0 {
				at = n.ID
			}
		}
		if at == "" {
			break
		}
		act := "do " + at
		switch s := f.Node(at).Spec.(type) {
		case *flow.ApprovalSpec:
			if len(answers) == 0 {
				t.Fatalf("%s is asked once more, after %q", at, sent)
			}
			act, answers = "answer "+at+" "+strings.ReplaceAll(answers[0], "_", " "), answers[1:]
		case *flow.ToolSpec:
			text, _ := s.Params["text"].(string)
			sent = append(sent, text)
		}
		if err := d.Script(act); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Script("outcome done"); err != nil || len(answers) > 0 {
		t.Errorf("%v; not asked: %q", err, answers)
	}
	return strings.Join(sent, " ")
}

// TestTheLastTextCounts runs a loop in which a text is reviewed and rewritten: behind it the text is the last one, and so it is for the next review.
func TestTheLastTextCounts(t *testing.T) {
	t.Parallel()
	score := tree.Value{Ref: tree.Ref{Step: "review", Field: "score"}}
	tr := &tree.Tree{Steps: []tree.Step{
		{ID: "write", Kind: tree.Agent, Text: "write an essay", Result: "essay"},
		{ID: "rounds", Kind: tree.Repeat, Until: &tree.Cond{Op: ">=", Left: score, Right: tree.Value{Literal: 8.0}}, Branches: []tree.Branch{{Steps: []tree.Step{
			{ID: "review", Kind: tree.Agent, Text: "review the essay", Fields: []tree.Field{{Name: "score", Type: "integer"}}},
			{ID: "good", Kind: tree.Decide, Branches: []tree.Branch{{
				When: &tree.Cond{Op: "<", Left: score, Right: tree.Value{Literal: 8.0}}, Steps: []tree.Step{{ID: "rewrite", Kind: tree.Agent, Text: "improve it", Result: "essay"}},
			}}},
		}}}},
		{ID: "out", Kind: tree.Set, Result: "final", Over: tree.Value{Ref: tree.Ref{Step: "write"}}},
	}}
	p := Plan(tr, env.World{Model: true})
	review, ok := p.Flow.Node(p.Nodes["review"][0]).Spec.(*flow.AgentSpec)
	if !ok || len(review.Input) != 1 || review.Input["essay"] != "{{vars.essay}}" {
		t.Fatalf("the review is given %v", review.Input)
	}
	d, err := enginetest.NewDriver(p.Flow)
	if err == nil {
		err = d.Start(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	node := func(step string) string { return p.Nodes[step][0] }
	for _, line := range []string{
		"do " + node("write") + ` "one"`, "do " + node("review") + ` {"score": 3}`, "do " + node("rewrite") + ` "two"`,
		"do " + node("review") + ` {"score": 9}`, "outcome done",
	} {
		if err := d.Script(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if got := enginetest.Variables(d.State, d.Facts)["final"]; got != "two" {
		t.Errorf("behind the loop the text is %s", got)
	}
}

// TestAfterAllRounds asks what follows when the rounds are used up, and does that.
func TestAfterAllRounds(t *testing.T) {
	t.Parallel()
	for option, want := range map[string]string{optEitherWay: "results", optOnlyThen: "again_too_often"} {
		tr := &tree.Tree{Steps: []tree.Step{
			{ID: "rounds", Kind: tree.Repeat, Max: 2, Until: &tree.Cond{Op: tree.OpTrue, Words: "it is good", Left: tree.Value{Ref: tree.Ref{Step: "write", Field: "good"}}}, Branches: []tree.Branch{{Steps: []tree.Step{
				{ID: "write", Kind: tree.Agent, Text: "write it", Fields: []tree.Field{{Name: "good", Type: "boolean"}, {Name: "text"}}},
			}}}},
			{ID: "out", Kind: tree.Set, Result: "text", Over: tree.Value{Ref: tree.Ref{Step: "write", Field: "text"}}},
		}}
		tr, err := Answer(tr, env.World{Model: true}, "rounds.behind", option, "", "U1")
		if err != nil {
			t.Fatal(err)
		}
		p := Plan(tr, env.World{Model: true})
		if len(p.Questions) > 0 {
			t.Fatalf("it asks %q", p.Questions[0].Text)
		}
		d, err := enginetest.NewDriver(p.Flow)
		if err == nil {
			err = d.Start(nil)
		}
		for _, line := range []string{`{"good": false, "text": "one"}`, `{"good": false, "text": "two"}`} {
			if err == nil {
				err = d.Script("do " + p.Nodes["write"][0] + " " + line)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Path(); got[len(got)-1] != want {
			t.Errorf("it ends with %s and not with %s", got[len(got)-1], want)
		}
	}
}

// TestNamedResults: a run that ends with naming values gives all of them, also after the flow was raised to steps.
func TestNamedResults(t *testing.T) {
	t.Parallel()
	named := func(id, name, from string) tree.Step {
		return tree.Step{ID: id, Kind: tree.Set, Result: name, Over: tree.Value{Ref: tree.Ref{Step: from}}}
	}
	tr := &tree.Tree{Steps: []tree.Step{
		{ID: "a", Kind: tree.Agent, Text: "write a text", Result: "text"},
		{ID: "b", Kind: tree.Agent, Text: "improve it", Result: "text"},
		{ID: "c", Kind: tree.Agent, Text: "list its faults"},
		named("d", "final", "a"), named("e", "faults", "c"),
	}}
	p := Plan(tr, env.World{Model: true})
	d, err := enginetest.NewDriver(p.Flow)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Start(nil); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"a", "b", "c"} {
		if err := d.Script("do " + p.Nodes[step][0] + ` "of ` + step + `"`); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Script(`result {"final": "of b", "faults": "of c"}`); err != nil {
		t.Error(err)
	}
	lines := readback.Lines(p.Flow, nil, p.NodeNumbers())
	if last := lines[len(lines)-1].Text; !strings.HasSuffix(last, "then give the results faults, final: the run ends.") {
		t.Errorf("the last sentence is %q", last)
	}
	if _, err := raise.Tree(p.Flow); err != nil {
		t.Error(err)
	}
}

// TestAllOfAnItem: what an agent behind a loop over a list is given has all results of each item.
func TestAllOfAnItem(t *testing.T) {
	t.Parallel()
	tr := &tree.Tree{Inputs: []tree.Input{{Name: "titles", Type: "array"}}, Steps: []tree.Step{
		{ID: "each", Kind: tree.Each, As: "title", Over: tree.Value{Ref: tree.Ref{Input: "titles"}}, Branches: []tree.Branch{{Steps: []tree.Step{
			{ID: "text", Kind: tree.Agent, Text: "write the text"}, {ID: "check", Kind: tree.Agent, Text: "list its faults"},
		}}}},
		{ID: "all", Kind: tree.Agent, Text: "put it together"},
	}}
	p := Plan(tr, env.World{Model: true})
	d, err := enginetest.NewDriver(p.Flow)
	if err == nil {
		err = d.Start(map[string]any{"titles": []any{"one"}})
	}
	node := func(step string) string { return p.Nodes[step][0] }
	for _, line := range []string{
		"do " + node("text") + ` "T"`, "do " + node("check") + ` "F"`, "output " + node("each") + ` [{"write_text_output": "T", "list_faults_output": "F"}]`,
	} {
		if err == nil {
			err = d.Script(line)
		}
	}
	if err != nil {
		t.Error(err)
	}
	if _, err := raise.Tree(p.Flow); err != nil {
		t.Error(err)
	}
}

// TestTheLastFormCounts: a form that is corrected in a loop is shown as it was corrected.
func TestTheLastFormCounts(t *testing.T) {
	t.Parallel()
	form := func(id, text string) tree.Step {
		return tree.Step{ID: id, Kind: tree.Ask, Text: text, Result: "form", Who: []tree.Name{{Words: "@ann", Is: "@ann"}}, Fields: []tree.Field{{Name: "tax_number"}}}
	}
	answer := func(is string) *tree.Cond {
		return &tree.Cond{Op: "==", Left: tree.Value{Ref: tree.Ref{Step: "check"}}, Right: tree.Value{Literal: is}}
	}
	tr := &tree.Tree{Steps: []tree.Step{
		form("form", "fill it in"),
		{ID: "rounds", Kind: tree.Repeat, Until: answer("approve"), Branches: []tree.Branch{{Steps: []tree.Step{
			{ID: "check", Kind: tree.Ask, Text: "check it", Judges: true, Who: []tree.Name{{Words: "@bob", Is: "@bob"}}, Show: []tree.Value{{Ref: tree.Ref{Step: "form"}}}},
			{ID: "bad", Kind: tree.Decide, Branches: []tree.Branch{{When: answer("reject"), Steps: []tree.Step{form("again", "correct it")}}}},
		}}}},
	}}
	p := Plan(tr, env.World{Model: true})
	check, ok := p.Flow.Node(p.Nodes["check"][0]).Spec.(*flow.ApprovalSpec)
	if !ok || !slices.Equal(check.Show, []string{"vars.form.tax_number"}) {
		t.Fatalf("the question shows %v", check.Show)
	}
	d, err := enginetest.NewDriver(p.Flow)
	if err == nil {
		err = d.Start(nil)
	}
	for _, line := range []string{
		"answer " + p.Nodes["form"][0] + ` form={"tax_number":"12"}`, "answer " + p.Nodes["check"][0] + " reject", "answer " + p.Nodes["again"][0] + ` form={"tax_number":"99"}`,
	} {
		if err == nil {
			err = d.Script(line)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := enginetest.Variables(d.State, d.Facts)["form"].(map[string]any); got["tax_number"] != "99" {
		t.Errorf("the form is %v", got)
	}
}

// TestResultsOfItems: a step that uses what is made for each item of a list is asked about, and may get the list of all results.
func TestResultsOfItems(t *testing.T) {
	t.Parallel()
	tr := &tree.Tree{Inputs: []tree.Input{{Name: "files", Type: "array"}}, Steps: []tree.Step{
		{ID: "loop", Kind: tree.Each, As: "file", Over: tree.Value{Ref: tree.Ref{Input: "files"}}, Branches: []tree.Branch{{Steps: []tree.Step{{ID: "write", Kind: tree.Agent, Text: "write tests"}}}}},
		{ID: "tell", Kind: tree.Tell, Text: "the tests", Parts: []tree.Value{{Literal: "all: "}, {Words: "the tests", Ref: tree.Ref{Step: "write"}}}},
	}}
	w := env.World{Model: true}
	if p := Plan(tr, w); len(p.Questions) != 1 || p.Questions[0].ID != "tell.items.write" {
		t.Fatalf("it asks %+v", p.Questions)
	}
	tr, err := Answer(tr, w, "tell.items.write", optAll+".items", "", "U1")
	if err != nil {
		t.Fatal(err)
	}
	p := Plan(tr, w)
	if p.Blocked() || p.Flow.Node(p.Nodes["tell"][0]).Spec.(*flow.SaySpec).Message != "all: {{each_file.result | json}}" {
		t.Errorf("the draft is %+v, %+v", p.Questions, p.Flow.Node(p.Nodes["tell"][0]).Spec)
	}
	if _, err := raise.Tree(p.Flow); err != nil {
		t.Error(err)
	}
}
