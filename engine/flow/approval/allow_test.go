package approval_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/flow/flowtest"
)

// refund is a flow with a threshold before a gate.
const refund = `
name: refund
inputs: {order_id: {type: string, required: true}}
flow:
  entry: get
  nodes:
    - {id: get, type: tool, tool: shop.get_order, params: {order_id: "{{inputs.order_id}}"}, routes: [{to: amount}]}
    - id: amount
      type: decision
      expr: get.result.amount > 100
      routes: [{when: "true", to: gate}, {when: default, to: pay}]
    - id: gate
      type: approval
      message: Refund?
      who: {groups: ["@finance"], quorum: 2, self_approval: false}
      show: [get.result]
      deadline: {after: 2d}
      routes: [{when: "approvals.gate == 'approve'", to: pay}, {when: "approvals.gate == 'timeout'", to: end}, {when: default, to: end}]
    - {id: pay, type: tool, tool: shop.refund, params: {order_id: "{{inputs.order_id}}"}, routes: [{to: tell}]}
    - {id: tell, type: tool, tool: slack.post_message, params: {channel: "#support", text: done}, routes: [{to: end}]}
`

// shopTools is a small catalogue.
func shopTools(name string) (flow.Effects, string, bool) {
	switch name {
	case "shop.get_order":
		return flow.EffectsRead, "shop.example", true
	case "shop.refund":
		return flow.EffectsOnce, "shop.example", true
	case "slack.post_message":
		return flow.EffectsIdempotent, "", true
	case "http.post":
		return flow.EffectsOnce, "", true
	case "http.get":
		return flow.EffectsRead, "", true
	default:
		return "", "", false
	}
}

