package flow_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "sluice/engine/flow"
)

// TestS3 is the table of what the S3 document says about files, by its number in the list of conformance statements.
// The statements about running a flow are tested where flows run.
func TestS3(t *testing.T) {
	t.Parallel()
	const say = "{id: s, type: say, message: hi}"
	flow := func(nodes string) string {
		return "name: a\nagents: [{id: bot}]\nflow:\n  id: a\n  entry: x\n  nodes:\n" + nodes
	}
	node := func(keys string) string { return flow("    - {id: x, " + keys + "}\n") }
	tests := []struct {
		id, src string
		want    string // part of an error; "" = no error
	}{
		{"S3-02", "runtime: {flow: {id: a, entry: x, nodes: [{id: x, type: terminal}]}}", ""},
		{"S3-03", "flow: {entry: x, nodes: [{id: x, type: terminal}]}", "no name"},
		{"S3-03", `flow: {id: "", entry: x, nodes: [{id: x, type: terminal}]}`, "no name"},
		{"S3-04", "flow: {id: a, nodes: [{id: x, type: terminal}]}", "'entry' is missing"},
		{"S3-04", "flow: {id: a, entry: y, nodes: [{id: x, type: terminal}]}", "entry 'y' is not a node"},
		{"S3-05", "flow: {id: a, entry: x, nodes: []}", "at least one node"},
		{"S3-06", "flow: {id: a, description: d, entry: x, nodes: [{id: x, type: terminal}]}", ""},
		{"S3-07", "flow: {id: a, max_iterations: -1, entry: x, nodes: [{id: x, type: terminal}]}", "'max_iterations' must not be negative"},
		{"S3-08", "flow: {id: a, colour: red, entry: x, nodes: [{id: x, type: terminal}]}", "unknown key 'colour' in flow"},
		{"S3-08", node("type: terminal, colour: red"), "unknown key 'colour' on flow node 'x'"},
		{"S3-08", node("type: terminal, routes: [{to: end, colour: red}]"), "unknown key 'colour' in routes[0] on flow node 'x'"},
		{"S3-08", node("type: terminal, on_error: [{to: end, colour: red}]"), "unknown key 'colour' in on_error[0] on flow node 'x'"},
		{"S3-08", node("type: parallel, branches: [end, end], join: {colour: red}"), "unknown key 'colour' in join on flow node 'x'"},
		{"S3-09", node("type: robot"), "unknown type 'robot' on flow node 'x'"},
		{"S3-10", node("type: agent, agent: bot, tool: http.get"), "key 'tool' belongs to tool nodes, not to the agent node 'x'"},
		{"S3-11", flow("    - {id: x, type: terminal}\n    - {id: x, type: terminal}\n"), "node id 'x' is used twice"},
		{"S3-11", node("type: terminal, description: d, routes: [], on_error: []"), ""},
		{"S3-12", node("type: agent"), "'agent' is missing"},
		{"S3-12", node("type: agent, agent: bot, input: {user_message: hi}"), ""},
		{"S3-13", node("type: tool"), "'tool' is missing"},
		{"S3-13", node("type: tool, tool: http.get, params: {url: x}"), ""},
		{"S3-14", node("type: parallel, branches: [{to: end}]"), "at least 2 branches"},
		{"S3-14", node("type: parallel, branches: [{to: end}, {to: end}]"), ""},
		{"S3-16", node("type: parallel, branches: [end, end], join: {type: first}"), ""},
		{"S3-16", node("type: parallel, branches: [end, end], join: {type: some}"), "must be one of all, any, first, count, min, not 'some'"},
		{"S3-17", node("type: parallel, branches: [end, end], join: {type: count}"), "needs 'count' of at least 1"},
		{"S3-18", node("type: parallel, branches: [end, end], join: {timeout: 0}"), "'timeout' must be more than 0"},
		{"S3-18", node("type: parallel, branches: [end, end], join: {timeout: -1.5}"), "no duration"},
		{"S3-18", node("type: parallel, branches: [end, end], join: {timeout: 15.0}"), ""},
		{"S3-19", node("type: approval"), "'message' is missing"},
		{"S3-19", node(`type: approval, message: ""`), "'message' must not be empty"},
		{"S3-19", node("type: approval, message: a, choices: [one]"), "at least 2 choices"},
		{"S3-20", node(`type: decision, expr: ""`), "'expr' must not be empty"},
		{"S3-21", node("type: terminal, output: {a: 1}"), ""},
		{"S3-22", node("type: terminal, routes: [{when: default}]"), "'to' is missing in routes[0]"},
		{"S3-23", node("type: terminal, on_error: [{default: true}]"), "'to' is missing in on_error[0]"},
		{"S3-24", node("type: terminal, on_error: [{default: true, to: end}, {match: a, to: end}]"), "must be the last"},
		{"S3-25", flow("    - {id: x, type: terminal, routes: [{to: bar}]}\n    - {id: bar, type: agent, agent: foo}\n"), "unknown agent 'foo' on flow node 'bar'"},
		{"S3-26", flow("    - {id: x, type: terminal, routes: [{to: X}]}\n    - {id: X, type: tool, tool: module.bad}\n"), "unknown tool 'module.bad' on flow node 'X'"},
		{"S3-27", flow("    - {id: x, type: terminal, routes: [{to: X}]}\n    - {id: X, type: terminal, routes: [{to: Y}]}\n"), "unknown target 'Y' on flow node 'X'"},
		{"S3-28", node("type: terminal, on_error: [{match: a, to: Y}]"), "unknown target 'Y' on flow node 'x'"},
		{"S3-28", node("type: parallel, branches: [{to: Y}, {to: end}]"), "unknown target 'Y' on flow node 'x'"},
		{"S3-29", node("type: parallel, branches: [{to: end}, end], on_error: [{match: a, to: end}, {default: true, to: end}], routes: [{to: end}]"), ""},
		{"S3-30", "flow: {id: a, entry: triage, nodes: [{id: triage, type: terminal}, {id: orphan, type: terminal}]}", "flow node 'orphan' is not reachable from entry 'triage'"},
		{"S3-31", flow("    - {id: x, type: parallel, branches: [a, b], on_error: [{default: true, to: c}], routes: [{to: d}]}\n" +
			"    - {id: a, type: terminal}\n    - {id: b, type: terminal}\n    - {id: c, type: terminal}\n    - {id: d, type: terminal}\n"), ""},
		{"S3-32", node("type: terminal, routes: [{to: x}]"), "flow has cycles but max_iterations=0"},
		{"S3-33", "flow: {id: a, max_iterations: 1, entry: x, nodes: [{id: x, type: terminal, routes: [{to: x}]}]}", ""},
		{"S3-34", "flow: {id: a, max_iterations: 0, entry: x, nodes: [{id: x, type: terminal}]}", ""},
		{"S3-x10 route", node("type: terminal, routes: [{default: true, to: end}]"), ""},
		{"S3-x10 branch", node("type: parallel, branches: [end, end]"), ""},
		{"S3-x10 join", node("type: parallel, branches: [end, end], join: {type: min, min: 1}"), ""},
		{"S3-x10 agent", node("type: agent, agent: bot, params: {task: hi}"), ""},
		{"S3-x10 agent twice", node("type: agent, agent: bot, params: {task: hi}, input: {a: 1}"), "key 'params' belongs to tool nodes"},
		{"S3-x10 terminal", node("type: terminal, params: {output: hi}"), ""},
		{"S3-x11", node("type: agent, agent: bot, retry: {max_attempts: 3, backoff_ms: 5, multiplier: 2, max_backoff_ms: 9, match: a}"), ""},
		{"S3-x18", node("type: terminal, routes: [{to: end}]") + "    - {id: end, type: terminal}\n", "node id 'end' is reserved"},
		{"S3-x22", flow("    - {id: x, type: agent, agent: bot, retry: &r {max_attempts: 3}, routes: [{to: y}]}\n    - {id: y, type: agent, agent: bot, retry: *r}\n"), ""},
		{"a say node", flow("    - " + strings.Replace(say, "id: s", "id: x", 1) + "\n"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			t.Parallel()
			_, problems := Check("flow.yaml", []byte(tt.src), checks())
			found := slices.ContainsFunc(problems.Errors(), func(p Problem) bool { return strings.Contains(p.Message, tt.want) })
			switch {
			case tt.want == "" && problems.HasErrors():
				t.Errorf("unexpected:\n%s", problems.Error())
			case tt.want != "" && !found:
				t.Errorf("no error %q in:\n%s\n%s", tt.want, problems.Error(), tt.src)
			}
		})
	}
}

