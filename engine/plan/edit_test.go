package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/plan"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	before := func() plan.Outline { return outline("refund", "get it", "ask @x to approve", "pay it", "tell #x") }
	for name, tt := range map[string]struct {
		text  string
		want  plan.Outline
		words string
	}{
		"replace":               {"2. ask @y to approve", outline("refund", "get it", "ask @y to approve", "pay it", "tell #x"), "step 2 is now “ask @y to approve”"},
		"replace with bracket":  {" 2)  ask @y ", outline("refund", "get it", "ask @y", "pay it", "tell #x"), "step 2 is now “ask @y”"},
		"replace with a word":   {"step 3: pay half", outline("refund", "get it", "ask @x to approve", "pay half", "tell #x"), "step 3 is now “pay half”"},
		"append":                {"5. stop", outline("refund", "get it", "ask @x to approve", "pay it", "tell #x", "stop"), "step 5 is new: “stop”"},
		"several lines":         {"1. look it up\n4. tell #y\nand #z", outline("refund", "look it up", "ask @x to approve", "pay it", "tell #y and #z"), "step 1 is now “look it up”; step 4 is now “tell #y and #z”"},
		"several on one line":   {"3. pay half 4. tell #y 5. stop", outline("refund", "get it", "ask @x to approve", "pay half", "tell #y", "stop"), "step 3 is now “pay half”; step 4 is now “tell #y”; step 5 is new: “stop”"},
		"another number inside": {"2. wait for 7. then go", outline("refund", "get it", "wait for 7. then go", "pay it", "tell #x"), "step 2 is now “wait for 7. then go”"},
		"add after":             {"add after 2: wait 2 days", outline("refund", "get it", "ask @x to approve", "wait 2 days", "pay it", "tell #x"), "step 3 is new: “wait 2 days”"},
		"add before":            {"Insert before step 1: say hello", outline("refund", "say hello", "get it", "ask @x to approve", "pay it", "tell #x"), "step 1 is new: “say hello”"},
		"add at the end":        {"add: stop", outline("refund", "get it", "ask @x to approve", "pay it", "tell #x", "stop"), "step 5 is new: “stop”"},
		"remove":                {"remove 2", outline("refund", "get it", "pay it", "tell #x"), "step 2 (“ask @x to approve”) is removed"},
		"delete several":        {"delete steps 1, 3 and 4", outline("refund", "ask @x to approve"), "step 1 (“get it”) is removed; step 3 (“pay it”) is removed; step 4 (“tell #x”) is removed"},
		"name":                  {"call it Big Refund", outline("big-refund", "get it", "ask @x to approve", "pay it", "tell #x"), "the name is now big-refund"},

		"somebody else":  {"2 goes to @y", outline("refund", "get it", "ask @y to approve", "pay it", "tell #x"), "step 2 is now “ask @y to approve”"},
		"several others": {"step 2 goes to Ana or @y.", outline("refund", "get it", "ask Ana or @y to approve", "pay it", "tell #x"), "step 2 is now “ask Ana or @y to approve”"},

		"nobody is asked":      {"3 goes to @y", plan.Outline{}, ""},
		"to another step":      {"2 goes to 4", plan.Outline{}, ""},
		"talk of who":          {"2 goes to whoever has the time", plan.Outline{}, ""},
		"talk with a number":   {"3 people liked it", plan.Outline{}, ""},
		"talk":                 {"looks good to me", plan.Outline{}, ""},
		"talk about removing":  {"remove the second one please", plan.Outline{}, ""},
		"too far":              {"7. stop", plan.Outline{}, ""},
		"step 0":               {"0. stop", plan.Outline{}, ""},
		"a gap":                {"5. stop\n7. go", plan.Outline{}, ""},
		"remove what is not":   {"remove 9", plan.Outline{}, ""},
		"remove everything":    {"remove 1, 2, 3 and 4", plan.Outline{}, ""},
		"add after nothing":    {"add after 9: stop", plan.Outline{}, ""},
		"number without words": {"2.", plan.Outline{}, ""},
		"decimal":              {"2.5 is too much", plan.Outline{}, ""},
		"a clock":              {"2:30 works for me", plan.Outline{}, ""},
		"talk, then a step":    {"sorry\n2. ask @y", plan.Outline{}, ""},
		"empty":                {"  ", plan.Outline{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := before()
			got, words, ok := o.Edit(tt.text)
			if diff := cmp.Diff(before(), o); diff != "" {
				t.Errorf("the outline itself was changed:\n%s", diff)
			}
			if len(tt.want.Lines) == 0 {
				if ok {
					t.Errorf("taken as an edit: %s", words)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); !ok || diff != "" {
				t.Errorf("edit %v, -want +got:\n%s", ok, diff)
			}
			if words != tt.words {
				t.Errorf("said %q, want %q", words, tt.words)
			}
		})
	}
}

// "Go to 4" means a step, not a number: it follows when steps move.
func TestEditMovesJumps(t *testing.T) {
	t.Parallel()
	o := outline("", "get it", "if it is late go to 4", "pay it", "if it is odd go back to step 1")
	got, _, ok := o.Edit("add after 2: go to 3")
	want := outline("", "get it", "if it is late go to 5", "go to 3", "pay it", "if it is odd go back to step 1")
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("after an insertion (-want +got):\n%s", diff)
	}
	got, _, ok = o.Edit("remove 1")
	want = outline("", "if it is late go to 3", "pay it", "if it is odd go back to step 0")
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("after a removal (-want +got):\n%s", diff)
	}
	p := plan.Build(got, plan.Options{Tools: catalogue(t, "shop")})
	if !p.Blocked() {
		t.Error("a jump to a step that is gone can be approved")
	}
}