func TestNewlyAllows(t *testing.T) {
	t.Parallel()
	const bypass = "gate_weakened gate: shop.refund can be reached without the gate 'gate'"
	tests := []struct {
		name     string
		old, now string // old, then new, as replacements in refund: "" = as it stands
		replace  []string
		want     []string
	}{
		{name: "nothing changed"},
		{name: "words only", replace: []string{"message: Refund?", "message: Really refund?", "{id: get,", "{id: get, name: Fetch,"}},
		{
			name: "a lower threshold asks more often", replace: []string{"> 100", "> 50"},
		},
		{
			name: "a higher threshold", replace: []string{"> 100", "> 200"},
			want: []string{"gate_weakened gate: the condition before the gate 'gate' changed at 'amount': get.result.amount > 100 is now get.result.amount > 200"},
		},
		{
			name: "another value", replace: []string{"get.result.amount > 100", "get.result.tax > 100"},
			want: []string{"gate_weakened gate: the condition before the gate 'gate' changed at 'amount': get.result.amount > 100 is now get.result.tax > 100"},
		},
		{
			name: "one more way around", replace: []string{`{when: "true", to: gate}`, `{when: "inputs.order_id == 'A-1'", to: pay}, {when: "true", to: gate}`},
			want: []string{"gate_weakened gate: the condition before the gate 'gate' changed at 'amount': get.result.amount > 100 is now inputs.order_id == 'A-1'"},
		},
		{name: "a step between decision and gate", replace: []string{
			`{when: "true", to: gate}`, `{when: "true", to: note}`, "    - id: gate\n", "    - {id: note, type: say, message: hi, routes: [{to: gate}]}\n    - id: gate\n",
		}},
		{
			name: "rejecting pays", replace: []string{"{when: default, to: end}]\n    - {id: pay", "{when: default, to: pay}]\n    - {id: pay"},
			want: []string{"gate_weakened gate: after 'reject' at the gate 'gate' the run goes on to shop.refund and slack.post_message"},
		},
		{
			name: "a timeout pays", replace: []string{"'timeout'\", to: end", "'timeout'\", to: pay"},
			want: []string{"gate_weakened gate: after 'timeout' at the gate 'gate' the run goes on to shop.refund and slack.post_message"},
		},
		{
			name: "gate removed", replace: []string{"type: approval", "type: ask", "      show: [get.result]\n", ""},
			want: []string{"gate_removed gate: the gate 'gate' is gone"},
		},
		{
			name: "more people, fewer votes, themselves", replace: []string{`{groups: ["@finance"], quorum: 2, self_approval: false}`, `{groups: ["@finance", "@ops"], users: ["@ana"]}`},
			want: []string{
				"gate_weakened gate: the gate 'gate' may be decided by @ops and @ana",
				"gate_weakened gate: the gate 'gate' needs 1 instead of 2 votes",
				"gate_weakened gate: the gate 'gate' may be decided by the person who asked",
			},
		},
		{
			name: "anybody", replace: []string{"      who: {groups: [\"@finance\"], quorum: 2, self_approval: false}\n", ""},
			want: []string{
				"gate_weakened gate: the gate 'gate' may be decided by anybody in the channel",
				"gate_weakened gate: the gate 'gate' needs 1 instead of 2 votes",
				"gate_weakened gate: the gate 'gate' may be decided by the person who asked",
			},
		},
		{name: "fewer people", replace: []string{`groups: ["@finance"], quorum: 2`, `users: ["@fin"], quorum: 2`}, want: []string{
			"gate_weakened gate: the gate 'gate' may be decided by @fin",
		}},
		{
			name: "shows less", replace: []string{"      show: [get.result]\n", ""},
			want: []string{"gate_weakened gate: the gate 'gate' no longer shows 'get.result'"},
		},
		{
			name: "shorter deadline", replace: []string{"after: 2d", "after: 1h"},
			want: []string{"gate_weakened gate: the gate 'gate' times out after 1h instead of 2d"},
		},
		{
			name: "deadline at a time", replace: []string{"after: 2d", "until: friday 16:00"},
			want: []string{"gate_weakened gate: the gate 'gate' now times out at friday 16:00"},
		},
		{name: "longer deadline", replace: []string{"after: 2d", "after: 9d"}},
		{
			name: "escalation", replace: []string{"{after: 2d}", `{after: 2d, escalate: {after: 1d, to: "@cfo"}}`},
			want: []string{"gate_weakened gate: the gate 'gate' may also be decided by @cfo after 1d"},
		},
		{
			name: "entry past the gate", replace: []string{"entry: get", "entry: pay"},
			want: []string{
				"gate_weakened gate: shop.refund can be reached without the condition 'amount' before the gate 'gate'",
				"gate_weakened gate: slack.post_message can be reached without the condition 'amount' before the gate 'gate'",
			},
		},
		{
			name: "another channel", replace: []string{`"#support"`, `"#general"`},
			want: []string{"channel tell: writes to #general"},
		},
		{
			name: "another host and a secret", replace: []string{
				"tool: slack.post_message, params: {channel: \"#support\", text: done}",
				`tool: http.post, params: {url: "https://Pay.example:8443/x?y=1", headers: {Authorization: "Bearer {{secret.PAY}}"}}`,
			},
			want: []string{"effect tell: calls http.post (once)", "secret tell: uses the secret PAY in http.post", "host tell: talks to pay.example:8443"},
		},
		{
			name: "paid twice", replace: []string{"{id: tell,", "{id: again, type: tool, tool: shop.refund, routes: [{to: tell}]}\n    - {id: tell,"},
			want: []string{"effect again: calls shop.refund (once)"},
		},
		{
			name: "riskier", replace: []string{"tool: slack.post_message,", "tool: slack.post_message, effects: once,"},
			want: []string{"effect tell: calls slack.post_message (once)"},
		},
		{
			name: "trigger", replace: []string{"flow:\n", "triggers: [{webhook: {path: refunds}}]\nflow:\n"},
			want: []string{"trigger : starts by the webhook refunds"},
		},
		{
			name: "trigger of another scheme", replace: []string{"flow:\n", "triggers: [{webhook: {path: refunds, scheme: github}}]\nflow:\n"},
			want: []string{"trigger : starts by the webhook refunds, signed as GitHub does"},
		},
		{
			name: "an agent with a tool", replace: []string{"flow:\n", "agents: [{id: bot, tools: [http.post, shop.get_order]}]\nflow:\n"},
			want: []string{"effect bot: agent 'bot' may call http.post (once)", "host bot: agent 'bot' may talk to any host with http.post"},
		},
		{
			name: "around the gate from the start",
			old:  strings.NewReplacer("{when: default, to: pay}", "{when: default, to: end}").Replace(refund),
			want: []string{bypass, "gate_weakened gate: slack.post_message can be reached without the gate 'gate'"},
		},
		{
			name: "renamed and around the gate",
			old:  strings.NewReplacer("{when: default, to: pay}", "{when: default, to: end}").Replace(refund),
			now:  strings.NewReplacer("to: pay", "to: settle", "id: pay", "id: settle", "id: amount", "id: sum", "to: amount", "to: sum").Replace(refund),
			want: []string{
				bypass, "gate_weakened gate: slack.post_message can be reached without the gate 'gate'",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			old, now := tt.old, tt.now
			if old == "" {
				old = refund
			}
			if now == "" {
				now = strings.NewReplacer(tt.replace...).Replace(refund)
			}
			var got []string
			allowed := approval.NewlyAllows(flowtest.Parsed(t, []byte(old)), flowtest.Parsed(t, []byte(now)), shopTools)
			for _, a := range allowed {
				got = append(got, string(a.Kind)+" "+a.Node+": "+a.Words)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("newly allowed (-want +got):\n%s", diff)
			}
			gates := affectedGates(allowed)
			if touched := strings.Contains(strings.Join(tt.want, "\n"), "gate_"); touched != (len(gates) == 1) {
				t.Errorf("affected gates %v", gates)
			}
		})
	}
}

