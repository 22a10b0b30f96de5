package model_test

import (
	"testing"

	"sluice/engine/llm/llmtest"
	"sluice/engine/planner/model"
	"sluice/engine/planner/tree"
)

// TestEmptyFields: a field that a model fills with nothing, and a yes that the words do not say, cost no correction.
func TestEmptyFields(t *testing.T) {
	t.Parallel()
	const words = "for each order: ask @finance to approve. If the order is urgent, tell #support it is done"
	answer := say{
		"name": "", "also": []any{}, "inputs": []any{}, "triggers": []any{}, "limit": nil, "not_expressible": []any{},
		"steps": []any{
			say{
				"kind": "each", "label": "a", "text": "", "also": []any{"for each order"}, "as": "order", "over": say{"words": "", "as": "value", "from": "", "field": ""},
				"steps": []any{say{
					"kind": "ask", "label": "b", "text": "approve", "also": []any{"ask", "to"}, "who": []any{name("@finance", "@finance")}, "quorum": 0, "choices": []any{""},
					"fields": []any{}, "free": false, "show": []any{}, "branches": []any{}, "deadline": nil,
				}},
			},
			say{"kind": "decide", "label": "c", "text": "", "also": []any{}, "branches": []any{say{
				"label": "", "quote": "If the order is urgent", "else": false, "choice": "",
				"when": say{
					"quote": "the order is urgent", "op": "==", "parts": []any{}, "left": say{"words": "urgent", "as": "value", "from": "", "field": ""},
					"right": say{"words": "yes", "as": "yes", "from": "", "field": ""},
				},
				"steps": []any{say{"kind": "tell", "label": "d", "text": "it is done", "also": []any{"tell"}, "to": []any{name("#support", "#support")}}},
			}}},
		},
	}
	s, m := newModel(t, llmtest.JSON(answer))
	got, _, err := model.Read(t.Context(), m, words, "ana", world(), nil)
	if err != nil || len(s.Requests()) != 1 {
		t.Fatalf("%d requests, error %v", len(s.Requests()), err)
	}
	each := got.Steps[0]
	if !each.Over.Open() || len(each.Branches[0].Steps[0].Choices) > 0 {
		t.Errorf("the list or the choices are made up: %+v", each)
	}
	if when := got.Steps[1].Branches[0].When; when.Op != tree.OpTrue || when.Left.Words != "urgent" {
		t.Errorf("the condition is %+v", when)
	}
}
