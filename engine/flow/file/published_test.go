package file_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/flow/file"
	"sluice/engine/flow/flowtest"
	"sluice/engine/flow/validate"
)

// TestPublishedFormat checks the rules of the published flow format about files. Tests of other packages check its rules about runs.
func TestPublishedFormat(t *testing.T) {
	t.Parallel()
	const say = "{id: s, type: say, message: hi}"
	document := func(nodes string) string {
		return "name: a\nagents: [{id: bot}]\nflow:\n  id: a\n  entry: x\n  nodes:\n" + nodes
	}
	node := func(keys string) string { return document("    - {id: x, " + keys + "}\n") }
	tests := []struct {
		name, src string
		want      string // part of an error; "" = no error
	}{
		{"graph under runtime", "runtime: {flow: {id: a, entry: x, nodes: [{id: x, type: terminal}]}}", ""},
		{"no name", "flow: {entry: x, nodes: [{id: x, type: terminal}]}", "no name"},
		{"no name", `flow: {id: "", entry: x, nodes: [{id: x, type: terminal}]}`, "no name"},
		{"entry", "flow: {id: a, nodes: [{id: x, type: terminal}]}", "'entry' is missing"},
		{"entry", "flow: {id: a, entry: y, nodes: [{id: x, type: terminal}]}", "entry 'y' is not a node"},
		{"no nodes", "flow: {id: a, entry: x, nodes: []}", "at least one node"},
		{"description", "flow: {id: a, description: d, entry: x, nodes: [{id: x, type: terminal}]}", ""},
		{"negative cap", "flow: {id: a, max_iterations: -1, entry: x, nodes: [{id: x, type: terminal}]}", "'max_iterations' must not be negative"},
		{"unknown key", "flow: {id: a, colour: red, entry: x, nodes: [{id: x, type: terminal}]}", "unknown key 'colour' in flow"},
		{"unknown key", node("type: terminal, colour: red"), "unknown key 'colour' on flow node 'x'"},
		{"unknown key", node("type: terminal, routes: [{to: end, colour: red}]"), "unknown key 'colour' in routes[0] on flow node 'x'"},
		{"unknown key", node("type: terminal, on_error: [{to: end, colour: red}]"), "unknown key 'colour' in on_error[0] on flow node 'x'"},
		{"unknown key", node("type: parallel, branches: [end, end], join: {colour: red}"), "unknown key 'colour' in join on flow node 'x'"},
		{"unknown type", node("type: robot"), "unknown type 'robot' on flow node 'x'"},
		{"key of another kind", node("type: agent, agent: bot, tool: http.get"), "key 'tool' belongs to tool nodes, not to the agent node 'x'"},
		{"common keys", document("    - {id: x, type: terminal}\n    - {id: x, type: terminal}\n"), "node id 'x' is used twice"},
		{"common keys", node("type: terminal, description: d, routes: [], on_error: []"), ""},
		{"agent node", node("type: agent"), "'agent' is missing"},
		{"agent node", node("type: agent, agent: bot, input: {user_message: hi}"), ""},
		{"tool node", node("type: tool"), "'tool' is missing"},
		{"tool node", node("type: tool, tool: http.get, params: {url: x}"), ""},
		{"branches", node("type: parallel, branches: [{to: end}]"), "at least 2 branches"},
		{"branches", node("type: parallel, branches: [{to: end}, {to: end}]"), ""},
		{"join type", node("type: parallel, branches: [end, end], join: {type: first}"), ""},
		{"join type", node("type: parallel, branches: [end, end], join: {type: some}"), "must be one of all, any, first, count, min, not 'some'"},
		{"join count", node("type: parallel, branches: [end, end], join: {type: count}"), "needs 'count' of at least 1"},
		{"join timeout", node("type: parallel, branches: [end, end], join: {timeout: 0}"), "'timeout' must be more than 0"},
		{"join timeout", node("type: parallel, branches: [end, end], join: {timeout: -1.5}"), "no duration"},
		{"join timeout", node("type: parallel, branches: [end, end], join: {timeout: 15.0}"), ""},
		{"approval", node("type: approval"), "'message' is missing"},
		{"approval", node(`type: approval, message: ""`), "'message' must not be empty"},
		{"approval", node("type: approval, message: a, choices: [one]"), "at least 2 choices"},
		{"decision", node(`type: decision, expr: ""`), "'expr' must not be empty"},
		{"terminal output", node("type: terminal, output: {a: 1}"), ""},
		{"route without target", node("type: terminal, routes: [{when: default}]"), "'to' is missing in routes[0]"},
		{"error route without target", node("type: terminal, on_error: [{default: true}]"), "'to' is missing in on_error[0]"},
		{"default error route is last", node("type: terminal, on_error: [{default: true, to: end}, {match: a, to: end}]"), "must be the last"},
		{"unknown agent", document("    - {id: x, type: terminal, routes: [{to: bar}]}\n    - {id: bar, type: agent, agent: foo}\n"), "unknown agent 'foo' on flow node 'bar'"},
		{"unknown tool", document("    - {id: x, type: terminal, routes: [{to: X}]}\n    - {id: X, type: tool, tool: module.bad}\n"), "unknown tool 'module.bad' on flow node 'X'"},
		{"unknown target of a route", document("    - {id: x, type: terminal, routes: [{to: X}]}\n    - {id: X, type: terminal, routes: [{to: Y}]}\n"), "unknown target 'Y' on flow node 'X'"},
		{"unknown target of another edge", node("type: terminal, on_error: [{match: a, to: Y}]"), "unknown target 'Y' on flow node 'x'"},
		{"unknown target of another edge", node("type: parallel, branches: [{to: Y}, {to: end}]"), "unknown target 'Y' on flow node 'x'"},
		{"end as target", node("type: parallel, branches: [{to: end}, end], on_error: [{match: a, to: end}, {default: true, to: end}], routes: [{to: end}]"), ""},
		{"unreachable node", "flow: {id: a, entry: triage, nodes: [{id: triage, type: terminal}, {id: orphan, type: terminal}]}", "flow node 'orphan' is not reachable from entry 'triage'"},
		{"reachable by every edge", document("    - {id: x, type: parallel, branches: [a, b], on_error: [{default: true, to: c}], routes: [{to: d}]}\n" +
			"    - {id: a, type: terminal}\n    - {id: b, type: terminal}\n    - {id: c, type: terminal}\n    - {id: d, type: terminal}\n"), ""},
		{"cycle without a cap", node("type: terminal, routes: [{to: x}]"), "flow has cycles but max_iterations=0"},
		{"cycle with a cap", "flow: {id: a, max_iterations: 1, entry: x, nodes: [{id: x, type: terminal, routes: [{to: x}]}]}", ""},
		{"no cycle and no cap", "flow: {id: a, max_iterations: 0, entry: x, nodes: [{id: x, type: terminal}]}", ""},
		{"other spelling of route", node("type: terminal, routes: [{default: true, to: end}]"), ""},
		{"other spelling of branch", node("type: parallel, branches: [end, end]"), ""},
		{"other spelling of join", node("type: parallel, branches: [end, end], join: {type: min, min: 1}"), ""},
		{"other spelling of agent", node("type: agent, agent: bot, params: {task: hi}"), ""},
		{"other spelling of agent twice", node("type: agent, agent: bot, params: {task: hi}, input: {a: 1}"), "key 'params' belongs to tool nodes"},
		{"other spelling of terminal", node("type: terminal, params: {output: hi}"), ""},
		{"retry", node("type: agent, agent: bot, retry: {max_attempts: 3, backoff_ms: 5, multiplier: 2, max_backoff_ms: 9, match: a}"), ""},
		{"reserved id", node("type: terminal, routes: [{to: end}]") + "    - {id: end, type: terminal}\n", "node id 'end' is reserved"},
		{"alias", document("    - {id: x, type: agent, agent: bot, retry: &r {max_attempts: 3}, routes: [{to: y}]}\n    - {id: y, type: agent, agent: bot, retry: *r}\n"), ""},
		{"a say node", document("    - " + strings.Replace(say, "id: s", "id: x", 1) + "\n"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, problems := file.Check("flow.yaml", []byte(tt.src), flowtest.Checks())
			found := slices.ContainsFunc(problems.Errors(), func(p flow.Problem) bool { return strings.Contains(p.Message, tt.want) })
			switch {
			case tt.want == "" && problems.HasErrors():
				t.Errorf("unexpected:\n%s", problems.Error())
			case tt.want != "" && !found:
				t.Errorf("no error %q in:\n%s\n%s", tt.want, problems.Error(), tt.src)
			}
		})
	}
}