func TestFirstRevisionAllowsAllItDoes(t *testing.T) {
	t.Parallel()
	var got []string
	for _, a := range approval.NewlyAllows(nil, flowtest.Parsed(t, []byte(refund)), shopTools) {
		got = append(got, string(a.Kind)+" "+a.Node+": "+a.Words)
	}
	want := []string{
		"host get: talks to shop.example", "effect pay: calls shop.refund (once)",
		"effect tell: calls slack.post_message (idempotent)", "channel tell: writes to #support",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("newly allowed (-want +got):\n%s", diff)
	}
}

// TestAgentsBehindGates treats what an agent and its sub-agents may call like a tool node, and a subflow like an effect.
func TestAgentsBehindGates(t *testing.T) {
	t.Parallel()
	const src = `
name: a
agents:
  - {id: boss, subagents: [payer]}
  - {id: payer, tools: [shop.refund], subagents: [boss]}
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: ok?, routes: [{when: "approvals.gate == 'approve' or approvals.gate == 'later'", to: boss}, {when: default, to: end}]}
    - {id: boss, type: agent, agent: boss, routes: [{to: sub}]}
    - {id: sub, type: subflow, flow: payout}
`
	old := flowtest.Parsed(t, []byte(src))
	now := flowtest.Parsed(t, []byte(strings.Replace(src, "entry: gate", "entry: boss", 1)))
	var got []string
	for _, a := range approval.NewlyAllows(old, now, shopTools) {
		got = append(got, a.Words)
	}
	want := []string{"flow payout can be reached without the gate 'gate'", "shop.refund can be reached without the gate 'gate'"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"shop.refund"}, old.ToolNames()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"payout"}, old.SubflowNames()); diff != "" {
		t.Error(diff)
	}
}

