package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestNoWordsOfADescriptionAreDropped puts words that nobody has thought of into each example of the phrasebook: what a draft does, or asks, has
// them; or the draft cannot be made.
func TestNoWordsOfADescriptionAreDropped(t *testing.T) {
	t.Parallel()
	others := []string{
		"the label has to be blue", "only for blue ones", "unless it is blue", "but not the blue ones", "within 5 blue days", "with a blue ribbon", "for blue customers", "(blue only)",
		"by the blue deadline", "except on blue days", "after the blue meeting", "and blue too", "without blue", "as soon as blue", "- blue list", "every blue day", "instead of blue", "use the blue one",
	}
	w := plannertest.World()
	n := 0
	book := outline.Phrasebook()
	book[0].Lines = append(book[0].Lines,
		"every Monday at 9, say in #ops: write the report", "every Monday at 9, pack the orders - @ana", "when someone posts in #ops, @ana: write the draft",
		"ask @bob for the numbers, he has until noon. If he does not answer by then ask @ana", "1. get the order\n2. if the amount is over 100, ask @bob\n3. refund it",
	)
	for _, section := range book {
		for _, example := range section.Lines {
			for _, other := range others {
				for _, text := range []string{example + ", " + other, example + ". " + other, behindFirst(example, other)} {
					if n++; n%4 > 0 { // a part of all, for the time that they take
						continue
					}
					if shown := draftOf(text, w); shown != "" && !strings.Contains(shown, "blue") {
						t.Errorf("%q drops what is blue:\n%s", text, shown)
					}
				}
			}
		}
	}
}

// behindFirst puts words behind the first part of others, which ends at a sign.
func behindFirst(words, more string) string {
	at := max(strings.IndexAny(words, ",:"), 0)
	return words[:at] + " " + more + words[at:]
}

// draftOf is what people see of the draft of a description; "" = there is none, or not all of it yet. A name behind what starts the flow is none.
func draftOf(text string, w env.World) string {
	tr, ok := outline.Read(text, "U1", planner.People(text, w)...)
	if !ok {
		return ""
	}
	p := planner.Plan(tr, w)
	var out strings.Builder
	if p.Flow != nil {
		for _, l := range readback.Lines(p.Flow, w.Tools, p.NodeNumbers()) {
			out.WriteString(l.Text + "\n")
		}
	}
	for _, q := range p.Questions {
		if q.Kind == "condition" { // nothing is asked yet about the steps behind it
			return ""
		}
		fmt.Fprintln(&out, q.Text)
		for _, l := range q.Lines {
			fmt.Fprintln(&out, l)
		}
	}
	if len(p.Tree.Triggers) == 0 {
		out.WriteString(strings.ReplaceAll(p.Tree.Name, "-", " "))
	}
	return strings.ToLower(out.String())
}
