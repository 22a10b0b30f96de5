package raise

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sluice/engine/flow"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/planner/tree"

	"sluice/engine/planner/lower"
	"sluice/engine/planner/plannertest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestRaiseRandom raises flows of random trees. A tree that is given is always lowered to the same flow again.
func TestRaiseRandom(t *testing.T) {
	t.Parallel()
	raised := 0
	const trees = 400
	for seed := range uint64(trees) {
		f, _, _ := lower.Flow(plannertest.Random(seed), plannertest.Shop(), nil, nil)
		tr, err := Tree(f)
		if err != nil {
			continue
		}
		raised++
		w := plannertest.Shop()
		w.Base, w.Kind = f, worldFrom(f).Kind
		if again, _, _ := lower.Flow(tr, w, tr, nil); sameFlow(f, again) != nil {
			t.Errorf("seed %d: %v", seed, sameFlow(f, again))
		}
	}
	if raised < trees/2 {
		t.Errorf("%d of %d flows were raised", raised, trees)
	}
}

// TestRaiseLowered raises the flows of the golden files: what lowering made can always be said in steps.
func TestRaiseLowered(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/lower/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var tr tree.Tree
			if err := json.Unmarshal(a.Files[0].Data, &tr); err != nil {
				t.Fatal(err)
			}
			f, _, _ := lower.Flow(&tr, plannertest.Shop(), nil, nil)
			raised, err := Tree(f)
			if err != nil {
				t.Fatal(err)
			}
			w := plannertest.Shop()
			w.Base = f
			again, _, _ := lower.Flow(raised, w, raised, nil)
			if diff := cmp.Diff(string(flow.Canonical(f)), string(flow.Canonical(again))); diff != "" && sameFlow(f, again) != nil {
				t.Error(diff)
			}
		})
	}
}

const written = `
name: written
description: A flow that somebody wrote
run: {title: "Refund {{inputs.order}}", key: "{{inputs.order}}", within: 90d}
inputs: {order: {type: string, required: true, example: A-1}, day: {type: date, example: "2026-12-01"}, scan: {type: file}, by: {type: person}}
triggers: [{schedule: {cron: "0 9 * * 1", inputs: {order: A-1}, catch_up: once}}]
agents: [{id: helper, model: large, instructions: Judge it., limits: {turns: 3}}]
limits: {steps: 500}
flow:
  entry: look
  nodes:
    - {id: look, type: tool, name: See the order, tool: shop.get, params: {id: "{{inputs.order}}"}, timeout: 10s, retry: {max_attempts: 3, backoff_ms: 10}, routes: [{to: judge}]}
    - {id: judge, type: agent, agent: helper, input: {order: "{{look.result}}"}, routes: [{to: gate}]}
    - id: gate
      type: approval
      name: May we
      message: "Please look at {{look.result.amount}}!"
      who: {groups: ["@finance"], users: ["@ana"], self_approval: false}
      form: {note: {type: string, required_for: [reject]}}
      routes: [{when: "approvals.gate == 'approve'", to: pay, label: fine}, {when: default, to: no}]
    - {id: pay, type: tool, tool: shop.pay, effects: idempotent, params: {amount: "{{look.result.amount}}"}, routes: [{to: end}]}
    - {id: no, type: say, message: "Sorry.", routes: [{to: end}]}
`

func parse(t *testing.T, text string) *flow.Flow {
	t.Helper()
	doc, problems := flowfile.Parse("flow.yaml", []byte(text))
	if errs := problems.Errors(); len(errs) > 0 {
		t.Fatal(errs)
	}
	return doc.Flow
}

// TestRaiseWritten raises a flow that was written by hand, and changes one step: all others stay as they were written.
func TestRaiseWritten(t *testing.T) {
	t.Parallel()
	f := parse(t, written)
	tr, err := Tree(f)
	if err != nil {
		t.Fatal(err)
	}
	step := tr.Step("gate")
	step.Text = "a smaller refund"
	w := worldFrom(f)
	was, err := Steps(f)
	if err != nil {
		t.Fatal(err)
	}
	now, _, _ := lower.Flow(tr, w, was, nil)
	for i := range f.Nodes {
		id := f.Nodes[i].ID
		one := string(flow.Canonical(&flow.Flow{Name: "x", Nodes: []flow.Node{f.Nodes[i]}}))
		two := string(flow.Canonical(&flow.Flow{Name: "x", Nodes: []flow.Node{*now.Node(id)}}))
		if (one == two) != (id != "gate") {
			t.Errorf("%s: %s\n%s", id, one, two)
		}
	}
	gate := now.Node("gate").Spec.(*flow.ApprovalSpec)
	if !strings.Contains(gate.Message, "a smaller refund") || gate.Who.SelfApproval == nil {
		t.Errorf("the gate became %+v", gate)
	}
	if now.Agents[0].Model != "large" || now.Limits.Steps != 500 || len(now.Triggers) != 1 {
		t.Errorf("the head became %+v", now)
	}
	tr.Triggers = []tree.Trigger{{By: true}}
	if now, _, _ = lower.Flow(tr, w, was, nil); len(now.Triggers) > 0 {
		t.Errorf("it is started by hand, and its triggers are %+v", now.Triggers)
	}
}

