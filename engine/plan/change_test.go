package plan_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/engine/tool"
)

// wholeFlow has what words cannot say: triggers, a subflow, an event, forms, error routes, a branch of its own.
const wholeFlow = `
name: whole
description: Everything that words cannot say
run: {title: "Whole {{inputs.order_id}}", key: "{{inputs.order_id}}", within: 30d, on_duplicate: queue}
inputs:
  order_id: {type: string, required: true, sensitive: true, example: A-1001}
triggers:
  - message: {channel: "#refunds", match: "(?P<order_id>A-[0-9]+)"}
  - webhook: {path: refunds}
agents:
  - {id: clerk, instructions: Look, tools: [shop.get_order], limits: {turns: 3}}
limits: {steps: 500}
flow:
  entry: look_up
  timeout: 10m
  on_limit: {action: handoff, to: help}
  nodes:
    - {id: look_up, type: tool, tool: shop.get_order, params: {order_id: "{{inputs.order_id}}"}, retry: {max_attempts: 3}, on_error: [{default: true, to: help}], routes: [{to: both}]}
    - {id: both, type: parallel, branches: [{to: inspect}, {to: here}], join: {type: all, timeout: 5d}, routes: [{to: gate}]}
    - {id: inspect, type: subflow, flow: inspection, inputs: {order_id: "{{inputs.order_id}}"}, routes: [{to: end}]}
    - {id: here, type: wait, event: "parcel/{{inputs.order_id}}", routes: [{to: end}]}
    - id: gate
      type: approval
      message: "Refund {{look_up.result.amount}}?"
      choices: [approve, reject]
      who: {groups: ["@finance"], self_approval: false}
      form: {note: {type: string, required_for: [reject]}}
      deadline: {after: 2 working days, remind: 4h}
      routes: [{when: "approvals.gate == 'approve'", to: refund}, {when: default, to: end}]
    - {id: refund, type: tool, tool: shop.refund, params: {order_id: "{{inputs.order_id}}"}, on_error: [{default: true, to: help}], routes: [{to: think}]}
    - {id: think, type: agent, agent: clerk, routes: [{to: told}]}
    - {id: told, type: emit, event: "refunded/{{inputs.order_id}}", routes: [{to: end}]}
    - {id: help, type: ask, message: "What now?", form: {why: {type: string}}, routes: [{to: end}]}
`

