package bot

import (
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/request"
)

// TestFindShowsWhatTheAskerMaySee: by name, title, input and id; nothing of flows and runs that are hidden, and no sensitive input.
func TestFindShowsWhatTheAskerMaySee(t *testing.T) {
	t.Parallel()
	w := operated(t)
	d := w.written("ana", `
name: payroll
description: Pays the salaries of Everest
inputs: {iban: {type: string, required: true, sensitive: true}, month: {type: string, required: true}}
flow:
  entry: tell
  nodes:
    - {id: tell, type: say, message: "it is there", routes: [{to: end}]}
`)
	w.click("ana", "draft.approve", draft.Value(d))
	w.command("bob", "run payroll iban=DE-SECRET-77 month=march")
	r, err := w.store.RunByName(t.Context(), "refund-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ user, words, has string }{
		{"fin", "refund", "*refund*  version 1"},
		{"fin", "refund", "*refund-1*"},
		{"fin", "a-1", "*refund-1*"},
		{"bob", "everest salaries", "*payroll*  version 1: Pays the salaries"},
		{"fin", "march", "*payroll-1*"},
		{"fin", r.ID, "*refund-1*"},
		{"fin", r.ID[:len(r.ID)-1], "*refund-1*"},
		{"fin", r.ID[len(r.ID)-6:], "Nothing that you may see"},
		{"fin", "a-1 march", "Nothing that you may see"},
		{"fin", "SECRET-77", "Nothing that you may see"},
		{"eve", "refund", "Nothing that you may see"},
		{"eve", "a-1", "Nothing that you may see"},
		{"eve", "everest", "Nothing that you may see"},
		{"fin", "", "Which words?"},
	} {
		got := w.command(c.user, "find "+c.words)
		if !strings.Contains(got, c.has) {
			t.Errorf("%s finds by %q:\n%s", c.user, c.words, got)
		}
	}
	if got := said(w.hear(request.Incoming{Kind: request.KindMention, User: "fin", Text: "search refund-1"})); !strings.Contains(got, "*refund-1*") {
		t.Errorf("in everyday words:\n%s", got)
	}
}
