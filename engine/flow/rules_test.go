package flow_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "sluice/engine/flow"
)

// foreignFlow uses everything that only other formats have.
func foreignFlow() *Flow {
	return &Flow{
		Name: "foreign", Entry: "judge", MaxVisits: 20, Profile: "s0",
		Rules:  Rules{PauseAll: true, Visits: 3, ToolTurns: 4, NodeTimeout: Duration{Clock: 90e9}},
		Agents: []Agent{{ID: "bot"}},
		Nodes: []Node{
			{
				ID: "judge", Spec: &AgentSpec{Agent: "bot"}, Policy: PolicyPriority, NoMatch: NoMatchBlock,
				Criteria: []Clause{{ID: "q1", Text: "Is the amount above 100?"}, {ID: "q2", Text: "Is it polite?"}}, Subagents: []string{"clerk"},
				Routes: []Route{
					{If: IfOutcome, When: OutcomeSuccess, To: "pay", Priority: 2},
					{If: IfOutcome, When: OutcomeFailure, To: "gate"},
					{If: IfLLM, When: "Should a person look?", To: "gate", Priority: -1},
					{If: IfAlways, To: End},
				},
			},
			{ID: "clerk", Spec: &AgentSpec{Agent: "bot"}},
			{
				ID: "gate", Spec: &ApprovalSpec{Message: "Go on?"}, Policy: PolicyAll,
				Aside:  true,
				Routes: []Route{{If: IfHandle, When: "approve", To: "pick"}, {If: IfNext, When: "pay", To: "pay"}, {If: IfTool, When: "http.get", To: End}, {If: IfEquals, When: "1", To: End}, {To: End}},
			},
			{
				ID: "pick", Spec: &DecisionSpec{Cases: []Case{{When: "previous == 'x'", Value: "condition-0"}}},
				Routes: []Route{{If: IfHandle, When: "condition-0", To: "pay"}, {To: End}},
			},
			{
				ID: "pay", Spec: &ToolSpec{Tool: "http.post", Params: map[string]any{"n": float64(1)}}, NoMatch: NoMatchCaller,
				Arrivals: map[string]map[string]any{"judge/0": {"n": float64(2)}, "pick/0": {"n": int64(1<<60 + 1)}},
			},
		},
	}
}

func TestForeignPartsAreInTheCanonicalForm(t *testing.T) {
	t.Parallel()
	f := foreignFlow()
	if problems := Validate(f, checks()); problems.HasErrors() {
		t.Fatal(problems.Error())
	}
	back, err := FromJSON(Canonical(f))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(Canonical(f)), string(Canonical(back))); diff != "" {
		t.Error(diff)
	}
	if got := back.Node("pay").Arrivals["pick/0"]["n"]; got != int64(1<<60+1) {
		t.Errorf("a large number came back as %v", got)
	}
	changes := map[string]func(*Flow){
		"rules":     func(f *Flow) { f.Rules.PauseAll = false },
		"condition": func(f *Flow) { f.Nodes[0].Routes[0].If = IfNext },
		"priority":  func(f *Flow) { f.Nodes[0].Routes[0].Priority++ },
		"policy":    func(f *Flow) { f.Nodes[0].Policy = PolicyAll },
		"no match":  func(f *Flow) { f.Nodes[0].NoMatch = NoMatchCaller },
		"criterion": func(f *Flow) { f.Nodes[0].Criteria[1].Text += "!" },
		"subagent":  func(f *Flow) { f.Nodes[0].Subagents = nil },
		"arrival":   func(f *Flow) { f.Node("pay").Arrivals["judge/0"]["n"] = "3" },
		"aside":     func(f *Flow) { f.Node("gate").Aside = false },
		"case":      func(f *Flow) { f.Node("pick").Spec.(*DecisionSpec).Cases[0].Value = "x" },
	}
	for name, change := range changes {
		c := f.Clone()
		change(c)
		if Hash(c) == Hash(f) {
			t.Errorf("%s: the hash does not see it", name)
		}
		if Compare(f, c).Empty() {
			t.Errorf("%s: the difference does not see it", name)
		}
	}
	if Hash(f) != Hash(foreignFlow()) {
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
		if _, problems := Parse("x.yaml", []byte(src)); !problems.HasErrors() {
			t.Errorf("%s: Parse accepts\n%s", name, src)
		}
	}
	for _, key := range []string{"pause_all", "no_match", "criteria", "subagent_nodes", "arrivals", "priority"} {
		if bytes.Contains(Schema(), []byte(`"`+key+`"`)) {
			t.Errorf("the schema knows %s", key)
		}
	}
}

func TestForeignPartsAreChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Flow)
		code   string
		path   string
	}{
		"unknown condition":   {func(f *Flow) { f.Nodes[0].Routes[0].If = "mood" }, "wrong-value", "flow.nodes[0].routes[0].if"},
		"unknown outcome":     {func(f *Flow) { f.Nodes[0].Routes[0].When = "yes" }, "wrong-value", "flow.nodes[0].routes[0].when"},
		"no operand":          {func(f *Flow) { f.Nodes[0].Routes[2].When = " " }, "empty", "flow.nodes[0].routes[2].when"},
		"operand of always":   {func(f *Flow) { f.Nodes[0].Routes[3].When = "x" }, "out-of-place", "flow.nodes[0].routes[3].when"},
		"unknown policy":      {func(f *Flow) { f.Nodes[0].Policy = "some" }, "wrong-value", "flow.nodes[0].policy"},
		"unknown no_match":    {func(f *Flow) { f.Nodes[0].NoMatch = "stop" }, "wrong-value", "flow.nodes[0].no_match"},
		"criterion twice":     {func(f *Flow) { f.Nodes[0].Criteria[1].ID = "q1" }, "duplicate-id", "flow.nodes[0].criteria[1].id"},
		"empty criterion":     {func(f *Flow) { f.Nodes[0].Criteria[1].Text = "" }, "empty", "flow.nodes[0].criteria[1].text"},
		"unknown subagent":    {func(f *Flow) { f.Nodes[0].Subagents[0] = "clark" }, "unknown-target", "flow.nodes[0].subagent_nodes[0]"},
		"own subagent":        {func(f *Flow) { f.Nodes[1].Subagents = []string{"clerk"} }, "own-subagent", "flow.nodes[1].subagent_nodes[0]"},
		"subagent of a tool":  {func(f *Flow) { f.Node("pay").Subagents = []string{"clerk"} }, "no-agent", "flow.nodes[4].subagent_nodes[0]"},
		"a tool as subagent":  {func(f *Flow) { f.Nodes[0].Subagents = []string{"pay"} }, "no-agent", "flow.nodes[0].subagent_nodes[0]"},
		"circle of subagents": {func(f *Flow) { f.Nodes[1].Subagents = []string{"judge"} }, "subagent-cycle", "flow.nodes[0].subagent_nodes[0]"},
		"unknown edge":        {func(f *Flow) { f.Node("pay").Arrivals["judge/1"] = nil }, "unknown-edge", "flow.nodes[4].arrivals.judge/1"},
		"no case":             {func(f *Flow) { f.Node("pick").Spec.(*DecisionSpec).Cases = nil }, "empty", "flow.nodes[3].expr"},
		"case without value":  {func(f *Flow) { f.Node("pick").Spec.(*DecisionSpec).Cases[0].Value = "" }, "empty", "flow.nodes[3].cases[0].value"},
		"negative visits":     {func(f *Flow) { f.Rules.Visits = -1 }, "out-of-range", "rules.visits"},
	} {
		f := foreignFlow()
		c.change(f)
		problems := Validate(f, checks())
		if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Code == c.code && p.Path == c.path && p.Severity == SeverityError }) {
			t.Errorf("%s: want %s at %s, got\n%s", name, c.code, c.path, problems.Error())
		}
	}
}

func TestForeignFlowsAreDrawn(t *testing.T) {
	t.Parallel()
	p := foreignFlow().Plan()
	labels := map[string]string{}
	for _, e := range p.Edges {
		labels[e.ID] = e.Label + " | " + e.Description
	}
	want := map[string]string{
		PlanStartEdge:      " | ",
		"judge/0":          "yes | when it succeeds",
		"judge/1":          "no | when it fails",
		"judge/2":          "Should a person look? | when a model says yes to 'Should a person look?'",
		"judge/3":          "always | when always",
		"judge/subagent/0": "asks | may ask this agent while it works",
		"gate/0":           "approve | when it leaves by approve",
		"pick/0":           "condition-0 | when it leaves by condition-0",
		"pick/1":           "otherwise | otherwise",
		"gate/1":           "pay | when it names pay as the next",
		"gate/2":           "http.get | when the tool was http.get",
		"gate/3":           "1 | when the value is 1",
		"gate/4":           "otherwise | otherwise",
		"pay/end":          " | ",
	}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Error(diff)
	}
	judge := p.Nodes[slices.IndexFunc(p.Nodes, func(n PlanNode) bool { return n.ID == "judge" })]
	if diff := cmp.Diff([]string{"Is the amount above 100?", "Is it polite?"}, judge.Criteria); diff != "" {
		t.Error(diff)
	}
}
