package phrase

import (
	"strings"
	"testing"
)

// TestCorrections finds what an author takes back, and nothing that only has the same words.
func TestCorrections(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"he is free on Tuesday, sorry, I mean Wednesday": "sorry, I mean Wednesday",
		"bring 20, no, 30 chairs. thanks":                "no, 30 chairs",
		"buy milk or rather oat milk":                    "or rather oat milk",
		"every Monday, actually every Tuesday, pay":      "actually every Tuesday, pay",
		"we paid in May, correction, in June":            "correction, in June",
		"yes, no, later":                                 "",
		"if there is an answer, no answer, or none":      "",
		"we are closed, sorry for that":                  "",
		"he came, actually he ran":                       "",
		`say "Monday, sorry, I mean Tuesday" to @bob`:    "",
		"we are closed, sorry":                           "",
	} {
		var found []string
		for _, c := range Corrections(Scan(words, 0, len(words))) {
			found = append(found, words[c[0].From:c[len(c)-1].To])
		}
		if got := strings.Join(found, "; "); got != want {
			t.Errorf("%q: %q, not %q", words, got, want)
		}
	}
}