// TestDefaultsOfAFile checks the values of keys that a file leaves out.
func TestDefaultsOfAFile(t *testing.T) {
	t.Parallel()
	f := flowtest.Parsed(t, []byte(`
flow:
  id: support_main
  entry: x
  nodes:
    - {id: x, type: parallel, branches: [a, {to: b}], routes: [{to: c}]}
    - {id: a, type: approval, message: ok?, routes: [{when: default, to: end}]}
    - {id: b, type: parallel, branches: [end, end], join: {type: min, min: 1, timeout: 15.0}}
    - {id: c, type: agent, agent: bot, params: {task: hi}, retry: {max_attempts: 3}, on_error: [{to: end}]}
`))
	if f.Name != "support-main" || f.MaxVisits != 0 || f.OnLimit.Action != flow.LimitEndPath {
		t.Errorf("name %q, visits %d, action %q", f.Name, f.MaxVisits, f.OnLimit.Action)
	}
	if j := f.Node("x").Spec.(*flow.ParallelSpec).Join; j.Type != "all" || j.Count != 0 || j.Timeout.Clock != flow.DefaultJoinTimeout || j.TimeoutSet {
		t.Errorf("defaults of a join: %+v", j)
	}
	if got := f.Node("a").Spec.(*flow.ApprovalSpec).Choices; !slices.Equal(got, []string{"approve", "reject"}) {
		t.Errorf("default choices: %v", got)
	}
	if r := f.Node("a").Routes[0]; !r.Default() || r.When != "" {
		t.Errorf("default route: %+v", r)
	}
	if j := f.Node("b").Spec.(*flow.ParallelSpec).Join; j.Type != "count" || j.Count != 1 || j.Timeout.String() != "15s" || !j.TimeoutSet {
		t.Errorf("join with min: %+v", j)
	}
	c := f.Node("c")
	if c.OnError[0].Match != "" || c.OnError[0].Default {
		t.Errorf("error route without a match: %+v", c.OnError[0])
	}
	if c.Spec.(*flow.AgentSpec).Input["task"] != "hi" {
		t.Errorf("input from params: %v", c.Spec.(*flow.AgentSpec).Input)
	}
	if r := c.Retry; r.BackoffMS != 500 || r.Multiplier != 2 || r.MaxBackoffMS != 30000 {
		t.Errorf("defaults of retry: %+v", r)
	}
}

