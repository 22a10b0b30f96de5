package jumps_test

import (
	"slices"
	"testing"

	"sluice/engine/planner/jumps"
	"sluice/engine/planner/tree"
)

// TestStructure turns a jump back into a loop, a jump forward into the other side of its condition, and leaves out one to nowhere.
func TestStructure(t *testing.T) {
	t.Parallel()
	do := func(id string) tree.Step { return tree.Step{ID: id, Kind: tree.Do} }
	when := func(id string, to int) tree.Step {
		b := tree.Branch{When: &tree.Cond{Words: "it is paid"}, Steps: []tree.Step{{Kind: jumps.Jump, Max: to}}}
		return tree.Step{ID: id, Kind: tree.Decide, Branches: []tree.Branch{b}}
	}
	for _, c := range []struct {
		name  string
		steps []tree.Step
		kinds []tree.Kind
		inner int // steps of the longest branch
	}{
		{"back", []tree.Step{do("a"), do("b"), when("c", 2)}, []tree.Kind{tree.Do, tree.Repeat}, 1},
		{"forward", []tree.Step{when("a", 4), do("b"), do("c"), do("d")}, []tree.Kind{tree.Decide, tree.Do}, 2},
		{"nowhere", []tree.Step{do("a"), {Kind: jumps.Jump, Max: 9}}, []tree.Kind{tree.Do}, 0},
	} {
		list := c.steps
		jumps.Structure(&tree.Tree{}, &list)
		var kinds []tree.Kind
		inner := 0
		for _, s := range list {
			kinds = append(kinds, s.Kind)
			for _, b := range s.Branches {
				inner = max(inner, len(b.Steps))
			}
		}
		if !slices.Equal(kinds, c.kinds) || inner != c.inner {
			t.Errorf("%s: got %v with %d steps inside, want %v with %d", c.name, kinds, inner, c.kinds, c.inner)
		}
	}
}
