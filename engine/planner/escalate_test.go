package planner_test

import (
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestEscalate asks what "escalate to @cfo" wants where nothing is there to approve, and does what the answer says.
func TestEscalate(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for option, want := range map[string]string{
		"tell":    "Tell @cfo: [name of the run]: “the door is open”: [the answer in 1]. [the note with the answer, if any].",
		"approve": "Ask @cfo (approve, reject): approve? Approve: the run ends; reject: the run ends and tells the requester.",
	} {
		tr, ok := outline.Read("ask @bob whether the door is open. If yes, escalate to @cfo", "U1")
		if !ok {
			t.Fatal("the words are not read")
		}
		p := planner.Plan(tr, w)
		if len(p.Questions) != 1 || p.Questions[0].Text != "What should @cfo do?" {
			t.Fatalf("the questions are %v", p.Questions)
		}
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, option, "", "U1")
		if err != nil {
			t.Fatal(err)
		}
		p = planner.Plan(next, w)
		lines := readback.Lines(p.Flow, w.Tools, nil)
		if len(p.Questions) > 0 || lines[1].Text != want {
			t.Errorf("%s: the draft asks %v and reads %q, not %q", option, p.Questions, lines[1].Text, want)
		}
	}
}
