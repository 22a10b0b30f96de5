package english

import "testing"

// TestInquiry asks in good English, and in the same words where it cannot tell the subject.
func TestInquiry(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"if the office is open":                        "is the office open?",
		"whether the customer has paid":                "has the customer paid?",
		"whether he has time on Friday":                "please say whether he has time on Friday.",
		"if we can order it":                           "can we order it?",
		"if there is enough money":                     "is there enough money?",
		"whether @bob is in":                           "is @bob in?",
		"if the office is not open":                    "please say whether the office is not open.",
		"if he thinks it is fine":                      "please say whether he thinks it is fine.",
		"whether The delivery date is right":           "is the delivery date right?",
		"whether they agree and can come":              "please say whether they agree and can come.",
		"how many chairs we need":                      "please say how many chairs we need.",
		"how many people are coming":                   "how many people are coming?",
		"what do we need":                              "what do we need?",
		"what the budget is":                           "please say what the budget is.",
		"who is on call":                               "who is on call?",
		"when Bob can come":                            "please say when Bob can come.",
		"what":                                         "what?",
		"please say what we need":                      "please say what we need.",
		"the colour":                                   "the colour?",
		"if I can go":                                  "please say whether I can go.",
		"if":                                           "if?",
		"whether the people that we have are on board": "please say whether the people that we have are on board.",
	} {
		if got := Inquiry(words); got != want {
			t.Errorf("%q: %q, not %q", words, got, want)
		}
	}
}
