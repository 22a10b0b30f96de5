package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/flow"
	"sluice/engine/plan"
)

func TestReadBackOfAnyFlow(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/read-back/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil || len(a.Files) != 2 {
				t.Fatalf("%d parts, error %v", len(a.Files), err)
			}
			d, problems := flow.Parse(file, a.Files[0].Data)
			if err := append(problems, d.Validate(flow.Checks{})...).Err(); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(plan.ReadBack(d.Flow, catalogue(t, "shop")), "\n") + "\n"
			if diff := cmp.Diff(string(a.Files[1].Data), got); diff != "" && !*update {
				t.Errorf("-want +got:\n%s", diff)
			}
			if a.Files[1].Data = []byte(got); *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Every node is told in exactly one sentence, and pictures carry the same numbers.
func TestLinesCoverEveryNode(t *testing.T) {
	t.Parallel()
	a, err := txtar.ParseFile("testdata/read-back/all-kinds.txtar")
	if err != nil {
		t.Fatal(err)
	}
	d, problems := flow.Parse("flow.yaml", a.Files[0].Data)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	number := map[string]int{}
	for n, ids := range plan.Lines(d.Flow) {
		for _, id := range ids {
			if number[id] != 0 {
				t.Errorf("node %s is in two sentences", id)
			}
			number[id] = n
		}
	}
	for _, n := range d.Flow.Nodes {
		if number[n.ID] == 0 {
			t.Errorf("node %s is in no sentence", n.ID)
		}
	}
	for _, n := range plan.Number(d.Flow.Plan(), plan.Lines(d.Flow)).Nodes {
		if want := number[strings.TrimSuffix(n.ID, "·join")]; n.Number != want {
			t.Errorf("%s is number %d in the picture, want %d", n.ID, n.Number, want)
		}
	}
}

func TestWhoDecides(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spec flow.Spec
		want []string
	}{
		"group and person": {&flow.ApprovalSpec{Who: &flow.Who{Groups: []string{"@leads"}, Users: []string{"@kim"}}}, []string{"@leads", "@kim"}},
		"question":         {&flow.AskSpec{Who: &flow.Who{Users: []string{"@kim"}}}, []string{"@kim"}},
		"nobody named":     {&flow.ApprovalSpec{}, nil},
		"empty":            {&flow.ApprovalSpec{Who: &flow.Who{Quorum: 2}}, nil},
		"no gate":          {&flow.SaySpec{Message: "Hello"}, nil},
	} {
		if diff := cmp.Diff(tt.want, plan.WhoDecides(&flow.Node{ID: "x", Spec: tt.spec})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Steps that only imported flows have are told too, and one that cannot be run says so.
func TestForeignStepsAreTold(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "imported", Entry: "begin", Profile: "s4", MaxVisits: 50, Nodes: []flow.Node{
		{ID: "begin", Kind: flow.KindEntry, Spec: &flow.EntrySpec{Start: flow.StartManual}, Routes: []flow.Route{{To: "rounds"}}},
		{ID: "rounds", Kind: flow.KindLoop, Spec: &flow.LoopSpec{Type: flow.LoopFor, To: "3", As: "i", Body: "ask"}, Routes: []flow.Route{{To: "parts"}}},
		{ID: "ask", Kind: flow.KindLLM, Spec: &flow.LLMSpec{Prompt: "Say something"}, Routes: []flow.Route{{To: flow.End}}},
		{ID: "parts", Kind: flow.KindSequence, Spec: &flow.SequenceSpec{Branches: []flow.Route{{To: "code"}, {To: "stop"}}}, Routes: []flow.Route{{To: flow.End}}},
		{ID: "code", Kind: flow.KindOpaque, Spec: &flow.OpaqueSpec{Type: "code", Reason: "it is a Python program"}, Routes: []flow.Route{{To: flow.End}}},
		{ID: "stop", Kind: flow.KindTerminal, Spec: &flow.TerminalSpec{EndsRun: true}},
	}}
	told := strings.Join(plan.ReadBack(f, nil), "\n")
	for _, want := range []string{
		"Begin (by hand)", "Rounds (for i from 0 to below 3 → 3)", "Ask (asks a model: Say something)", "Parts (one after the other → 5 and → 6)",
		"Code (cannot be run here: it is a Python program; a run that comes to this step stops there)",
		"Stop: the run ends, with everything that is still under way",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("the read-back does not say %q:\n%s", want, told)
		}
	}
}
