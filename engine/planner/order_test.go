package planner_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/raise"
	"sluice/engine/planner/readback"
)

// TestFieldsComeAsTheyWereSaid: the fields of a question are in the order of the words, in the flow, in what is read back, and in the tree that
// is raised from the flow.
func TestFieldsComeAsTheyWereSaid(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	tr, ok := outline.Read("ask @ana for a name, a start date and a reason, then tell #team it is done", "U1")
	if !ok {
		t.Fatal("it is not read")
	}
	p := planner.Plan(tr, w)
	i := slices.IndexFunc(p.Flow.Nodes, func(n flow.Node) bool { return n.Kind == flow.KindAsk })
	if i < 0 {
		t.Fatalf("there is no question: %v", p.Questions)
	}
	want := []string{"name", "start_date", "reason"}
	if got := flow.InOrder(p.Flow.Nodes[i].Question().Form); !slices.Equal(got, want) {
		t.Errorf("the flow asks for %v", got)
	}
	raised, err := raise.Tree(p.Flow)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range raised.Steps[0].Fields {
		got = append(got, f.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the tree asks for %v", got)
	}
	f := p.Flow.Clone()
	f.Nodes[i].Spec.(*flow.AskSpec).Message = "What is it?"
	if lines := readback.Lines(f, w.Tools, p.NodeNumbers()); !strings.Contains(lines[0].Text, "Fields: name, start date and reason.") {
		t.Errorf("it reads back %q", lines[0].Text)
	}
}

// TestSeveralPeopleInQuestions: questions about several people say "or" where one of them is enough, and have the verb that fits.
func TestSeveralPeopleInQuestions(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, want := range map[string]string{
		`ask @ana and @bob whether it is safe. Then tell #team "go"`:                                    "What follows when @ana and @bob answer “it is safe” with no?",
		`ask @ana if it is safe. If it is, @bob opens it. If not, tell #ops "no". Then tell #team "go"`: "What follows when the answer of @ana was “no” and “no” is done?",
		`ask @ana or @bob whether it is safe. Then tell #team "go"`:                                     "What follows when @ana or @bob answers “it is safe” with no?",
		`@ana restarts it within 1 hour, otherwise tell #ops "late". Then tell #team "go"`:              "What follows when @ana has not done “restarts it” in time?",
	} {
		tr, _ := outline.Read(words, "U1")
		p := planner.Plan(tr, w)
		if len(p.Questions) == 0 || p.Questions[0].Text != want {
			t.Errorf("%q asks %+v", words, p.Questions)
		}
	}
}

// TestApprovalSaysWhatWasEntered: an approval that names nothing says what somebody has entered just before.
func TestApprovalSaysWhatWasEntered(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, want := range map[string]string{
		`ask @ana for the item and the quantity. ask @bob to approve`:             "{{run.title}}: approve? Item: {{approvals.ask_ana.item}}. Quantity: {{approvals.ask_ana.quantity}}.",
		`ask @ana for the item and the quantity. ask @bob to approve the holiday`: "{{run.title}}: approve the holiday?",
	} {
		tr, _ := outline.Read(words, "U1")
		f := planner.Plan(tr, w).Flow
		at := slices.IndexFunc(f.Nodes, func(n flow.Node) bool { return n.Kind == flow.KindApproval })
		if at < 0 {
			t.Fatalf("%q asks nobody to approve: %v", words, f.Nodes)
		}
		if got := f.Nodes[at].Spec.(*flow.ApprovalSpec).Message; got != want {
			t.Errorf("%q asks %q, not %q", words, got, want)
		}
	}
}
