package flow_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/flow/file"
	"sluice/engine/flow/flowtest"
	"sluice/engine/flow/validate"
)

func TestForeignPartsAreInTheCanonicalForm(t *testing.T) {
	t.Parallel()
	f := flowtest.ForeignParts()
	if problems := validate.Flow(f, flowtest.Checks()); problems.HasErrors() {
		t.Fatal(problems.Error())
	}
	back, err := flow.FromJSON(flow.Canonical(f))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(flow.Canonical(f)), string(flow.Canonical(back))); diff != "" {
		t.Error(diff)
	}
	if got := back.Node("pay").Arrivals["pick/0"]["n"]; got != int64(1<<60+1) {
		t.Errorf("a large number came back as %v", got)
	}
	edits := map[string]func(*flow.Flow){
		"rules":     func(f *flow.Flow) { f.Rules.PauseAll = false },
		"memory":    func(f *flow.Flow) { f.Rules.Memory = true },
		"condition": func(f *flow.Flow) { f.Nodes[0].Routes[0].If = flow.IfNext },
		"priority":  func(f *flow.Flow) { f.Nodes[0].Routes[0].Priority++ },
		"policy":    func(f *flow.Flow) { f.Nodes[0].Policy = flow.PolicyAll },
		"no match":  func(f *flow.Flow) { f.Nodes[0].NoMatch = flow.NoMatchCaller },
		"criterion": func(f *flow.Flow) { f.Nodes[0].Criteria[1].Text += "!" },
		"subagent":  func(f *flow.Flow) { f.Nodes[0].Subagents = nil },
		"arrival":   func(f *flow.Flow) { f.Node("pay").Arrivals["judge/0"]["n"] = "3" },
		"aside":     func(f *flow.Flow) { f.Node("gate").Aside = false },
		"case":      func(f *flow.Flow) { f.Node("pick").Spec.(*flow.DecisionSpec).Cases[0].Value = "x" },
	}
	for name, edit := range edits {
		c := f.Clone()
		edit(c)
		if flow.Hash(c) == flow.Hash(f) {
			t.Errorf("%s: the hash does not see it", name)
		}
		if len(approval.Review(f, c, approval.Surroundings{})) == 0 {
			t.Errorf("%s: the difference does not see it", name)
		}
	}
	if flow.Hash(f) != flow.Hash(flowtest.ForeignParts()) {
		t.Error("a clone shares parts with its flow")
	}
}

func TestNativeFilesCannotWriteForeignParts(t *testing.T) {
	t.Parallel()
	const head = "name: a\nflow:\n  entry: x\n  nodes:\n    - {id: x, type: say, message: hi"
	for name, src := range map[string]string{
		"rules":    "rules: {pause_all: true}\n" + head + "}\n",
		"graph":    strings.Replace(head, "  entry", "  rules: {visits: 1}\n  entry", 1) + "}\n",
		"policy":   head + ", policy: all}\n",
		"no_match": head + ", no_match: block}\n",
		"criteria": head + ", criteria: [{id: q, text: good}]}\n",
		"subagent": head + ", subagent_nodes: [x]}\n",
		"arrivals": head + ", arrivals: {}}\n",
		"aside":    head + ", aside: true}\n",
		"cases":    strings.Replace(head, "type: say, message: hi", "type: decision, expr: x, cases: [{when: x, value: y}]", 1) + "}\n",
		"if":       head + ", routes: [{if: always, to: end}]}\n",
		"priority": head + ", routes: [{to: end, priority: 1}]}\n",
	} {
		if _, problems := file.Parse("x.yaml", []byte(src)); !problems.HasErrors() {
			t.Errorf("%s: Parse accepts\n%s", name, src)
		}
	}
	for _, key := range []string{"pause_all", "no_match", "criteria", "subagent_nodes", "arrivals", "priority"} {
		if bytes.Contains(file.Schema(), []byte(`"`+key+`"`)) {
			t.Errorf("the schema knows %s", key)
		}
	}
}

func TestForeignPartsAreChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*flow.Flow)
		code   string
		path   string
	}{
		"unknown condition":   {func(f *flow.Flow) { f.Nodes[0].Routes[0].If = "mood" }, "wrong-value", "flow.nodes[0].routes[0].if"},
		"unknown outcome":     {func(f *flow.Flow) { f.Nodes[0].Routes[0].When = "yes" }, "wrong-value", "flow.nodes[0].routes[0].when"},
		"no operand":          {func(f *flow.Flow) { f.Nodes[0].Routes[2].When = " " }, "empty", "flow.nodes[0].routes[2].when"},
		"operand of always":   {func(f *flow.Flow) { f.Nodes[0].Routes[3].When = "x" }, "out-of-place", "flow.nodes[0].routes[3].when"},
		"unknown policy":      {func(f *flow.Flow) { f.Nodes[0].Policy = "some" }, "wrong-value", "flow.nodes[0].policy"},
		"unknown no_match":    {func(f *flow.Flow) { f.Nodes[0].NoMatch = "stop" }, "wrong-value", "flow.nodes[0].no_match"},
		"criterion twice":     {func(f *flow.Flow) { f.Nodes[0].Criteria[1].ID = "q1" }, "duplicate-id", "flow.nodes[0].criteria[1].id"},
		"empty criterion":     {func(f *flow.Flow) { f.Nodes[0].Criteria[1].Text = "" }, "empty", "flow.nodes[0].criteria[1].text"},
		"unknown subagent":    {func(f *flow.Flow) { f.Nodes[0].Subagents[0] = "clark" }, "unknown-target", "flow.nodes[0].subagent_nodes[0]"},
		"own subagent":        {func(f *flow.Flow) { f.Nodes[1].Subagents = []string{"clerk"} }, "own-subagent", "flow.nodes[1].subagent_nodes[0]"},
		"subagent of a tool":  {func(f *flow.Flow) { f.Node("pay").Subagents = []string{"clerk"} }, "no-agent", "flow.nodes[4].subagent_nodes[0]"},
		"a tool as subagent":  {func(f *flow.Flow) { f.Nodes[0].Subagents = []string{"pay"} }, "no-agent", "flow.nodes[0].subagent_nodes[0]"},
		"circle of subagents": {func(f *flow.Flow) { f.Nodes[1].Subagents = []string{"judge"} }, "subagent-cycle", "flow.nodes[0].subagent_nodes[0]"},
		"unknown edge":        {func(f *flow.Flow) { f.Node("pay").Arrivals["judge/1"] = nil }, "unknown-edge", "flow.nodes[4].arrivals.judge/1"},
		"no case":             {func(f *flow.Flow) { f.Node("pick").Spec.(*flow.DecisionSpec).Cases = nil }, "empty", "flow.nodes[3].expr"},
		"case without value":  {func(f *flow.Flow) { f.Node("pick").Spec.(*flow.DecisionSpec).Cases[0].Value = "" }, "empty", "flow.nodes[3].cases[0].value"},
		"negative visits":     {func(f *flow.Flow) { f.Rules.Visits = -1 }, "out-of-range", "rules.visits"},
	} {
		f := flowtest.ForeignParts()
		c.change(f)
		problems := validate.Flow(f, flowtest.Checks())
		if !slices.ContainsFunc(problems, func(p flow.Problem) bool {
			return p.Code == c.code && p.Path == c.path && p.Severity == flow.SeverityError
		}) {
			t.Errorf("%s: want %s at %s, got\n%s", name, c.code, c.path, problems.Error())
		}
	}
}
