package readback

import (
	"testing"

	"sluice/engine/flow"
)

// TestMessagesThatStart: a pattern that each message fits is not shown.
func TestMessagesThatStart(t *testing.T) {
	t.Parallel()
	for match, want := range map[string]string{
		"":             "Every message in #support starts it.",
		`\S`:           "Every message in #support starts it.",
		`(?i)\brefund`: "A message in #support that says “refund” starts it.",
		`(?i)(?:^|[^\pL\pN])(?:help|a\|b)(?:[^\pL\pN]|$)`: "A message in #support that says “help” or “a|b” starts it.",
		`^[0-9]+$`: "A message in #support that fits “^[0-9]+$” starts it.",
	} {
		if got := triggerWords(flow.Trigger{Message: &flow.MessageTrigger{Channel: "#support", Match: match}}); got != want {
			t.Errorf("%q is told as %q, want %q", match, got, want)
		}
	}
}
