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

// TestApprovalSaysWhatItIsAbout: an approval that names nothing is about what was made or entered before, and its card shows the inputs and
// earlier answers.
func TestApprovalSaysWhatItIsAbout(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, want := range map[string]struct{ message, show string }{
		`inputs: order. ask @ana for the item and the quantity. ask @bob to approve`:       {"{{run.title}}: approve what @ana gave (item and quantity)?", "inputs approvals.ask_ana.item approvals.ask_ana.quantity"},
		`ask @ana for the item. ask @cfo "which colour?". ask @bob to approve the holiday`: {"{{run.title}}: approve the holiday?", "approvals.ask_ana.item ask_cfo.output"},
		`@ana writes the offer, ask @bob to approve, then @cfo sends it`:                   {"{{run.title}}: approve what @ana did (write the offer)? Next: “send it”.", ""},
		`ask @ana to approve the plan. ask @bob to approve`:                                {"{{run.title}}: approve “the plan”?", ""},
		`ask @ana to approve it. ask @bob to approve`:                                      {"{{run.title}}: approve?", ""},
	} {
		tr, _ := outline.Read(words, "U1")
		f := planner.Plan(tr, w).Flow
		var last *flow.ApprovalSpec
		for _, n := range f.Nodes {
			if spec, is := n.Spec.(*flow.ApprovalSpec); is && (last == nil || strings.Contains(n.Name, "@bob")) {
				last = spec
			}
		}
		if got := strings.Join(last.Show, " "); last.Message != want.message || got != want.show {
			t.Errorf("%q asks %q and shows %q, not %q and %q", words, last.Message, got, want.message, want.show)
		}
	}
}

// TestTheLastApproval asks what is done after an approval of something that a tool does, and does what is answered.
func TestTheLastApproval(t *testing.T) {
	t.Parallel()
	w := everydayWorld(t)
	for option, want := range map[string]int{"tool": 2, "now": 1} {
		tr, _ := outline.Read("ask @ana to approve the refund", "U1")
		p := planner.Plan(tr, w)
		if len(p.Questions) != 1 || p.Questions[0].Text != "What is done after @ana said yes?" {
			t.Fatalf("it asks %+v", p.Questions)
		}
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, option, "", "U1")
		if err != nil {
			t.Fatal(err)
		}
		if p = planner.Plan(next, w); len(p.Questions) > 0 || len(p.Tree.Steps) != want {
			t.Errorf("%s: %d steps, it asks %+v", option, len(p.Tree.Steps), p.Questions)
		}
	}
}

// TestADecisionIsNamedByItsValue: "it" says nothing in a picture.
func TestADecisionIsNamedByItsValue(t *testing.T) {
	t.Parallel()
	w := everydayWorld(t)
	for words, want := range map[string]string{
		"ask @ana for the amount. if it is over 100 ask @bob to approve. tell #team \"ok\"": "Amount over 100?",
		"get the order. if its over 100 ask @bob to approve. tell #team \"ok\"":             "Amount over 100?",
		"get the order. if the amount is over 100 ask @bob to approve. tell #team \"ok\"":   "Amount over 100?",
	} {
		tr, _ := outline.Read(words, "U1")
		f := planner.Plan(tr, w).Flow
		i := slices.IndexFunc(f.Nodes, func(n flow.Node) bool { return n.Kind == flow.KindDecision })
		if i < 0 || f.Nodes[i].Name != want {
			t.Errorf("%q: there is no decision %q: %+v", words, want, f.Nodes)
		}
	}
}

// TestDoneBehindTheApproval: what is done without an approval is probably done behind it, too, and the words do not say so.
func TestDoneBehindTheApproval(t *testing.T) {
	t.Parallel()
	w := everydayWorld(t)
	tr, _ := outline.Read("get the order. If the amount is over 100 ask @ana to approve, otherwise just refund it. Then tell #team \"done\"", "U1")
	p := planner.Plan(tr, w)
	if len(p.Questions) != 1 || p.Questions[0].Kind != "then" || p.Questions[0].Options[0].Label != "Refund it" {
		t.Fatalf("asks %+v", p.Questions)
	}
	for option, want := range map[string]string{"tool": "Approve → 2b", "now": "Approve → 3"} {
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, option, "", "U1")
		if err != nil {
			t.Fatal(err)
		}
		p := planner.Plan(next, w)
		does := p.Does(w.Tools)
		if got := does["2a"]; !strings.Contains(got, want) || option == "tool" && !strings.HasPrefix(does["2b"], strings.TrimSuffix(does["2c"], ".")) {
			t.Errorf("%s: %q, %q, %q", option, got, does["2b"], does["2c"])
		}
		if len(p.Questions) != 1 || p.Questions[0].ID != compared {
			t.Errorf("%s: asks %+v", option, p.Questions)
		}
	}
}
