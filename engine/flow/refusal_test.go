package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/refusal"
)

// TestWhichChoicesReject: a choice is a refusal by its words, by the declaration of the flow, or by a veto on effects after the gate.
func TestWhichChoicesReject(t *testing.T) {
	t.Parallel()
	const none, weak, firm = refusal.None, refusal.Weak, refusal.Firm
	for _, c := range []struct {
		choices []string
		refuses []string
		veto    []string
		guards  bool // a step after the gate has effects
		want    []refusal.Refusal
	}{
		{choices: []string{"approve", "reject"}, want: []refusal.Refusal{none, firm}},
		{choices: []string{"reject", "approve"}, guards: true, want: []refusal.Refusal{firm, none}},
		{choices: []string{"Approve it", "Deny"}, want: []refusal.Refusal{none, firm}},
		{choices: []string{"yes", "no"}, want: []refusal.Refusal{none, weak}},
		{choices: []string{"Yes, pay", "No, thanks"}, want: []refusal.Refusal{none, weak}},
		{choices: []string{"done", "I can't"}, want: []refusal.Refusal{none, weak}},
		{choices: []string{"done", "I cannot do it"}, want: []refusal.Refusal{none, weak}},
		{choices: []string{"small", "medium", "large"}, want: []refusal.Refusal{none, none, none}},
		{choices: []string{"ship", "hold"}, guards: true, want: []refusal.Refusal{none, weak}},
		{choices: []string{"ship", "hold"}, want: []refusal.Refusal{none, none}},
		{choices: []string{"ship", "hold", "later"}, veto: []string{"hold"}, guards: true, want: []refusal.Refusal{none, weak, none}},
		{choices: []string{"changes", "looks good"}, guards: true, want: []refusal.Refusal{none, none}},
		{choices: []string{"no objections", "objection"}, guards: true, want: []refusal.Refusal{none, weak}},
		{choices: []string{"approved", "not approved"}, want: []refusal.Refusal{none, firm}},
		{choices: []string{"don't reject", "reject"}, guards: true, want: []refusal.Refusal{none, firm}},
		{choices: []string{"👍", "👎"}, want: []refusal.Refusal{none, weak}},
		{choices: []string{"✅ Approve", "❌ Reject"}, want: []refusal.Refusal{none, firm}},
		{choices: []string{"pass", "fail"}, want: []refusal.Refusal{none, weak}},
		{choices: []string{"approve", "cancel"}, want: []refusal.Refusal{none, weak}},
		{choices: []string{"approve", "send back"}, guards: true, want: []refusal.Refusal{none, weak}},
		{choices: []string{"a", "b"}, refuses: []string{"b"}, want: []refusal.Refusal{none, firm}},
		{choices: []string{"approve", "reject"}, refuses: []string{}, guards: true, want: []refusal.Refusal{none, none}},
		{choices: []string{"reject", "keep"}, refuses: []string{"keep"}, want: []refusal.Refusal{none, firm}},
	} {
		f := &flow.Flow{Nodes: []flow.Node{
			{ID: "g", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Choices: c.choices, Refuses: c.refuses, Veto: c.veto}, Routes: []flow.Route{
				{When: "approvals.g == '" + c.choices[0] + "'", To: "next"}, {When: "default", To: flow.End},
			}},
			{ID: "next", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "so it is"}},
		}}
		if c.guards {
			f.Nodes[1] = flow.Node{ID: "next", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "http.post"}}
		}
		for i, choice := range c.choices {
			if got, _ := f.Refusal(&f.Nodes[0], choice); got != c.want[i] {
				t.Errorf("%v: %q is %d, not %d (refuses %v, veto %v, guards %v)", c.choices, choice, got, c.want[i], c.refuses, c.veto, c.guards)
			}
		}
	}
}

// TestDeclaredOutcomesAreStored: the stored form keeps an empty list of refusals, and the outcome that a terminal declares.
func TestDeclaredOutcomesAreStored(t *testing.T) {
	t.Parallel()
	doc, problems := file.Parse("f.yaml", []byte(`name: f
flow:
  entry: g
  nodes:
    - {id: g, type: approval, message: "yes or no?", choices: ["y", "no"], refuses: [], routes: [{when: "approvals.g == 'no'", to: off}, {to: end}]}
    - {id: off, type: terminal, outcome: rejected}
`))
	for _, p := range problems {
		t.Error(p)
	}
	f, err := flow.FromJSON(flow.Canonical(doc.Flow))
	if err != nil {
		t.Fatal(err)
	}
	if s := f.Nodes[0].Spec.(*flow.ApprovalSpec); s.Refuses == nil || len(s.Refuses) != 0 {
		t.Errorf("refuses is %#v", s.Refuses)
	}
	if s := f.Nodes[1].Spec.(*flow.TerminalSpec); s.Outcome != "rejected" {
		t.Errorf("the outcome is %q", s.Outcome)
	}
	if _, problems := file.Parse("f.yaml", []byte("name: f\nflow: {entry: t, nodes: [{id: t, type: terminal, outcome: refused}]}\n")); len(problems) != 1 {
		t.Errorf("an unknown outcome gives %v", problems)
	}
}

