package direct_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/planner/change"
	"sluice/engine/planner/direct"
)

func small() *flow.Flow {
	return &flow.Flow{
		Name: "small", Entry: "ask", Nodes: []flow.Node{
			{ID: "ask", Name: "Ask", Kind: flow.KindAsk, Spec: &flow.AskSpec{Message: "How many days?"}, Routes: []flow.Route{{To: "say"}}},
			{ID: "say", Name: "Say", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "So many days."}},
		},
	}
}

func ExampleApply() {
	next, err := direct.Apply(small(), map[string]string{"ask": "1", "say": "2"}, "1 should ask: How many weeks?")
	fmt.Println(next.Said, err)
	fmt.Println(next.Flows[0].Node("ask").Spec.(*flow.AskSpec).Message)
	// Output:
	// The message of step 1 is “How many weeks?”. <nil>
	// How many weeks?
}

// TestRefusals: words that are no change of a step, and changes that cannot be made.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"make it nicer":               "change nothing",
		"thanks":                      "change nothing",
		"change days to weeks":        "Several steps have “days”",
		"change hours to weeks":       "change nothing",
		"remove 7":                    "There is no step 7.",
		"2 goes to @ana":              "change nothing",
		"rename the moon to the sun":  "change nothing",
		"in step 9 change days to x":  "There is no step 9",
		"set the colour of 1 to blue": "change nothing",
	} {
		next, err := direct.Apply(small(), map[string]string{"ask": "1", "say": "2"}, words)
		var why *change.Error
		if !errors.As(err, &why) && !errors.Is(err, change.ErrNone) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %+v", words, err, next)
		}
	}
}

// FuzzApply reads anything: the flow stays as it was, and what comes out can be stored.
func FuzzApply(f *testing.F) {
	for _, words := range []string{"rename 1 to x", "remove Ask", "add after 1: ask for approval: so?", "in 2 change days to $1", "set message of 2 to {{", "1: ", "before say: x"} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		was := small()
		next, err := direct.Apply(was, map[string]string{"ask": "1", "say": "2"}, words)
		if flow.Hash(was) != flow.Hash(small()) {
			t.Fatalf("%q changed the flow itself", words)
		}
		if err == nil && (len(next.Flows) == 0 || next.Said == "") {
			t.Fatalf("%q changes nothing", words)
		}
		for _, f := range next.Flows {
			if _, err := flow.FromJSON(flow.Canonical(f)); err != nil {
				t.Fatalf("%q: %v", words, err)
			}
		}
	})
}
