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
			for i, other := range others {
				if n++; n%3 > 0 { // a part of all pairs, for the time that they take
					continue
				}
				words := strings.Fields(example)
				at := len(words)
				switch i % 3 {
				case 0: // behind a sign, if there is one
					for k, word := range words[:len(words)-1] {
						if strings.HasSuffix(word, ",") || strings.HasSuffix(word, ":") {
							at = k + 1
							words[k] = strings.TrimRight(word, ",:")
							other += word[len(word)-1:]
							break
						}
					}
				case 1:
					words[at-1] += ","
				default:
					words[at-1] += "."
				}
				text := strings.Join(append(append(append([]string{}, words[:at]...), other), words[at:]...), " ")
				if shown := draftOf(text, w); shown != "" && !strings.Contains(shown, "blue") {
					t.Errorf("%q drops what is blue:\n%s", text, shown)
				}
			}
		}
	}
}

// draftOf is what people see of the draft of a description; "" = there is none.
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
		fmt.Fprintln(&out, q.Text)
		for _, l := range q.Lines {
			fmt.Fprintln(&out, l)
		}
	}
	return strings.ToLower(out.String())
}
