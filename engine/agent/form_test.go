package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/agent"
	"sluice/engine/flow"
)

func TestForm(t *testing.T) {
	t.Parallel()
	message, fields := agent.Form(flow.Agent{ID: "triage", Instructions: " Decide the category.\n", Output: map[string]any{
		"type": "object", "required": []any{"category"},
		"properties": map[string]any{
			"category": map[string]any{"type": "string", "enum": []any{"refund", "tech"}, "description": "What it is about"},
			"amount":   map[string]any{"type": []any{"null", "number"}},
			"free":     true,
		},
	}})
	if diff := cmp.Diff("There is no language model for the agent triage.\nDecide the category.", message); diff != "" {
		t.Error(diff)
	}
	want := map[string]flow.FormField{
		"category": {Type: "string", Enum: []any{"refund", "tech"}, Description: "What it is about", Required: true, Order: 1},
		"amount":   {Type: "number", Order: 2},
		"free":     {Type: "string", Order: 3},
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff)
	}
	if _, fields := agent.Form(flow.Agent{ID: "x"}); fields != nil {
		t.Errorf("got the fields %v for an agent without output", fields)
	}
}
