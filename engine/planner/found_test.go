package planner

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/tree"
)

// TestAQuestionForEachOfAList: who decides about all that was found may be asked for each of it.
func TestAQuestionForEachOfAList(t *testing.T) {
	t.Parallel()
	w := plannertest.World(tools(t)...)
	tr, _ := outline.Read("List the open bugs. If they are late, tell #ops \"late\". Then tell #team \"done\"", "U1")
	tr, err := Answer(tr, w, "s2.when.0", "each", "", "U1")
	if err != nil {
		t.Fatal(err)
	}
	if tr.Steps[1].Kind != tree.Each || tr.Steps[1].Over.Ref.Step != tr.Steps[0].ID || tr.Steps[1].Branches[0].Steps[0].Kind != tree.Decide {
		t.Errorf("the second step is %+v", tr.Steps[1])
	}
	for words, want := range map[string]bool{
		"List the open bugs. If they are late, tell #ops": true, "List the open bugs. If the sun shines, tell #ops": false,
		"If they are late, tell #ops": false, "List the open bugs. For each of them: if they are late, tell #ops": false,
	} {
		tr, _ := outline.Read(words, "U1")
		got := slices.ContainsFunc(asks(tr, tools(t)...), func(q string) bool { return strings.Contains(q, " each,") })
		if got != want {
			t.Errorf("%q: offered: %v", words, got)
		}
	}
}
