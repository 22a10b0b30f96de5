package slack

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sluice/bot/slacksim"
	"sluice/render"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// world is an App on the real wire: a small Slack, a real store.
type world struct {
	t     *testing.T
	app   *App
	store storage.Store
	base  string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newSeededWorld(t, slacksim.DefaultSeed())
}

// newSeededWorld is newWorld with people and channels of its own.
func newSeededWorld(t *testing.T, seed slacksim.Seed) *world {
	t.Helper()
	return newTimedWorld(t, seed, 0)
}

// linted fails a test when the bot sends something that Slack refuses for what it contains.
type linted struct{ t *testing.T }

// Write takes a line of the small Slack's log.
func (l linted) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(slacksim.Refused)) {
		l.t.Errorf("%s", line)
	}
	return len(line), nil
}

// newTimedWorld is newSeededWorld with a Slack whose clock is ahead.
func newTimedWorld(t *testing.T, seed slacksim.Seed, ahead time.Duration) *world {
	t.Helper()
	sim, err := slacksim.New(slacksim.Options{Seed: seed, FileDelay: time.Millisecond, ClockAhead: ahead, Log: slog.New(slog.NewTextHandler(linted{t}, nil))})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(sim.Handler())
	sim.SetBaseURL(srv.URL)
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
		srv.Close()
	})
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	app, err := New(t.Context(), Config{
		BotToken: seed.Bot.Token, AppToken: seed.Bot.AppToken, APIURL: srv.URL + "/api/", Store: store, Render: render.New(render.Options{}), PerMinute: 6000,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, app: app, store: store, base: srv.URL}
}

// channel gives the id of a channel.
func (w *world) channel(name string) string {
	w.t.Helper()
	p, err := w.app.people.Resolve(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return p.ID
}

func (w *world) surface(id string) storage.Surface {
	return storage.Surface{ID: id, Kind: "notice", Channel: w.channel("#support"), Created: time.Now()}
}

// control posts to the small Slack's control API.
func (w *world) control(path string, body any) {
	w.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	res, err := http.Post(w.base+"/control/"+path, "application/json", bytes.NewReader(b))
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		OK     bool
		Error  string
		Detail string
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || !answer.OK {
		w.t.Fatalf("%s: %v %s %s", path, err, answer.Error, answer.Detail)
	}
}

type shownMessage struct {
	User, TS, Text string
	ThreadTS       string `json:"thread_ts"`
	Deleted        bool
	EphemeralTo    string `json:"ephemeral_to"`
	Blocks         []shownBlock
	raw            string
}

type shownBlock struct {
	Type      string
	BlockID   string              `json:"block_id"`
	SlackFile struct{ ID string } `json:"slack_file"`
}

// shown is all that a message holds.
func (m shownMessage) shown() string { return m.raw }

// picture says whether a message shows one.
func (m shownMessage) picture() bool {
	return slices.ContainsFunc(m.Blocks, func(b shownBlock) bool { return b.Type == "image" })
}

// file is the picture that a message shows; "" = none.
func (m shownMessage) file() string {
	for _, b := range m.Blocks {
		if b.SlackFile.ID != "" {
			return b.SlackFile.ID
		}
	}
	return ""
}

// messages reads a channel the way a person sees it.
func (w *world) messages(channel string) []shownMessage {
	w.t.Helper()
	res, err := http.Get(w.base + "/control/state?channel=" + url.QueryEscape(channel))
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct{ Messages []json.RawMessage }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		w.t.Fatal(err)
	}
	out := make([]shownMessage, len(answer.Messages))
	for i, raw := range answer.Messages {
		if err := json.Unmarshal(raw, &out[i]); err != nil {
			w.t.Fatal(err)
		}
		out[i].raw = string(raw)
	}
	return out
}
