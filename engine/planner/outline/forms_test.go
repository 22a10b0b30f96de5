package outline

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/planner/tree"
)

// example is the example of a form as a whole text.
func example(f Form) string {
	if f.Section == "When it starts" && !strings.Contains(f.Example, "tell") {
		return f.Example + ", tell #ops hello"
	}
	return f.Example
}

// TestForms reads the example of each form: the form itself must be what reads it, and make a step, a trigger or what its section says.
func TestForms(t *testing.T) {
	t.Parallel()
	kinds := map[string]tree.Kind{
		"AI": tree.Agent, "Ask": tree.Ask, "Tell": tree.Tell, "Wait": tree.Wait, "Do": tree.Do,
		"Conditions": "", "Each": tree.Each, "Parallel": tree.Parallel, "Deadlines": tree.Ask,
	}
	for _, f := range Forms() {
		t.Run(f.Example, func(t *testing.T) {
			t.Parallel()
			tr := &tree.Tree{Texts: []tree.Text{{Words: example(f)}}}
			used := map[string]bool{}
			if !read(tr, 0, func(pattern string) { used[pattern] = true }) {
				t.Fatalf("%q is not read", f.Example)
			}
			if !used[f.Pattern] && !slices.Contains(controls, f) {
				t.Errorf("%q is read by %v, not by %q", f.Example, used, f.Pattern)
			}
			kind := kinds[f.Section]
			found := kind == ""
			tr.Walk(func(s *tree.Step) bool {
				found = found || s.Kind == kind
				return true
			})
			if !found || f.Section == "When it starts" && len(tr.Triggers) != 1 || f.Section == "Inputs" && len(tr.Inputs) == 0 {
				t.Errorf("%q does not make what it says: %+v", f.Example, tr)
			}
		})
	}
}
