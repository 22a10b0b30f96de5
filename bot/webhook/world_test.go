package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/bot"
	"sluice/bot/httpapi"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/outbox"
	"sluice/engine/people"
	"sluice/engine/secret"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// refund is a flow that starts by a webhook and waits for a person.
const refund = `
name: refund
run: {title: "Refund {{inputs.order_id}}", key: "{{inputs.order_id}}"}
inputs:
  order_id: {type: string, required: true, description: Order number}
  amount: {type: number, default: 10}
  iban: {type: string, sensitive: true}
triggers: [{webhook: {path: refunds}}]
flow:
  entry: ask
  nodes: [{id: ask, type: ask, message: "{{event.payload.message}}", routes: [{to: end}]}]
`

const shopKey = "a secret of the shop, long enough"

// world is a bot on a real store behind a real listener. Its inbox is worked on by the test alone.
type world struct {
	*testing.T
	store  storage.Store
	engine *engine.Engine
	bot    *bot.Bot
	server *httpapi.Server
	hooks  *Handler
	url    string
	log    *lines
}

// lines is a log that a test can read.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// everybody is a workspace in which ana and bob are active, and in every channel.
type everybody struct{}

// Resolve implements people.Directory.
func (everybody) Resolve(_ context.Context, name string) (people.Principal, error) {
	return people.Principal{Kind: "channel", ID: name, Name: name}, nil
}

// Members implements people.Directory.
func (everybody) Members(context.Context, people.Principal) ([]string, error) {
	return []string{"ana", "bob"}, nil
}

// Person implements people.Directory.
func (everybody) Person(_ context.Context, id string) (people.Person, error) {
	return people.Person{ID: id, Name: id, Active: true}, nil
}

func newWorld(t *testing.T, secrets ...string) *world {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return worldOn(t, store, secrets...)
}

func worldOn(t *testing.T, store storage.Store, secrets ...string) *world {
	t.Helper()
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	if len(secrets) == 0 {
		secrets = []string{"SLUICE_SECRET_HOOK_REFUNDS=" + shopKey}
	}
	env, err := secret.NewEnv(secrets)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, store: store, log: &lines{}}
	log := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	cards := project.New()
	w.engine = engine.New(engine.Config{Store: store, Tools: tools, Dispatcher: local.New(local.Options{}), Surfaces: cards, Directory: everybody{}, Worker: "test", Log: log})
	cards.Connect(w.engine)
	w.bot = bot.New(bot.Config{Engine: w.engine, Tools: tools, Directory: everybody{}, Cards: cards.Cards, Log: log})
	w.server, w.hooks = httpapi.New(log, nil), New(log, nil)
	w.server.Handle(Path, w.hooks)
	w.server.Open(httpapi.Config{Store: store})
	w.hooks.Open(Config{Hooks: w.bot.Hooks, Secrets: env})
	w.listen()
	return w
}

// listen serves until the test ends.
func (w *world) listen() {
	w.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	w.url = "http://" + l.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- w.server.Serve(ctx, l) }()
	w.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			w.Error(err)
		}
	})
}

// approve stores a revision of a flow, as an approval does.
func (w *world) approve(yaml string) {
	w.Helper()
	doc, problems := file.Parse("flow.yaml", []byte(yaml))
	if doc == nil || doc.Flow == nil {
		w.Fatal(problems)
	}
	f := doc.Flow
	head, err := w.store.Flow(w.Context(), f.Name)
	if err != nil {
		head = storage.Flow{Name: f.Name, Channel: "C1", Owner: "ana"}
	}
	head.Head++
	put, gone, err := w.engine.TriggerRows(w.Context(), f, head.Head, "bob", head.Channel)
	if err != nil {
		w.Fatal(err)
	}
	w.write(&storage.Batch{
		Flow: &head, Triggers: put, NoTrigger: gone,
		Revision: &storage.Revision{Flow: f.Name, Number: head.Head, Hash: flow.Hash(f), LockHash: flow.ApprovalHash(f, flow.Lock{}), Body: flow.Canonical(f), Lock: []byte("{}"), At: w.engine.Now()},
	})
}

func (w *world) write(b *storage.Batch) {
	w.Helper()
	if err := w.store.Write(w.Context(), b); err != nil {
		w.Fatal(err)
	}
}

// reply is what a request was answered.
type reply struct {
	status                        int
	header                        http.Header
	text                          string
	Delivery, Code, Error, Status string
	Problems                      []string
}

// delivery is a signed request to the shop's hook.
func (w *world) delivery(id, body string) *http.Request {
	w.Helper()
	at := time.Now().Unix()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodPost, w.url+"/hooks/refunds", strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", fmt.Sprint(at))
	r.Header.Set("webhook-signature", standardSign([]byte(shopKey), id, at, body))
	return r
}

func (w *world) post(id, body string) reply {
	w.Helper()
	return w.send(w.delivery(id, body))
}

func (w *world) get(path string) reply {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.url+path, nil)
	if err != nil {
		w.Fatal(err)
	}
	return w.send(r)
}

func (w *world) send(r *http.Request) reply {
	w.Helper()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.Fatal(err)
	}
	out := reply{status: res.StatusCode, header: res.Header, text: string(text)}
	if err := json.Unmarshal(text, &out); err != nil {
		w.Fatalf("the answer %d is not JSON: %s", res.StatusCode, text)
	}
	return out
}

// pending are the deliveries that are stored and not worked on.
func (w *world) pending() []storage.Inbox {
	w.Helper()
	rows, err := w.store.PendingInbox(w.Context(), 0, 100)
	if err != nil {
		w.Fatal(err)
	}
	return rows
}

// work has the bot take up what is in the inbox.
func (w *world) work() {
	w.Helper()
	for _, row := range w.pending() {
		if err := w.bot.Handle(w.Context(), request.Incoming{Kind: request.KindHook, Payload: row.Payload, Inbox: row.ID}); err != nil {
			w.Fatal(err)
		}
	}
	if left := w.pending(); len(left) > 0 {
		w.Fatalf("%d deliveries are not done", len(left))
	}
}

// runs gives the runs, oldest first, and how each began.
func (w *world) runs() (rows []storage.Run, starts []*history.RunStarted) {
	w.Helper()
	rows, err := w.store.Runs(w.Context(), storage.RunQuery{Flow: "refund"})
	if err != nil {
		w.Fatal(err)
	}
	slices.Reverse(rows)
	for _, r := range rows {
		s, err := w.engine.StartOf(w.Context(), r.ID)
		if err != nil {
			w.Fatal(err)
		}
		starts = append(starts, s)
	}
	return rows, starts
}

// notices are the fixed texts that a channel is told.
func (w *world) notices() []string {
	w.Helper()
	all, err := w.store.StaleSurfaces(w.Context(), w.engine.Now(), 100)
	if err != nil {
		w.Fatal(err)
	}
	var out []string
	for _, s := range all {
		var n outbox.NoticeBody
		if s.Kind != surface.KindNotice {
			continue
		}
		if err := json.Unmarshal(s.Body, &n); err != nil {
			w.Fatal(err)
		}
		out = append(out, s.Channel+" "+n.Text)
	}
	return out
}

// audited lists what the audit of the flow says, newest first.
func (w *world) audited() []string {
	w.Helper()
	rows, err := w.store.Audit(w.Context(), "flow:refund", 10)
	if err != nil {
		w.Fatal(err)
	}
	var out []string
	for _, a := range rows {
		out = append(out, a.What+" "+a.Via+" "+string(a.Detail))
	}
	return out
}
