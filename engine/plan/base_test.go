package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/plan"
)

func build(t *testing.T, words string, base *flow.Flow) *plan.Proposal {
	t.Helper()
	o, ok := plan.Read(words)
	if !ok {
		t.Fatalf("no steps in %q", words)
	}
	opt := plan.Options{Tools: fuzzTools(t), Base: base}
	p := plan.Build(o, opt)
	if p.Flow == nil {
		t.Fatalf("no flow: %+v", p.Notes)
	}
	checkProposal(t, p, opt)
	return p
}

// edited is the story's flow after somebody has edited its file.
func edited(t *testing.T) *flow.Flow {
	t.Helper()
	f := build(t, "pay back: 1. get order 2. if the amount is over 100 ask @leads to approve 3. refund it", nil).Flow
	f.Description = "Pays buyers back"
	f.Agents = []flow.Agent{{ID: "helper", Instructions: "Help."}}
	f.Budget.USDPerMonth = 5
	f.Limits.Steps = 500
	f.Timeout.Clock = time.Hour
	f.Run.Title, f.Run.Within = "Order {{inputs.order_id}}", flow.Duration{Clock: 24 * time.Hour}
	f.Inputs[0].Sensitive, f.Inputs[0].Description = true, "Printed on the parcel"
	f.Triggers = []flow.Trigger{
		{Schedule: &flow.ScheduleTrigger{Cron: "0 9 * * *", Timezone: "Europe/Berlin", Inputs: map[string]any{"order_id": "A-1"}, CatchUp: "once"}},
		{Webhook: &flow.WebhookTrigger{Path: "back"}},
	}
	pay, gate := f.Node("refund"), f.Node("ask_leads")
	pay.Retry = &flow.Retry{MaxAttempts: 3}
	pay.OnError = []flow.ErrorRoute{{Match: "Timeout", To: "ask_leads_stopped"}, {Default: true, To: flow.End}}
	never := false
	gate.Spec.(*flow.ApprovalSpec).Who.SelfApproval = &never
	gate.Spec.(*flow.ApprovalSpec).Form = map[string]flow.FormField{"why": {Type: "string", RequiredFor: []string{"reject"}}}
	if err := flow.Validate(f, flow.Checks{}).Err(); err != nil {
		t.Fatal(err)
	}
	return f
}

// What words do not express stays when a step is changed.
func TestBaseIsKept(t *testing.T) {
	t.Parallel()
	base := edited(t)
	hash := flow.Hash(base)
	got := build(t, "another name: 1. get order 2. if the amount is over 200 ask @leads to approve 3. refund it", base)
	if flow.Hash(base) != hash {
		t.Error("the base itself was changed")
	}
	want := base.Clone()
	d := want.Node("check_amount")
	d.Name = "Amount over 200?"
	d.Routes[0].When, d.Routes[0].Label = "get_order.result.amount > 200", "over 200"
	d.Routes[1].When = "get_order.result.amount <= 200"
	if diff := cmp.Diff(string(flow.Format(want)), string(flow.Format(got.Flow))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(got.Notes) > 0 {
		t.Errorf("notes: %+v", got.Notes)
	}
}

// A deadline that words gave ends when they do not give it any more; one that a file gave stays.
func TestADeadlineGoesWithItsWords(t *testing.T) {
	t.Parallel()
	within := "pay back: 1. get order 2. ask @leads to approve within 2 hours 3. refund it"
	without := strings.Replace(within, " within 2 hours", "", 1)
	deadline := func(f *flow.Flow) *flow.Deadline { return f.Node("ask_leads").Spec.(*flow.ApprovalSpec).Deadline }
	if d := deadline(build(t, without, build(t, within, nil).Flow).Flow); d != nil {
		t.Errorf("without its words there is a deadline still: %+v", d)
	}
	byHand := build(t, without, nil).Flow
	byHand.Node("ask_leads").Spec.(*flow.ApprovalSpec).Deadline = &flow.Deadline{After: flow.Duration{WorkingDays: 2}}
	if d := deadline(build(t, without, byHand).Flow); d == nil || d.After.WorkingDays != 2 {
		t.Errorf("what words did not say is gone: %+v", d)
	}
}

// Ids stay when other lines change, so that a picture can show what is different.
func TestIdsAreStable(t *testing.T) {
	t.Parallel()
	before := build(t, "x: 1. get order 2. if the amount is over 100 ask @leads to approve 3. refund it 4. tell #x", nil)
	after := build(t, "x: 1. track the parcel 2. get order 3. if the amount is over 900 ask @leads to approve 4. refund it 5. tell #x", nil)
	for _, n := range before.Flow.Nodes {
		if after.Flow.Node(n.ID) == nil {
			t.Errorf("node %s has another id now", n.ID)
		}
	}
}

// A kept schedule must give what every run needs; one in the words takes its place.
func TestBaseSchedules(t *testing.T) {
	t.Parallel()
	p := build(t, "x: 1. get order 2. send a voucher", edited(t))
	if len(p.Flow.Triggers) != 1 || p.Flow.Triggers[0].Webhook == nil {
		t.Errorf("triggers %+v", p.Flow.Triggers)
	}
	if len(p.Notes) != 1 || p.Notes[0].Code != "schedule_dropped" || !strings.Contains(p.Notes[0].Text, "worth") {
		t.Errorf("notes %+v", p.Notes)
	}
	p = build(t, "x: 1. every Monday at 10 get order A-1 2. tell #x", edited(t))
	if len(p.Flow.Triggers) != 2 || p.Flow.Triggers[1].Schedule.Cron != "0 10 * * 1" || p.Flow.Triggers[1].Schedule.CatchUp != "once" {
		t.Errorf("triggers %+v", p.Flow.Triggers)
	}
}
