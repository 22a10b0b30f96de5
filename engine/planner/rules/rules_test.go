package rules

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRulesIn finds rules in texts, and none in texts that only tell something.
func TestRulesIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Every 2 hours that it is down":               {"Every 2 hours"},
		"which day, 3 of them have to agree":          {"3 of them have to agree"},
		"is it good, everybody must approve":          {"everybody must approve"},
		"send the list, by monday":                    {"by monday"},
		"close the window unless it is warm, please":  {"unless it is warm"},
		"call the bank, if nobody replies call again": {"if nobody replies call again"},
		"a day before the start date":                 {"a day before"},
		"on their first day":                          {"on their first day"},
		"the keys are ready 2 days before they come":  {"2 days before they come"},
		"the day before was fine":                     {"the day before"},
		"the order came 2 days after it was due":      nil,
		"we meet on the first day":                    nil,
		"he said “not unless it rains”":               nil,
		"the meeting is at 9am on friday":             nil,
		"the shop is open until 6pm":                  nil,
		"every order has been shipped":                nil,
		"ÄÖ Ünless":                                   nil,
		"":                                            nil,
	} {
		if diff := cmp.Diff(want, In(text, Message)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
