package slacksim_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"sluice/bot/slacksim"
	"sluice/examples/shop"
)

// workspace is a small Slack that is served, with the app's own client beside it.
type workspace struct {
	t    *testing.T
	sim  *slacksim.Server
	http *httptest.Server
	api  *slack.Client
}

// open serves a workspace; edit may change its options.
func open(t *testing.T, edit ...func(*slacksim.Options)) *workspace {
	t.Helper()
	books, err := shop.New(shop.Options{})
	if err != nil {
		t.Fatal(err)
	}
	options := slacksim.Options{Shop: books, FileDelay: 50 * time.Millisecond}
	for _, e := range edit {
		e(&options)
	}
	sim, err := slacksim.New(options)
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{t: t, sim: sim, http: httptest.NewServer(sim.Handler())}
	sim.SetBaseURL(w.http.URL)
	w.api = slack.New("xoxb-dev", slack.OptionAPIURL(w.http.URL+"/api/"), slack.OptionAppLevelToken("xapp-dev"))
	t.Cleanup(w.close)
	return w
}

func (w *workspace) close() {
	if err := w.sim.Close(); err != nil {
		w.t.Error(err)
	}
	w.http.CloseClientConnections()
	w.http.Close()
}

// answer is what the control API says.
type answer struct {
	Allowed, Exceeded map[string]int // calls by method, of GET calls
	Struck            map[string]int // of GET plan
	OK                bool           `json:"ok"`
	Error             string         `json:"error"`
	Detail            string         `json:"detail"`
	Seq               int64          `json:"seq"`

	Dispatched     bool              `json:"dispatched"`
	TS             string            `json:"ts"`
	Channel        string            `json:"channel"`
	Text           string            `json:"text"`
	Connections    int               `json:"connections"`
	Ready          bool              `json:"ready"`
	Messages       []message         `json:"messages"`
	Events         []change          `json:"events"`
	Resync         bool              `json:"resync"`
	Views          []view            `json:"views"`
	View           *view             `json:"view"`
	ResponseAction string            `json:"response_action"`
	Errors         map[string]string `json:"errors"`
	Arrivals       []shop.Arrival    `json:"arrivals"`
	Bookings       []shop.Booking    `json:"bookings"`
	OffsetMS       int64             `json:"offset_ms"`
	Status         map[string]string `json:"status"`
	Users          []named           `json:"users"`
	Channels       []named           `json:"channels"`
	Groups         []named           `json:"groups"`
	Seen           map[string]string `json:"seen"`
}

type named struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Handle  string   `json:"handle"`
	Members []string `json:"members"`
}

type message struct {
	TS          string                               `json:"ts"`
	ThreadTS    string                               `json:"thread_ts"`
	User        string                               `json:"user"`
	UserName    string                               `json:"user_name"`
	Text        string                               `json:"text"`
	Blocks      json.RawMessage                      `json:"blocks"`
	Reactions   []struct{ Name string }              `json:"reactions"`
	Files       []struct{ ID, Mimetype, Alt string } `json:"files"`
	Edited      bool                                 `json:"edited"`
	Deleted     bool                                 `json:"deleted"`
	EphemeralTo string                               `json:"ephemeral_to"`
	Seq         int64                                `json:"seq"`
}

type change struct {
	Seq     int64    `json:"seq"`
	Kind    string   `json:"kind"`
	Message *message `json:"message"`
}

type view struct {
	ID    string          `json:"id"`
	Type  string          `json:"type"`
	State json.RawMessage `json:"state"`
	Title struct{ Text string }
}

// post calls the control API and wants it to agree.
func (w *workspace) post(path string, body any) answer {
	w.t.Helper()
	a := w.try(path, body)
	if !a.OK {
		w.t.Fatalf("POST /control/%s: %s: %s", path, a.Error, a.Detail)
	}
	return a
}

// try calls the control API.
func (w *workspace) try(path string, body any) answer {
	w.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := http.Post(w.http.URL+"/control/"+path, "application/json", bytes.NewReader(raw))
	return w.read(resp, err)
}

