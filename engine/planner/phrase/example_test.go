package phrase_test

import (
	"fmt"
	"testing"

	"sluice/engine/planner/phrase"
)

func scan(text string) []phrase.Token { return phrase.Scan(text, 0, len(text)) }

func ExampleWhole() {
	const pattern = "ask|get {who} to approve [on] {text?}"
	m, ok := phrase.Whole(pattern, scan("ask @finance to approve the refund"))
	fmt.Println(ok, phrase.Lows(m.Slots["text"]), len(m.Names))
	_, ok = phrase.Whole(pattern, scan("tell @finance to approve"))
	fmt.Println(ok)
	// Output:
	// true the refund 1
	// false
}

func ExampleReadTerm() {
	fmt.Println(phrase.ReadTerm(scan("2 working days after that")))
	fmt.Println(phrase.ReadClock(scan("8:30 on Monday")))
	// Output:
	// 2 working days 3
	// 8 30 1
}

// TestSentencesKeepEveryToken: the sentences of a text are its tokens in their order, without signs between them.
func TestSentencesKeepEveryToken(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Get the order. Tell #shop!", "Wait 2.5 hours, e.g. at night. Then ask @ana", "one", "", "Send it to a.b@example.com. Done."} {
		at := -1
		for _, s := range phrase.Sentences(scan(text)) {
			for _, tok := range s {
				if tok.From <= at || text[tok.From:tok.To] == "" {
					t.Errorf("%q: the token %q stands at %d, behind %d", text, tok.Text, tok.From, at)
				}
				at = tok.From
			}
		}
	}
}
