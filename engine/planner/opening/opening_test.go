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
