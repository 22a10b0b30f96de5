package slacksim_test

import (
	"errors"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"sluice/bot/slacksim"
)

// New messages are counted by channel; what was refused is counted apart and has not happened.
func TestMoreThanSlackAllowsIsRefused(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) { o.Limits = 1 })
	const most = 15
	refused := 0
	for range most + 5 {
		err := w.say(t.Context(), "hello")
		if limited, ok := errors.AsType[*slack.RateLimitedError](err); ok && limited.RetryAfter == time.Second {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n := w.said(); refused == 0 || n != most+5-refused {
		t.Errorf("%d of %d messages were refused, %d are there", refused, most+5, n)
	}
	if _, _, err := w.api.PostMessage(w.id("general"), slack.MsgOptionText("elsewhere", true)); err != nil {
		t.Errorf("another channel: %v", err)
	}
	a := w.get("calls", "")
	if a.Exceeded["chat.postMessage"] != refused || a.Allowed["chat.postMessage"] != most+6-refused {
		t.Errorf("counted: %v beyond, %v within", a.Exceeded, a.Allowed)
	}
	w.post("limits", map[string]any{"times": 0})
	for range most + 5 {
		if err := w.say(t.Context(), "no limits"); err != nil {
			t.Fatal(err)
		}
	}
}
