package slacksim_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"

	"sluice/bot/slacksim"
)

// nextMessage waits for a message event.
func (a *app) nextMessage(t *testing.T) *slackevents.MessageEvent {
	t.Helper()
	for {
		e := a.next(t, socketmode.EventTypeEventsAPI).Data.(slackevents.EventsAPIEvent)
		if m, ok := e.InnerEvent.Data.(*slackevents.MessageEvent); ok {
			return m
		}
	}
}

// silent acks nothing.
func silent(*socketmode.Client, socketmode.Event) {}

func TestEventsWithoutAckAreRetriedOnScheduleThenGivenUp(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) { o.AckTimeout = 30 * time.Millisecond })
	a := w.connect(silent)
	w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "hello"})
	first := a.next(t, socketmode.EventTypeEventsAPI)
	again := a.next(t, socketmode.EventTypeEventsAPI) // at once
	if first.Request.RetryAttempt != 0 || again.Request.RetryAttempt != 1 || again.Request.RetryReason != "timeout" {
		t.Errorf("attempts %d and %d (%s)", first.Request.RetryAttempt, again.Request.RetryAttempt, again.Request.RetryReason)
	}
	if id, was := eventID(again), eventID(first); id != was || again.Request.EnvelopeID == first.Request.EnvelopeID {
		t.Errorf("a retry is the same event %s in a new envelope, got %s", was, id)
	}
	w.post("clock", map[string]any{"advance": "1m"})
	if e := a.next(t, socketmode.EventTypeEventsAPI); e.Request.RetryAttempt != 2 {
		t.Errorf("after a minute attempt %d", e.Request.RetryAttempt)
	}
	w.post("clock", map[string]any{"advance": "5m"})
	if e := a.next(t, socketmode.EventTypeEventsAPI); e.Request.RetryAttempt != 3 {
		t.Errorf("after five minutes attempt %d", e.Request.RetryAttempt)
	}
	w.post("disconnect", map[string]any{"hard": true})
	w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "anybody?"})
	if e := a.next(t, socketmode.EventTypeEventsAPI); e.Request.RetryAttempt != 0 || eventID(e) == eventID(first) {
		t.Errorf("the event that was given up came again as attempt %d", e.Request.RetryAttempt)
	}
}

func eventID(e socketmode.Event) string {
	return e.Data.(slackevents.EventsAPIEvent).Data.(*slackevents.EventsAPICallbackEvent).EventID
}

func TestEventsWaitForTheApp(t *testing.T) {
	t.Parallel()
	w := open(t)
	sent := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "anybody there?"})
	a := w.connect(nil)
	if m := a.nextMessage(t); m.TimeStamp != sent.TS {
		t.Errorf("heard %+v", m)
	}
}

func TestEventsThatALostSocketHeldComeAgain(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) { o.AckTimeout = time.Minute })
	var acking atomic.Bool
	a := w.connect(func(c *socketmode.Client, e socketmode.Event) {
		if acking.Load() {
			_ = c.Ack(*e.Request)
		}
	})
	sent := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "hello"})
	a.nextMessage(t)
	acking.Store(true)
	w.post("disconnect", map[string]any{"hard": true})
	if m := a.nextMessage(t); m.TimeStamp != sent.TS {
		t.Errorf("heard %+v", m)
	}
}

func TestOneSocketOfTwoGetsEachEvent(t *testing.T) {
	t.Parallel()
	w := open(t)
	var heard [2]atomic.Int32
	for i := range heard {
		w.connect(func(c *socketmode.Client, e socketmode.Event) {
			_ = c.Ack(*e.Request)
			if e.Type == socketmode.EventTypeSlashCommand {
				heard[i].Add(1)
			}
		})
	}
	w.untilConnected(2)
	for range 10 {
		w.post("command", map[string]any{"user": "ana", "channel": "support", "command": "/flow", "text": "help"})
	}
	if a, b := heard[0].Load(), heard[1].Load(); a+b != 10 || a == 0 || b == 0 {
		t.Errorf("the sockets heard %d and %d of 10", a, b)
	}
}

func TestElevenSocketsAreTooMany(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 10 {
		w.dial(t)
	}
	w.untilConnected(10)
	kind, reason := w.dial(t)
	if kind != "disconnect" || reason != "too_many_websockets" {
		t.Errorf("the eleventh socket was told %s %s", kind, reason)
	}
}

func TestATicketOpensOneSocket(t *testing.T) {
	t.Parallel()
	w := open(t)
	_, address, err := w.api.StartSocketModeContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.dialAt(t, address)
	resp, err := http.Get("http" + address[len("ws"):])
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("a used ticket was answered %d", resp.StatusCode)
	}
	if _, _, err := slack.New("xoxb-dev", slack.OptionAPIURL(w.http.URL+"/api/"),
		slack.OptionAppLevelToken("xapp-wrong")).StartSocketModeContext(t.Context()); !isError(err, "invalid_auth") {
		t.Errorf("a wrong app token was answered %v", err)
	}
}

func TestPingsAreSent(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) { o.PingEvery = 5 * time.Millisecond })
	_, address, err := w.api.StartSocketModeContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pings := make(chan struct{}, 100)
	ws, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{
		OnPingReceived: func(context.Context, []byte) bool { pings <- struct{}{}; return true },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.CloseNow() })
	go func() {
		for { // pings are answered while somebody reads
			if _, _, err := ws.Read(t.Context()); err != nil {
				return
			}
		}
	}()
	for range 3 {
		select {
		case <-pings:
		case <-time.After(20 * time.Second):
			t.Fatal("no ping came")
		}
	}
}

func TestSocketsOfDebuggingClientsEndAfterSixMinutes(t *testing.T) {
	t.Parallel()
	w := open(t)
	_, address, err := w.api.StartSocketModeContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ws, _, err := websocket.Dial(t.Context(), address+"&debug_reconnects=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	for _, want := range []string{`"type":"hello"`, `"reason":"refresh_requested"`} {
		_, raw, err := ws.Read(t.Context())
		if err != nil || !strings.Contains(string(raw), want) {
			t.Fatalf("the socket said %s, %v; want %s", raw, err, want)
		}
		w.post("clock", map[string]any{"advance": "6m1s"})
	}
}
