package draft

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/planner"
)

// TestQuestionsKeepTheirNumbers: a question has one number as long as it is asked, and no other one gets it, also after an answer.
func TestQuestionsKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	b := Body{Questions: []planner.Question{{ID: "a"}, {ID: "b"}}} // of an earlier release
	for _, step := range []struct{ open, want string }{
		{"a b c", "1a 2b 3c"},
		{"x b c", "2b 3c 4x"},
		{"a x c", "1a 3c 4x"}, // after an undo
		{"z", "5z"},
	} {
		var open []planner.Question
		for id := range strings.FieldsSeq(step.open) {
			open = append(open, planner.Question{ID: id})
		}
		b.Ask(open)
		var got []string
		for _, q := range b.Questions {
			got = append(got, fmt.Sprint(b.Number(q.ID), q.ID))
		}
		if strings.Join(got, " ") != step.want {
			t.Errorf("%s: %s, not %s", step.open, got, step.want)
		}
	}
	for text, want := range map[string]string{"question 5: hi there": "z hi there", "question 1: hi": " hi", "5: hi": " ", "question 12) hi": " hi"} {
		if q, answer := b.Named(text); q.ID+" "+answer != want {
			t.Errorf("%q: %q %q", text, q.ID, answer)
		}
	}
}
