package drafts

import (
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/engine/planner"
)

// Words that go back to the draft before are no courtesy and no change, and words that only begin alike do not go back.
func TestTravels(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"undo": "undo", "no wait, undo that": "undo", "Undo the last change, please": "undo", "take that back": "take that back", "redo": "redo", "please redo it": "redo",
		"undo step 2": "", "take it": "", "redo the report": "", "undo the refund": "",
	} {
		got := ""
		if m := travels.FindStringSubmatch(words); m != nil {
			got = strings.ToLower(m[1])
		}
		if got != want {
			t.Errorf("%q: %q, not %q", words, got, want)
		}
	}
	for words, want := range map[string]bool{"no": true, "thanks": true, "no deadline": false, "no approval": false, "ok great": true} {
		if courteous(words) != want {
			t.Errorf("%q: courteous is %v", words, !want)
		}
	}
}

// The label of an option answers its question, unless two questions on the card have it.
func TestChosen(t *testing.T) {
	t.Parallel()
	start := planner.Question{ID: "a", Options: []planner.Option{{ID: "start", Label: "Somebody starts it"}, {ID: "leave", Label: "Leave it out"}, {ID: "channel", Label: "A channel", Needs: "name"}}}
	other := planner.Question{ID: "b", Options: []planner.Option{{ID: "leave", Label: "Leave it out"}}}
	b := draft.Body{Questions: []planner.Question{start, other}}
	for words, want := range map[string]string{"somebody starts it.": "start", "leave it out": "", "a channel": "", "somebody": ""} {
		if _, got := b.Chosen(words); got != want {
			t.Errorf("%q: %q, not %q", words, got, want)
		}
	}
}