func TestNewTriggersAndChannelsInWords(t *testing.T) {
	t.Parallel()
	const src = `
name: a
triggers:
  - {schedule: {cron: "0 9 * * *", timezone: Europe/Berlin}}
  - {schedule: {cron: "@daily"}}
  - {message: {channel: "#in", match: hello}}
  - {reaction: {emoji: tada}}
  - {reaction: {emoji: bug, channel: "#in"}}
flow:
  entry: x
  nodes:
    - {id: x, type: tool, tool: slack.post_message, params: {channel: "{{inputs.where}}", url: "{{inputs.url}}", blocks: [{url: "https://{{inputs.host}}/x"}, {url: "https://u:p@Host.example?q"}]}, routes: [{to: y}]}
    - {id: y, type: tool, tool: http.get, effects: read, params: {url: "ftp://x", text: "see https://in.text.example/"}}
`
	var got []string
	for _, a := range approval.NewlyAllows(nil, flowtest.Parsed(t, []byte(src)), shopTools) {
		got = append(got, a.Words)
	}
	want := []string{
		"calls slack.post_message (idempotent)",
		"talks to a host that is only known when it runs: https://{{inputs.host}}/x", "talks to host.example",
		"writes to a channel that is only known when it runs: {{inputs.where}}",
		"talks to a host that is only known when it runs: {{inputs.url}}",
		"starts by schedule 0 9 * * * (Europe/Berlin)", "starts by schedule @daily",
		"starts by a message in #in that matches hello", "starts by the reaction :tada:", "starts by the reaction :bug: in #in",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTooManyGatesToCompare: with too many gates to compare, every gate counts as weakened.
func TestTooManyGatesToCompare(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("name: a\nflow:\n  entry: g0\n  nodes:\n")
	const n = 30
	for i := range n {
		fmt.Fprintf(&b, "    - {id: g%d, type: approval, message: ok?, routes: [{to: t%d}]}\n    - {id: t%d, type: tool, tool: a.t%d, routes: [{to: g%d}]}\n", i, i, i, i, i+1)
	}
	f := flowtest.Parsed(t, []byte(b.String()))
	changed := f.Clone()
	changed.Nodes[0].Routes[0].To = "t5"
	if got := affectedGates(approval.NewlyAllows(f, changed, nil)); len(got) != n {
		t.Errorf("affected %d of %d gates", len(got), n)
	}
	if got := approval.NewlyAllows(f, f, nil); len(got) != 0 {
		t.Errorf("an unchanged flow newly allows %v", got)
	}
}

func TestUnknownToolsCountAsOnce(t *testing.T) {
	t.Parallel()
	for _, a := range approval.NewlyAllows(nil, flowtest.Parsed(t, []byte(refund)), nil) {
		if a.Node == "get" && a.Kind == approval.AllowsEffect && strings.Contains(a.Words, "once") {
			return
		}
	}
	t.Error("an unknown tool is not listed as an effect")
}

// affectedGates lists the gates that the allowances remove or weaken, in order.
func affectedGates(all []approval.Allowance) []string {
	var ids []string
	for _, a := range all {
		if (a.Kind == approval.AllowsGateRemoved || a.Kind == approval.AllowsGateWeakened) && !slices.Contains(ids, a.Node) {
			ids = append(ids, a.Node)
		}
	}
	return ids
}

func TestCompareLock(t *testing.T) {
	t.Parallel()
	old := flow.Lock{
		Tools: map[string]flow.ToolLock{
			"a.gone": {Effects: flow.EffectsRead, Hash: "1"}, "b.same": {Effects: flow.EffectsOnce, Hash: "2"}, "c.riskier": {Effects: flow.EffectsRead, Hash: "3"}, "d.milder": {Effects: flow.EffectsOnce, Hash: "4"}, "e.schema": {Effects: flow.EffectsRead, Hash: "5"},
		},
		Subflows: map[string]string{"s": "1"}, Agents: map[string]string{"x": "1"},
	}
	now := flow.Lock{
		Tools: map[string]flow.ToolLock{
			"b.same": {Effects: flow.EffectsOnce, Hash: "2"}, "c.riskier": {Effects: flow.EffectsIdempotent, Hash: "3"}, "d.milder": {Effects: flow.EffectsIdempotent, Hash: "4"}, "e.schema": {Effects: flow.EffectsRead, Hash: "6"}, "f.new": {Effects: flow.EffectsRead, Hash: "7"},
		},
		Subflows: map[string]string{"s": "2"}, Agents: map[string]string{},
	}
	want := []approval.LockChange{
		{Kind: "agent", Name: "x", Words: "the agent x is gone"},
		{Kind: "subflow", Name: "s", Words: "the subflow s changed"},
		{Kind: "tool", Name: "a.gone", Words: "the tool a.gone is gone"},
		{Kind: "tool", Name: "c.riskier", Riskier: true, Words: "the tool c.riskier became riskier: idempotent instead of read"},
		{Kind: "tool", Name: "d.milder", Words: "the tool d.milder is now idempotent instead of once"},
		{Kind: "tool", Name: "e.schema", Words: "the tool e.schema has other parameters or another result"},
		{Kind: "tool", Name: "f.new", Words: "the tool f.new is new"},
	}
	if diff := cmp.Diff(want, approval.CompareLock(old, now)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if len(approval.CompareLock(old, old)) != 0 {
		t.Error("a lock differs from itself")
	}
	f := flowtest.Parsed(t, []byte(refund))
	if flow.ApprovalHash(f, old) == flow.ApprovalHash(f, now) || flow.ApprovalHash(f, old) == flow.Hash(f) {
		t.Error("the approval hash does not bind the lock")
	}
}