// TestAllProblemsAreReported checks that one pass reports all problems.
func TestAllProblemsAreReported(t *testing.T) {
	t.Parallel()
	_, problems := file.Check("flow.yaml", []byte(`
flow:
  id: a
  entry: x
  nodes:
    - {id: x, type: agent, agent: foo, routes: [{to: Y}]}
    - {id: z, type: tool, tool: module.bad, colour: red}
    - {id: z, type: decision}
`), flowtest.Checks())
	codes := map[string]bool{}
	for _, p := range problems {
		codes[p.Code] = true
	}
	for _, code := range []string{"unknown-agent", "unknown-target", "unknown-tool", "unknown-key", "duplicate-id", "missing-key", "unreachable"} {
		if !codes[code] {
			t.Errorf("%s is missing in:\n%s", code, problems.Error())
		}
	}
}

// TestBrokenConditionsOfImportedFlows: the conditions of an imported flow are not checked before it runs.
func TestBrokenConditionsOfImportedFlows(t *testing.T) {
	t.Parallel()
	f := flowtest.Parsed(t, []byte("name: a\nflow: {entry: x, nodes: [{id: x, type: say, message: hi, routes: [{when: 'a == @', to: end}]}]}"))
	if !validate.Flow(f, flowtest.Checks()).HasErrors() {
		t.Error("a native flow's broken condition is not an error")
	}
	f.Profile = "s3"
	if problems := validate.Flow(f, flowtest.Checks()); problems.HasErrors() {
		t.Errorf("an imported flow's broken condition is an error: %v", problems)
	}
}

// TestPublishedFlows reads the graphs of published flow files that are kept outside the repository.
func TestPublishedFlows(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../shared/corpus/flows/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("the published flows are not on this machine")
	}
	block := regexp.MustCompile(`(?m)^flow:\n(?:(?:[ #].*)?\n)+`)
	ids := regexp.MustCompile(`(?m)^  - id: (\S+)$`)
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var own strings.Builder
		own.WriteString("agents:\n")
		for _, m := range ids.FindAllSubmatch(src, -1) {
			own.WriteString("  - {id: " + string(m[1]) + "}\n")
		}
		text := append([]byte(own.String()), block.Find(src)...)
		doc, problems := file.Check(filepath.Base(name), text, flow.Checks{})
		if problems.HasErrors() {
			t.Errorf("%s:\n%s", name, problems.Errors().Error())
			continue
		}
		if len(doc.Flow.Nodes) < 8 {
			t.Errorf("%s: only %d nodes were read", name, len(doc.Flow.Nodes))
		}
		if again := flowtest.Parsed(t, file.Format(doc.Flow)); flow.Hash(again) != flow.Hash(doc.Flow) {
			t.Errorf("%s: formatting changes the meaning", name)
		}
		if p := chart.Of(doc.Flow); len(p.Nodes) < len(doc.Flow.Nodes) {
			t.Errorf("%s: the chart has %d nodes", name, len(p.Nodes))
		}
	}
}
