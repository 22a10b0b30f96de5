package planner_test

import (
	"errors"
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestTypedTextThatNamesValues takes typed words of a message that name answers of steps before as these, and refuses words that only point at some.
func TestTypedTextThatNamesValues(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	form := `ask @bob for open tickets and refunds. ask @fin for the top complaint. tell #team both`
	text := `ask @bob what is missing. tell #team what he wrote`
	for _, c := range []struct{ words, answer, want string }{
		{form, "the open tickets, refunds and top complaint of bob and fin", "Tell #team: [open tickets], [refunds] and [top complaint] of bob and fin."},
		{form, "both are the refunds and the top complaint", "Tell #team: [refunds] and [top complaint]."},
		{form, "top complaint", "Tell #team: [top complaint]."},
		{form, "the answers of bob and fin", "refused"},
		{form, "both answers", "refused"},
		{form, "what they said", "refused"},
		{form, `"the answers of bob and fin"`, "Tell #team: the answers of bob and fin."},
		{form, "Hello, we are done", "Tell #team: Hello, we are done."},
		{text, "what he wrote is bob's answer about what is missing", "Tell #team: [the answer in 1] about what is missing."},
		{text, "the answer of @bob", "Tell #team: [the answer in 1]."},
		{text, "Your parcel is on its way", "Tell #team: Your parcel is on its way."},
		{`tell #team what he wrote`, "the weekly numbers", "Tell #team: the weekly numbers."},
		{text, "ask @fin to answer within 4 hours", "refused"},
		{text, "if it is late tell #ops", "refused"},
		{text, `"ask @fin to answer"`, "Tell #team: ask @fin to answer."},
		{text, "please ask at the desk for the key", "Tell #team: please ask at the desk for the key."},
	} {
		p := readPlan(t, c.words, w)
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "", c.answer, "U1")
		if why, is := errors.AsType[*planner.AnswerError](err); is {
			if c.want != "refused" || !strings.Contains(why.Text, "quotation marks") {
				t.Errorf("%q is refused: %v", c.answer, err)
			}
			continue
		}
		p = planner.Plan(next, w)
		lines := readback.Lines(p.Flow, w.Tools, p.NodeNumbers())
		if got := lines[len(lines)-1].Text; got != c.want {
			t.Errorf("%q gives %q, not %q", c.answer, got, c.want)
		}
	}
}