// TestS3Defaults are the values of what a file leaves out.
func TestS3Defaults(t *testing.T) {
	t.Parallel()
	f := parsed(t, []byte(`
flow:
  id: support_main
  entry: x
  nodes:
    - {id: x, type: parallel, branches: [a, {to: b}], routes: [{to: c}]}
    - {id: a, type: approval, message: ok?, routes: [{when: default, to: end}]}
    - {id: b, type: parallel, branches: [end, end], join: {type: min, min: 1, timeout: 15.0}}
    - {id: c, type: agent, agent: bot, params: {task: hi}, retry: {max_attempts: 3}, on_error: [{to: end}]}
`))
	if f.Name != "support-main" || f.MaxVisits != 0 || f.OnLimit.Action != LimitEndPath {
		t.Errorf("name %q, visits %d, action %q", f.Name, f.MaxVisits, f.OnLimit.Action)
	}
	if j := f.Node("x").Spec.(*ParallelSpec).Join; j.Type != "all" || j.Count != 0 || j.Timeout.Clock != DefaultJoinTimeout || j.TimeoutSet {
		t.Errorf("S3-15: join %+v", j)
	}
	if got := f.Node("a").Spec.(*ApprovalSpec).Choices; !slices.Equal(got, []string{"approve", "reject"}) {
		t.Errorf("S3-19: choices %v", got)
	}
	if r := f.Node("a").Routes[0]; !r.Default() || r.When != "" {
		t.Errorf("S3-22: route %+v", r)
	}
	if j := f.Node("b").Spec.(*ParallelSpec).Join; j.Type != "count" || j.Count != 1 || j.Timeout.String() != "15s" || !j.TimeoutSet {
		t.Errorf("S3-x10: join %+v", j)
	}
	c := f.Node("c")
	if c.OnError[0].Match != "" || c.OnError[0].Default {
		t.Errorf("S3-23: %+v", c.OnError[0])
	}
	if c.Spec.(*AgentSpec).Input["task"] != "hi" {
		t.Errorf("S3-x10: input %v", c.Spec.(*AgentSpec).Input)
	}
	if r := c.Retry; r.BackoffMS != 500 || r.Multiplier != 2 || r.MaxBackoffMS != 30000 {
		t.Errorf("S3-x11: retry %+v", r)
	}
}

