package change

import (
	"strings"
	"testing"

	"sluice/engine/planner/outline"
)

func TestTheNearestFormsComeFirst(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"if step 4 breaks tell @bob quickly":      "if step 1 fails tell @name",
		"please swap @fin with @eve in all steps": "swap @ana and @bob",
		"nudge them hourly after 2":               "remind them after 4 hours",
		"they have till noon tomorrow":            "@name has 2 days to answer",
		"bob is in charge of approving now":       "both @name and @other must approve",
		"run it at night and not on fridays":      "also on Fridays",
		"the ceiling goes up a bit, over 200":     "make it 300 instead of 100",
		"":                                        "3. new words of the step",
		"bother him less often":                   "3. new words of the step",
	} {
		got := Nearest(text, 5)
		if len(got) == 0 || len(got) > 5 || got[0] != want {
			t.Errorf("%q: %q, want %q first", text, got, want)
		}
	}
	for _, form := range useful {
		if !strings.Contains(Forms, form) {
			t.Errorf("%q is none of the forms", form)
		}
	}
}

// TestRecalls: an answer that has words of another part of the draft may be about that part.
func TestRecalls(t *testing.T) {
	t.Parallel()
	base, _ := outline.Read("every Monday at 9: ask @ana to collect the invoices, pay the invoices", "U1")
	for text, want := range map[string]bool{"tuesday not monday": true, "frank collects them": true, "4711": false, "in 2 days": true, "so much": false} {
		if Recalls(base, text) != want {
			t.Errorf("%q: it recalls another part: %v", text, !want)
		}
	}
}

// TestNearestInTheDraft: the words are offered with the number of the step that they are like, where they can be read so.
func TestNearestInTheDraft(t *testing.T) {
	t.Parallel()
	base, _ := outline.Read("1. get the order\n2. @bob hands over the keys\n3. ask @ana to approve", "U1")
	for text, want := range map[string]string{
		"bob hands over also the fuel card": "2. bob hands over also the fuel card",
		"@bob hands over keys, later":       "2. @bob hands over keys, later",
		"bother him less often":             "3. new words of the step",
	} {
		if got := NearestIn(base, text, 5, "bob"); got[0] != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for words, want := range map[string]string{
		"in step 2c, if rejected, stop": "There is no step 2c. There is 2 (“hands over the keys”).",
		"remove 9":                      "There is no step 9. The last one is step 3.",
	} {
		if _, _, err := Apply(base, words, "U1"); err == nil || err.Error() != want {
			t.Errorf("%q: %v", words, err)
		}
	}
}