func changeTools(t *testing.T) []tool.Tool {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", "examples", "refund", "actions.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	actions, err := tool.LoadActions("actions.yaml", src, tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return append(actions, tool.PostMessage(nil))
}

func changeOptions(t *testing.T) plan.Options {
	t.Helper()
	known := map[string]string{"@finance": "group", "@leads": "group", "@ana": "user", "@bob": "user", "#eng": "channel", "#refunds": "channel"}
	return plan.Options{
		Tools: changeTools(t), Exists: func(name string) bool { return known[name] != "" }, Kind: func(name string) string { return known[name] },
	}
}

func parsed(t *testing.T, src string) *flow.Flow {
	t.Helper()
	doc, problems := flow.Check("whole.yaml", []byte(src), flow.Checks{})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return doc.Flow
}

func TestChangeKeepsWhatWordsCannotSay(t *testing.T) {
	t.Parallel()
	before := parsed(t, wholeFlow)
	opt := changeOptions(t)
	for _, c := range []struct {
		words, said string
		back        func(t *testing.T, f *flow.Flow) // takes the change back, so that nothing else may differ
	}{
		{"5 goes to @ana", "step 5 asks @ana", func(_ *testing.T, f *flow.Flow) {
			who := f.Node("gate").Spec.(*flow.ApprovalSpec).Who
			who.Users, who.Groups = nil, []string{"@finance"}
		}},
		{"ask @ana or @leads at step 5", "step 5 asks @ana or @leads", func(t *testing.T, f *flow.Flow) {
			who := f.Node("gate").Spec.(*flow.ApprovalSpec).Who
			if !slices.Equal(who.Users, []string{"@ana"}) || !slices.Equal(who.Groups, []string{"@leads"}) || who.SelfApproval == nil || *who.SelfApproval {
				t.Errorf("asked are %+v", who)
			}
			who.Users, who.Groups = nil, []string{"@finance"}
		}},
		{"9 is for @bob", "step 9 asks @bob", func(_ *testing.T, f *flow.Flow) { f.Node("help").Spec.(*flow.AskSpec).Who = nil }},
		{"7 goes to the end", "", nil},
		{"6 goes to 8", "", nil},
		{"remove 7", "step 7 (“Think”) is removed", func(_ *testing.T, f *flow.Flow) {
			f.Node("refund").Routes[0].To = "think"
			at := slices.IndexFunc(f.Nodes, func(n flow.Node) bool { return n.ID == "told" })
			f.Nodes = slices.Insert(f.Nodes, at, *before.Node("think"))
		}},
		{"add after 6: tell #eng it is refunded", "new after step 6: “tell #eng it is refunded”", func(t *testing.T, f *flow.Flow) {
			at := slices.IndexFunc(f.Nodes, func(n flow.Node) bool { return n.ID == "refund" }) + 1
			if n := f.Nodes[at]; n.Spec.(*flow.ToolSpec).Params["channel"] != "#eng" || n.Routes[0].To != "think" || f.Node("refund").Routes[0].To != n.ID {
				t.Errorf("the new step is %+v", n)
			}
			f.Node("refund").Routes[0].To = "think"
			f.Nodes = slices.Delete(f.Nodes, at, at+1)
		}},
		{"add before 6: ask @leads to approve", "new before step 6: “ask @leads to approve”", func(t *testing.T, f *flow.Flow) {
			gate, added := f.Node("gate"), f.Node(f.Node("gate").Routes[0].To)
			if added.Kind != flow.KindApproval || added.Routes[0].To != "refund" {
				t.Errorf("the new step is %+v", added)
			}
			gate.Routes[0].To = "refund"
			f.Nodes = slices.DeleteFunc(f.Nodes, func(n flow.Node) bool { return before.Node(n.ID) == nil })
		}},
		{"add before 9: say it broke", "new before step 9: “say it broke”", func(t *testing.T, f *flow.Flow) {
			at := slices.IndexFunc(f.Nodes, func(n flow.Node) bool { return before.Node(n.ID) == nil })
			added := f.Nodes[at]
			for _, to := range []*string{&f.Node("look_up").OnError[0].To, &f.Node("refund").OnError[0].To, &f.OnLimit.To} {
				if *to != added.ID {
					t.Errorf("%s was left out: it leads to %s", added.ID, *to)
				}
				*to = "help"
			}
			f.Nodes = slices.Delete(f.Nodes, at, at+1)
		}},
		{"name: other-name", "the name is now other-name", func(_ *testing.T, f *flow.Flow) { f.Name = "whole" }},
	} {
		t.Run(c.words, func(t *testing.T) {
			t.Parallel()
			hash := flow.Hash(before)
			next, said, notes, err := plan.Change(before, c.words, opt)
			if flow.Hash(before) != hash {
				t.Fatal("the flow that was given is changed")
			}
			if c.back == nil { // it would leave steps that nothing leads to
				if changed := new(plan.ChangeError); !errors.As(err, &changed) || !strings.Contains(changed.Text, "would not hold together") {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || said != c.said || len(notes) > 0 {
				t.Fatalf("%q %v %v", said, notes, err)
			}
			if flow.Hash(next) == hash {
				t.Error("nothing has changed")
			}
			c.back(t, next)
			if flow.Hash(next) != hash {
				t.Errorf("more has changed than that:\n%s\n%s", flow.Format(next), flow.Format(before))
			}
		})
	}
}

// TestRewordKeepsTheRestOfAStep replaces a step by another one of its kind.
func TestRewordKeepsTheRestOfAStep(t *testing.T) {
	t.Parallel()
	before := parsed(t, strings.ReplaceAll(wholeFlow, "Refund {{look_up.result.amount}}?", "Refund it?"))
	next, _, _, err := plan.Change(before, "6. refund it", changeOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	now := next.Node(next.Node("gate").Routes[0].To)
	if now.ID == "refund" || now.Routes[0].To != "think" || len(now.OnError) != 1 || now.OnError[0].To != "help" {
		t.Errorf("the step is %+v", now)
	}
	next, _, _, err = plan.Change(before, "5. ask @leads to approve", changeOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	gate := next.Node(next.Node("both").Routes[0].To).Spec.(*flow.ApprovalSpec)
	if gate.Form["note"].Type != "string" || gate.Deadline == nil || !slices.Equal(gate.Who.Groups, []string{"@leads"}) {
		t.Errorf("the gate is %+v", gate)
	}
}

func TestChangesThatCannotBeMade(t *testing.T) {
	t.Parallel()
	before := parsed(t, wholeFlow)
	opt := changeOptions(t)
	for words, want := range map[string]string{
		"12 goes to @ana":               "There is no step 12",
		"3 goes to @ana":                "Step 3 asks nobody",
		"5 goes to @nobody":             "nobody here is called @nobody",
		"6 goes to 40":                  "There is no step 40",
		"remove 1":                      "Other steps read what step 1 gives",
		"2. tell #eng":                  "would not hold together",
		"add after 6: frobnicate it":    "no tool does",
		"add after 6: every day refund": "under triggers",
		"add after 6: go to 40":         "There is no step 40",
	} {
		_, _, _, err := plan.Change(before, words, opt)
		if changed := new(plan.ChangeError); !errors.As(err, &changed) || !strings.Contains(changed.Text, want) {
			t.Errorf("%s: %v, want %q", words, err, want)
		}
	}
	for _, words := range []string{"", "looks good to me", "why does 3 come first?", "thanks!", "undo", "5 goes to whoever has the time"} {
		if _, _, _, err := plan.Change(before, words, opt); !errors.Is(err, plan.ErrNoChange) {
			t.Errorf("%q: %v", words, err)
		}
	}
}
