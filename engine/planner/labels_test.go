package planner

import (
	"strings"
	"testing"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
)

// TestLabelsInBrackets: what stands in brackets behind a verb that tells texts apart are the labels.
func TestLabelsInBrackets(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"categorize the text (billing, technical, general)": "billing|technical|general",
		"categorize the text (bug / praise)":                "bug|praise",
		"categorize the text (late, very old or new)":       "late|very old|new",
		"categorize the text (urgent)":                      "",
	} {
		tr, _ := outline.Read(words, "U1")
		var got []string
		for _, prm := range Plan(tr, plannertest.World(tools(t)...)).Tree.Steps[0].Params {
			for _, label := range prm.Value.Literal.([]any) {
				got = append(got, label.(string))
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: the labels are %q", words, got)
		}
	}
}