// TestChoicesThatGoOnRejectNothing: choices that all lead to effects refuse nothing; a choice whose path does less is a refusal.
func TestChoicesThatGoOnRejectNothing(t *testing.T) {
	t.Parallel()
	doc, problems := file.Parse("f.yaml", []byte(`name: f
flow:
  entry: size
  nodes:
    - {id: size, type: approval, message: "which?", choices: [small, medium, large], routes: [{when: "approvals.size == 'small'", to: a}, {when: "approvals.size == 'medium'", to: b}, {to: c}]}
    - {id: a, type: tool, tool: slack.post_message, params: {channel: "#a", text: a}}
    - {id: b, type: tool, tool: slack.post_message, params: {channel: "#b", text: b}}
    - {id: c, type: tool, tool: slack.post_message, params: {channel: "#c", text: c}, routes: [{to: when}]}
    - {id: when, type: approval, message: "when?", choices: [now, hold], routes: [{when: "approvals.when != 'hold'", to: d}, {to: note}]}
    - {id: d, type: tool, tool: http.post, params: {url: "https://x.example"}}
    - {id: note, type: say, message: held}
`))
	for _, p := range problems {
		t.Error(p)
	}
	for choice, want := range map[string]refusal.Refusal{"small": refusal.None, "medium": refusal.None, "large": refusal.None} {
		if got, _ := doc.Flow.Refusal(doc.Flow.Node("size"), choice); got != want {
			t.Errorf("%s is %d", choice, got)
		}
	}
	for choice, want := range map[string]refusal.Refusal{"now": refusal.None, "hold": refusal.Weak} {
		if got, _ := doc.Flow.Refusal(doc.Flow.Node("when"), choice); got != want {
			t.Errorf("%s is %d", choice, got)
		}
	}
}

// TestWhichChoicesEndTheRun: a choice between sizes goes on each way; one that refuses, or does nothing where others do, ends the run.
func TestWhichChoicesEndTheRun(t *testing.T) {
	t.Parallel()
	const head = "name: f\nflow:\n  entry: g\n  nodes:\n"
	const act = "    - {id: act, type: tool, tool: http.post, params: {url: x}, routes: [{to: end}]}\n    - {id: say, type: say, message: so, routes: [{to: end}]}\n"
	for nodes, want := range map[string]string{
		"    - {id: g, type: approval, message: x, routes: [{when: \"approvals.g == 'approve'\", to: act}, {default: true, to: say}]}\n":                                                                        "reject[Say]",
		"    - {id: g, type: approval, message: x, routes: [{when: \"approvals.g == 'approve'\", to: say}, {default: true, to: end}]}\n":                                                                        "reject[]",
		"    - {id: g, type: approval, message: x, choices: [small, large], routes: [{when: \"approvals.g == 'small'\", to: say}, {default: true, to: end}]}\n":                                                 "",
		"    - {id: g, type: ask, message: x, choices: [small, medium, none], routes: [{when: \"approvals.g == 'small'\", to: act}, {when: \"approvals.g == 'medium'\", to: act}, {default: true, to: end}]}\n": "none[]",
		"    - {id: g, type: approval, message: x, choices: [again, reject], routes: [{to: act}]}\n":                                                                                                            "",
	} {
		d, problems := file.Check("f.yaml", []byte(head+nodes+act), flow.Checks{})
		if d == nil {
			t.Fatal(problems)
		}
		f := d.Flow
		gate, got := f.Node("g"), ""
		for _, choice := range f.Endings(gate) {
			got += fmt.Sprint(choice, f.Says(gate, choice))
		}
		if got != want {
			t.Errorf("%send the run: %s, not %s", nodes, got, want)
		}
	}
	d, problems := file.Check("f.yaml", []byte(strings.Replace(head, "entry: g", "entry: each\n  max_iterations: 9", 1)+
		"    - {id: each, type: foreach, items: \"[1]\", as: x, body: g, routes: [{to: act}]}\n    - {id: g, type: approval, message: x, routes: [{when: \"approvals.g == 'approve'\", to: say}, {default: true, to: end}]}\n"+act), flow.Checks{})
	if d == nil || len(d.Flow.Endings(d.Flow.Node("g"))) != 0 {
		t.Errorf("a choice for one item ends the run: %v", problems)
	}
}
