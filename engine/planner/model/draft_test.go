package model_test

import (
	"strings"
	"testing"

	"sluice/engine/llm/llmtest"
	"sluice/engine/planner/model"
)

// TestDraft: what a comparison finds goes back once. The tree counts of which fewer differences are told, and people are asked about those.
func TestDraft(t *testing.T) {
	t.Parallel()
	const words = "get the order, then refund it"
	lacking, whole := llmtest.JSON(answer(get, say{"kind": "open", "also": []any{"then"}, "text": "refund it"})), llmtest.JSON(answer(get, say{"kind": "tool", "also": []any{"then"}, "text": "refund it", "tool": "shop.refund"}))
	differs, same := llmtest.JSON(say{"differences": []any{say{"quote": "refund it", "text": "Nothing is refunded."}}}), llmtest.JSON(say{"differences": []any{}})
	for title, c := range map[string]struct {
		replies    []llmtest.Reply
		tool       string
		objections int
		uncompared bool
	}{
		"no difference":              {[]llmtest.Reply{whole, same}, "shop.refund", 0, false},
		"corrected":                  {[]llmtest.Reply{lacking, differs, whole, same}, "shop.refund", 0, false},
		"as wrong as before":         {[]llmtest.Reply{lacking, differs, whole, differs}, "", 1, false},
		"the service is away then":   {[]llmtest.Reply{lacking, differs, llmtest.Fail(400)}, "", 1, false},
		"nothing to compare it with": {[]llmtest.Reply{whole, llmtest.Text("well")}, "shop.refund", 0, true},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			s, m := newModel(t, c.replies...)
			made, _, err := model.Draft(t.Context(), m, words, "ana", world())
			if err != nil {
				t.Fatal(err)
			}
			last := made.Tree.Steps[len(made.Tree.Steps)-1]
			if last.Tool != c.tool || len(made.Tree.Objections) != c.objections || (made.Uncompared != nil) != c.uncompared {
				t.Errorf("the last step is done by %q, the objections are %+v, not compared: %v", last.Tool, made.Tree.Objections, made.Uncompared)
			}
			if all := s.Requests(); len(all) > 2 && !strings.Contains(all[2].Last(), "Nothing is refunded.") {
				t.Errorf("what went back: %s", all[2].Last())
			}
			if n := s.Left(); n > 0 {
				t.Errorf("%d answers were not asked for", n)
			}
		})
	}
}