// TestS3CollectsEverything is S3-35: one pass, all problems.
func TestS3CollectsEverything(t *testing.T) {
	t.Parallel()
	_, problems := Check("flow.yaml", []byte(`
flow:
  id: a
  entry: x
  nodes:
    - {id: x, type: agent, agent: foo, routes: [{to: Y}]}
    - {id: z, type: tool, tool: module.bad, colour: red}
    - {id: z, type: decision}
`), checks())
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

// TestBrokenConditionsOfImportedFlows is S3-36: an imported flow's conditions are not looked at before it runs.
func TestBrokenConditionsOfImportedFlows(t *testing.T) {
	t.Parallel()
	f := parsed(t, []byte("name: a\nflow: {entry: x, nodes: [{id: x, type: say, message: hi, routes: [{when: 'a == @', to: end}]}]}"))
	if !Validate(f, checks()).HasErrors() {
		t.Error("a native flow's broken condition is not an error")
	}
	f.Profile = "s3"
	if problems := Validate(f, checks()); problems.HasErrors() {
		t.Errorf("an imported flow's broken condition is an error: %v", problems)
	}
}

// TestPublishedFlows reads the graphs of real S3 files, kept outside the project.
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
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var own strings.Builder
		own.WriteString("agents:\n")
		for _, m := range ids.FindAllSubmatch(src, -1) {
			own.WriteString("  - {id: " + string(m[1]) + "}\n")
		}
		text := append([]byte(own.String()), block.Find(src)...)
		doc, problems := Check(filepath.Base(file), text, Checks{})
		if problems.HasErrors() {
			t.Errorf("%s:\n%s", file, problems.Errors().Error())
			continue
		}
		if len(doc.Flow.Nodes) < 8 {
			t.Errorf("%s: only %d nodes were read", file, len(doc.Flow.Nodes))
		}
		if again := parsed(t, Format(doc.Flow)); Hash(again) != Hash(doc.Flow) {
			t.Errorf("%s: formatting changes the meaning", file)
		}
		if p := doc.Flow.Plan(); len(p.Nodes) < len(doc.Flow.Nodes) {
			t.Errorf("%s: the plan has %d nodes", file, len(p.Nodes))
		}
	}
}
