package opening_test

import (
	"testing"

	"sluice/engine/planner/opening"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// TestItem takes what stands before the steps off a description, and leaves the steps.
func TestItem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, name, cron, event, rest string }{
		{"every day at 9 tell #ops hello", "", "0 9 * * *", "", "tell #ops hello"},
		{"First working day of the month, 8am: tell #ops hello", "", "0 8 * * W#1", "", "tell #ops hello"},
		{"every Friday, 8:30, tell #ops hello", "", "30 8 * * 5", "", "tell #ops hello"},
		{"every Friday, 8 of us tell #ops hello", "", "0 9 * * 5", "", "8 of us tell #ops hello"},
		{"tell #ops hello every day at 9", "", "0 9 * * *", "", "tell #ops hello"},
		{"please create a refund workflow that tells #ops hello", "refund", "", "", "tells #ops hello"},
		{"refund: when an order arrives, tell #ops hello", "refund", "", "when an order arrives", "tell #ops hello"},
		{"a customer wants a refund: tell #ops hello", "", "", "a customer wants a refund", "tell #ops hello"},
		{"@ana files the report", "", "", "", "@ana files the report"},
		{"A new row kicks off the process. Tell #ops hello", "", "", "A new row kicks off the process", ""},
		{"The alarm fires at the door. Tell #ops hello", "", "", "The alarm fires at the door", ""},
		{"The manager fires the clerk. Tell #ops hello", "", "", "", "The manager fires the clerk"},
		{"The second bot gets orders by webhook, tells #ops hello", "", "", "The second bot gets orders by webhook", "tells #ops hello"},
		{"Watch the inbox for bills, then tell #ops hello", "", "", "Watch the inbox for bills", "then tell #ops hello"},
		{"The bot monitors #ops and tells #team hello", "", "", "The bot monitors #ops", "and tells #team hello"},
		{"Watch the oven for 30 minutes, then tell #ops hello", "", "", "", "Watch the oven for 30 minutes, then tell #ops hello"},
		{"@ana watches the inbox for bills. Tell #ops hello", "", "", "", "@ana watches the inbox for bills"},
		{"Monitor the oven until it is hot, then tell #ops hello", "", "", "", "Monitor the oven until it is hot, then tell #ops hello"},
		{"Trigger: new row in the sheet -> tell #ops hello", "", "", "new row in the sheet", "tell #ops hello"},
		{"Start: check the oven -> tell #ops hello", "start", "", "", "check the oven"},
		{"A timer fires every hour. Tell #ops hello", "", "0 * * * *", "", ""},
		{"A nightly timer checks the oven. Tell #ops hello", "", "", "A nightly timer", "checks the oven"},
		{"The process starts when a guest calls. Tell #ops hello", "", "", "The process starts when a guest calls", ""},
		{"It is triggered by a call. Tell #ops hello", "", "", "It is triggered by a call", ""},
		{"Start with a form. Tell #ops hello", "", "", "", "Start with a form"},
		{"Guests can request a towel at the desk. Tell #ops hello", "", "", "Guests can request a towel at the desk", ""},
		{"Towels are requested with a slip. Tell #ops hello", "", "", "Towels are requested with a slip", ""},
		{"To get a towel, please fill in the slip form and give it to us. Tell #ops hello", "", "", "To get a towel, please fill in the slip form and give it to us", ""},
		{"To heat the oven, use gas and tell #ops hello", "", "", "", "To heat the oven, use gas and tell #ops hello"},
		{"Create a bot that: tells #ops hello", "", "", "", "tells #ops hello"},
		{"Create a service ticket. Tell #ops hello", "", "", "", "Create a service ticket"},
	} {
		tr := &tree.Tree{Texts: []tree.Text{{Words: c.text}}}
		text := values.Source{Src: c.text}
		h := opening.New(tr, text, func(string) {})
		toks := phrase.Scan(c.text, 0, len(c.text))
		h.Whole(toks)
		items := phrase.Arrange(toks)
		h.Item(items, 0)
		var g tree.Trigger
		if len(tr.Triggers) > 0 {
			g = tr.Triggers[0]
		}
		event := g.Words
		if g.Cron != "" {
			event = ""
		}
		if rest := text.Words(phrase.Trim(items[0].Toks)); tr.Name != c.name || g.Cron != c.cron || event != c.event || rest != c.rest {
			t.Errorf("%q: name %q, schedule %q, event %q, rest %q", c.text, tr.Name, g.Cron, event, rest)
		}
	}
}
