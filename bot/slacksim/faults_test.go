package slacksim_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"sluice/bot/slacksim"
)

func (w *workspace) say(ctx context.Context, words string) error {
	_, _, err := w.api.PostMessageContext(ctx, w.id("support"), slack.MsgOptionText(words, true))
	return err
}

// said counts the messages in #support.
func (w *workspace) said() int { return len(w.get("state", "channel=support").Messages) }

func TestFaultsOfTheWebAPI(t *testing.T) {
	t.Parallel()
	w := open(t)
	fault := func(kind, after string) {
		w.post("fault", map[string]any{"target": "api", "method": "chat.postMessage", "kind": kind, "times": 1, "after": after})
	}
	ctx := t.Context()

	fault("429", "2000")
	limited, ok := errors.AsType[*slack.RateLimitedError](w.say(ctx, "one"))
	if !ok || limited.RetryAfter != 2*time.Second {
		t.Errorf("429: %+v", limited)
	}
	fault("500", "")
	if status, ok := errors.AsType[slack.StatusCodeError](w.say(ctx, "two")); !ok || status.Code != http.StatusInternalServerError {
		t.Errorf("500: %+v", status)
	}
	fault("drop", "")
	if err := w.say(ctx, "three"); err == nil {
		t.Error("a dropped call was answered")
	}
	if n := w.said(); n != 0 {
		t.Errorf("%d messages came through", n)
	}

	fault("drop", "after_act")
	if err := w.say(ctx, "four"); err == nil || w.said() != 1 {
		t.Errorf("a dropped answer: %v, %d messages", err, w.said())
	}
	fault("timeout", "after_act")
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if err := w.say(short, "five"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timeout: %v", err)
	}
	if n := w.said(); n != 2 {
		t.Errorf("the call that timed out left %d messages", n)
	}
	fault("duplicate", "")
	if err := w.say(ctx, "six"); err != nil || w.said() != 4 {
		t.Errorf("duplicate: %v, %d messages", err, w.said())
	}
	fault("delay", "30")
	if begin := time.Now(); w.say(ctx, "seven") != nil || time.Since(begin) < 30*time.Millisecond {
		t.Errorf("delay: answered after %v", time.Since(begin))
	}
	if err := w.say(ctx, "eight"); err != nil {
		t.Errorf("the faults are used up, but: %v", err)
	}
}

func TestHeldCallsGoOnAfterARelease(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.post("fault", map[string]any{"target": "api", "method": "chat.postMessage", "kind": "hold", "after": "after_act"})
	done := make(chan error, 1)
	go func() { done <- w.say(context.Background(), "held") }()
	w.until("support", func(m []message) bool { return contains(m, "held") })
	select {
	case err := <-done:
		t.Fatalf("a held call was answered: %v", err)
	default:
	}
	w.post("release", nil)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestFaultsOfTheSocket(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) { o.AckTimeout = 5 * time.Second })
	a := w.connect(nil)
	hello := func(kind, after string) {
		w.post("fault", map[string]any{"target": "socket", "method": "message", "kind": kind, "after": after})
		w.post("message", map[string]any{"user": "ana", "channel": "support", "text": kind})
	}
	// untilHeard reads messages until one with a text comes. What was on its way when a socket closed may come again before it.
	untilHeard := func(text string) {
		for m := a.nextMessage(t); m.Text != text; m = a.nextMessage(t) {
			if m.Text == "hold" {
				t.Errorf("a held event came before %s", text)
			}
		}
	}
	hello("duplicate", "")
	untilHeard("duplicate")
	untilHeard("duplicate")
	hello("drop", "")
	untilHeard("drop")
	hello("delay", "50")
	untilHeard("delay")
	hello("hold", "")
	w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "overtakes"})
	untilHeard("overtakes")
	w.post("release", nil)
	untilHeard("hold")
	w.post("disconnect", nil)
	a.next(t, socketmode.EventTypeHello)
	w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "after a polite disconnect"})
	for a.nextMessage(t).Text != "after a polite disconnect" {
		continue // the held event may come again
	}
}

func TestFaultsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	cases := map[string]struct {
		fault map[string]any
		says  string
	}{
		"no such target": {map[string]any{"target": "moon", "kind": "500"}, "use api, socket or shop"},
		"no such kind":   {map[string]any{"target": "socket", "kind": "429"}, "use timeout, drop, duplicate, delay, hold"},
		"no such moment": {map[string]any{"target": "api", "kind": "hold", "after": "tea"}, "before_act or after_act"},
		"in the shop":    {map[string]any{"target": "shop", "kind": "hold", "after": "tea"}, "before_booking, after_booking"},
	}
	for name, c := range cases {
		if a := w.try("fault", c.fault); a.Error != "invalid_fault" || !strings.Contains(a.Detail, c.says) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// refund posts to the shop through the workspace's own address.
func (w *workspace) refund(key string) (int, error) {
	r, err := http.NewRequest(http.MethodPost, w.http.URL+"/shop/refunds", strings.NewReader(`{"order_id":"A-1001"}`))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func TestTheShopIsHeldAroundTheBooking(t *testing.T) {
	t.Parallel()
	for moment, booked := range map[string]int{"before_booking": 0, "after_booking": 1} {
		t.Run(moment, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.post("fault", map[string]any{"target": "shop", "kind": "hold", "method": "POST", "path": "/refunds", "times": 1, "after": moment})
			done := make(chan int, 1)
			go func() {
				status, err := w.refund("k1")
				if err != nil {
					t.Error(err)
				}
				done <- status
			}()
			for len(w.get("shop", "").Arrivals) == 0 || len(w.get("shop", "").Bookings) < booked {
				continue // the request is on its way
			}
			if got := w.get("shop", ""); len(got.Bookings) != booked || got.Arrivals[0].Key != "k1" {
				t.Errorf("held: %+v", got)
			}
			w.post("release", nil)
			if status := <-done; status != http.StatusCreated {
				t.Errorf("answered %d", status)
			}
			if status, err := w.refund("k1"); err != nil || status != http.StatusCreated {
				t.Errorf("again: %d, %v", status, err)
			}
			if got := w.get("shop", ""); len(got.Arrivals) != 2 || len(got.Bookings) != 1 {
				t.Errorf("two arrivals, one key, one booking: %+v", got)
			}
		})
	}
}

// TestAShareOfCallsIsStruck: a fault in percent is spread evenly, and a refusal says what it was told to.
func TestAShareOfCallsIsStruck(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.post("fault", map[string]any{"target": "api", "method": "auth.test", "kind": "refuse", "error": "token_revoked", "percent": 25, "times": 1000})
	refused := 0
	for range 40 {
		if _, err := w.api.AuthTest(); err != nil {
			if err.Error() != "token_revoked" {
				t.Fatal(err)
			}
			refused++
		}
	}
	if refused != 10 {
		t.Errorf("%d of 40 calls were refused, want 10", refused)
	}
	w.post("heal", map[string]any{})
	for range 10 {
		if _, err := w.api.AuthTest(); err != nil {
			t.Fatal(err)
		}
	}
}