// get reads from the control API; query is `name=value&...`.
func (w *workspace) get(path, query string) answer {
	w.t.Helper()
	a := w.tryGet(path, query)
	if !a.OK {
		w.t.Fatalf("GET /control/%s?%s: %s: %s", path, query, a.Error, a.Detail)
	}
	return a
}

func (w *workspace) tryGet(path, query string) answer {
	w.t.Helper()
	resp, err := http.Get(w.http.URL + "/control/" + path + "?" + query)
	return w.read(resp, err)
}

func (w *workspace) read(resp *http.Response, err error) answer {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		w.t.Fatalf("%v: %s", err, raw)
	}
	return a
}

// id looks up a user, group or channel by name.
func (w *workspace) id(name string) string {
	w.t.Helper()
	info := w.get("info", "")
	for _, list := range [][]named{info.Users, info.Groups, info.Channels} {
		for _, n := range list {
			if n.Name == name || n.Handle == name {
				return n.ID
			}
		}
	}
	w.t.Fatalf("nobody is called %s", name)
	return ""
}

// until follows a channel until want is content with it.
func (w *workspace) until(channel string, want func([]message) bool) []message {
	w.t.Helper()
	after := int64(-1)
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		state := w.get("state", url.Values{
			"channel": {channel}, "wait": {"10s"}, "after": {json.Number(itoa(after)).String()},
		}.Encode())
		if want(state.Messages) {
			return state.Messages
		}
		after = state.Seq
	}
	w.t.Fatalf("%s never came to what was wanted", channel)
	return nil
}

func itoa(n int64) string {
	raw, _ := json.Marshal(n)
	return string(raw)
}

// app is a connected bot: what it hears is on events, and it acks by itself unless told to be silent.
type app struct {
	*socketmode.Client
	events chan socketmode.Event
}

// connect runs the ordinary Socket Mode client; answer decides what is acked, nil acks everything without a payload.
func (w *workspace) connect(answer func(*socketmode.Client, socketmode.Event)) *app {
	w.t.Helper()
	a := &app{Client: socketmode.New(w.api), events: make(chan socketmode.Event, 100)}
	done := make(chan struct{})
	w.t.Cleanup(func() { <-done })
	ctx := w.t.Context()
	go func() {
		defer close(done)
		_ = a.RunContext(ctx) // ends with the test
	}()
	go func() {
		for e := range a.Events {
			switch {
			case e.Request == nil || e.Type == socketmode.EventTypeHello:
			case answer != nil:
				answer(a.Client, e)
			default:
				_ = a.Ack(*e.Request)
			}
			select {
			case a.events <- e:
			default:
			}
		}
	}()
	if !w.get("ready", "wait=10s").Ready {
		w.t.Fatal("the app never connected")
	}
	return a
}

// next waits for an event of a type.
func (a *app) next(t *testing.T, kind socketmode.EventType) socketmode.Event {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case e := <-a.events:
			if e.Type == kind {
				return e
			}
		case <-limit:
			t.Fatalf("no %s came", kind)
		}
	}
}

func contains(messages []message, text string) bool {
	for _, m := range messages {
		if strings.Contains(m.Text, text) {
			return true
		}
	}
	return false
}

// untilConnected waits for a number of sockets.
func (w *workspace) untilConnected(count int) {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		ready := w.get("ready", "")
		if ready.Connections >= count {
			return
		}
		w.get("events", "wait=1s&after="+itoa(ready.Seq))
	}
	w.t.Fatalf("there never were %d sockets", count)
}

// dial opens a bare socket and says what it hears first.
func (w *workspace) dial(t *testing.T) (kind, reason string) {
	t.Helper()
	_, address, err := w.api.StartSocketModeContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return w.dialAt(t, address)
}

func (w *workspace) dialAt(t *testing.T, address string) (kind, reason string) {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.CloseNow() })
	_, raw, err := ws.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Type, Reason string }
	if err := json.Unmarshal(raw, &said); err != nil {
		t.Fatal(err)
	}
	return said.Type, said.Reason
}
