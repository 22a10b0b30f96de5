package readback_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
	"sluice/engine/planner/readback"
	"sluice/engine/tool"
)

// What a revision newly allows is said in the words of its tools and with the numbers of its steps, without hosts and ids.
func TestNewly(t *testing.T) {
	t.Parallel()
	tools := []tool.Tool{
		{Name: "shop.refund", Description: "Refund money", Effects: flow.EffectsOnce, Host: "shop.example"},
		{Name: "shop.get_order", Description: "Get an order", Effects: flow.EffectsRead, Host: "shop.example"},
	}
	pay := flow.Node{ID: "pay", Name: "Refund it", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "shop.refund"}}
	look := flow.Node{ID: "look", Name: "Get it", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "shop.get_order"}, Routes: []flow.Route{{To: "pay"}}}
	gate := flow.Node{ID: "ok", Name: "Fin agrees", Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: "Well?"}, Routes: []flow.Route{{To: "pay"}}}
	base := &flow.Flow{Name: "r", Entry: "ok", Nodes: []flow.Node{gate, pay}}
	now := &flow.Flow{Name: "r", Entry: "look", Nodes: []flow.Node{look, pay}, Triggers: []flow.Trigger{{Schedule: &flow.ScheduleTrigger{Cron: "0 9 * * 1"}}}}
	allows := []approval.Allowance{
		{Kind: approval.AllowsHost, Node: "look", Words: "talks to shop.example"},
		{Kind: approval.AllowsEffect, Node: "pay", Words: "calls shop.refund (once)"},
		{Kind: approval.AllowsTrigger, Words: "starts by schedule 0 9 * * 1"},
		{Kind: approval.AllowsGateRemoved, Node: "ok", Words: "the gate 'ok' is gone"},
		{Kind: approval.AllowsGateWeakened, Node: "ok", Words: "shop.refund can be reached without the gate 'ok' after 'look'"},
	}
	number := func(node string) string { return map[string]string{"look": "1", "pay": "2"}[node] }
	want := []string{
		"Reads from Shop: get an order.", "Can refund money in Shop.", "“Fin agrees” is gone.",
		"“Refund money” can be reached without “Fin agrees” after step 1 (Get it).", "It starts by itself every Monday at 09:00.",
	}
	if diff := cmp.Diff(want, readback.Newly(base, now, allows, tools, number)); diff != "" {
		t.Errorf("newly allowed (-want +got):\n%s", diff)
	}
}
