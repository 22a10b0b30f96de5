package planner

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
)

// TestRulesIn finds rules in texts, and none in texts that only tell something.
func TestRulesIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Every 2 hours that it is down":               {"Every 2 hours"},
		"which day, 3 of them have to agree":          {"3 of them have to agree"},
		"is it good, everybody must approve":          {"everybody must approve"},
		"send the list, by monday":                    {"by monday"},
		"close the window unless it is warm, please":  {"unless it is warm"},
		"call the bank, if nobody replies call again": {"if nobody replies call again"},
		"a day before the start date":                 {"a day before"},
		"on their first day":                          {"on their first day"},
		"the keys are ready 2 days before they come":  {"2 days before they come"},
		"the day before was fine":                     {"the day before"},
		"the order came 2 days after it was due":      nil,
		"we meet on the first day":                    nil,
		"he said “not unless it rains”":               nil,
		"the meeting is at 9am on friday":             nil,
		"the shop is open until 6pm":                  nil,
		"every order has been shipped":                nil,
		"ÄÖ Ünless":                                   nil,
		"":                                            nil,
	} {
		if diff := cmp.Diff(want, rulesIn(text, ruleForms)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestRuleAnswers settles a rule in the text of a message in each way: it stays, it goes, or the text is another one.
func TestRuleAnswers(t *testing.T) {
	t.Parallel()
	const words = "tell @bob to water the plants, but not on holidays"
	w := env.World{Author: "@ann", Channel: "#team"}
	for _, c := range []struct{ option, value, text string }{
		{optWords, "", "please water the plants, but not on holidays"},
		{optLeave, "", "please water the plants"},
		{"", "water the plants on working days", "water the plants on working days"},
	} {
		tr, ok := outline.Read(words, "U1")
		if !ok {
			t.Fatal("not read")
		}
		p := Plan(tr, w)
		i := slices.IndexFunc(p.Questions, func(q Question) bool { return q.Kind == "rule" })
		if i < 0 {
			t.Fatalf("no question about the rule: %v", p.Questions)
		}
		next, err := Answer(p.Tree, w, p.Questions[i].ID, c.option, c.value, "U1")
		if err != nil {
			t.Fatal(err)
		}
		p = Plan(next, w)
		if len(p.Questions) > 0 {
			t.Errorf("%s: it still asks %s", c.option, p.Questions[0].Text)
		}
		if got := p.Tree.Steps[0].Text; got != c.text {
			t.Errorf("%s: %q, want %q", c.option, got, c.text)
		}
	}
}