// TestRaisedFieldsKeepTheirOrder: the fields of a form stay in their places, the note among them, of which the words of the step say nothing.
func TestRaisedFieldsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	f := parse(t, `
name: ordered
flow:
  entry: pack
  nodes:
    - id: pack
      type: approval
      message: "Pack it. {{run.title}}"
      choices: [Done, "I can't"]
      form: {weight: {type: number, required: true}, note: {}, box: {}}
      routes: [{when: "approvals.pack == 'Done'", to: end}, {when: default, to: end}]
`)
	tr, err := Tree(f)
	if err != nil {
		t.Fatal(err)
	}
	tr.Step("pack").Text = "pack the parcel"
	w := worldFrom(f)
	was, err := Steps(f)
	if err != nil {
		t.Fatal(err)
	}
	now, _, _ := lower.Flow(tr, w, was, nil)
	if got := strings.Join(flow.InOrder(now.Node("pack").Question().Form), " "); got != "weight note box" {
		t.Errorf("the form asks for %s", got)
	}
}

// TestRaiseFailureWithARepeat: of two ends that lowering added, none becomes a step.
func TestRaiseFailureWithARepeat(t *testing.T) {
	t.Parallel()
	pay := tree.Step{ID: "s1", Kind: tree.Do, Doer: tree.DoerTool, Tool: "shop.pay", Text: "pay", OnError: []tree.Step{{
		ID: "s2", Kind: tree.Repeat, Until: &tree.Cond{Words: "it is paid"},
		Branches: []tree.Branch{{Steps: []tree.Step{{ID: "s3", Kind: tree.Do, Doer: tree.DoerTool, Tool: "shop.get", Text: "look"}}}},
	}}}
	f, _, _ := lower.Flow(&tree.Tree{Name: "pay", Steps: []tree.Step{pay}}, plannertest.Shop(), nil, nil)
	tr, err := Tree(f)
	if err != nil {
		t.Fatal(err)
	}
	if then := tr.Steps[0].OnError; len(then) != 1 || then[0].Kind != tree.Repeat {
		t.Errorf("a failure is followed by %+v", then)
	}
}

// TestRaiseRefuses names the node that steps cannot say.
func TestRaiseRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ nodes, want string }{
		"a node that two unstructured ways lead to": {`
    - {id: a, type: tool, tool: x.y, on_error: [{default: true, to: help}], routes: [{to: b}]}
    - {id: b, type: tool, tool: x.z, on_error: [{default: true, to: help}], routes: [{to: end}]}
    - {id: help, type: ask, message: "Help?", routes: [{to: end}]}`, "help"},
		"an event": {`
    - {id: a, type: emit, event: paid, routes: [{to: end}]}`, "emit"},
		"a condition that is no comparison": {`
    - {id: a, type: decision, expr: "inputs.x in ['a']", routes: [{when: "true", to: b}, {when: default, to: end}]}
    - {id: b, type: say, message: "Hello.", routes: [{to: end}]}`, "condition"},
		"ways out of a tool": {`
    - {id: a, type: tool, tool: x.y, routes: [{when: "a.result.ok", to: b}, {when: default, to: end}]}
    - {id: b, type: say, message: "Hello.", routes: [{to: end}]}`, "several ways out"},
		"a circle": {`
    - {id: a, type: say, message: "Hello.", routes: [{to: b}]}
    - {id: b, type: say, message: "Hello.", routes: [{to: a}]}`, "several ways lead"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := parse(t, "name: odd\nflow:\n  entry: a\n  max_iterations: 10\n  nodes:"+c.nodes+"\n")
			_, err := Tree(f)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "in its file") {
				t.Errorf("it says %v", err)
			}
		})
	}
}
