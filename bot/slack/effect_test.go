package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/bot"
	"sluice/bot/project"
	"sluice/bot/surface"
	"sluice/bot/triggers"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/gate"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
)

// served is one process of several on a Postgres: its own connections, engine, bot and worker.
type served struct {
	*office
	bot *bot.Bot
}

// process starts one; frozen stops it before its delivery's effect is stored, when given.
func process(t *testing.T, w *world, url string, frozen *freezer) *served {
	t.Helper()
	store, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if frozen != nil {
		frozen.Store = store
		store = frozen
	}
	cfg := w.app.cfg
	cfg.Store = store
	app, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	p := project.New()
	e := engine.New(engine.Config{Store: store, Tools: tools, Dispatcher: local.New(local.Options{}), Surfaces: p, Directory: app.Directory(), Worker: "test"})
	p.Connect(e)
	p.Sender = app
	o := &office{world: &world{t: t, app: app, store: store, base: w.base}, engine: e, projector: p}
	return &served{o, bot.New(bot.Config{Engine: e, Tools: tools, Directory: app.Directory(), Slack: app, Cards: p.Cards})}
}

// freezer is a store whose process freezes when it would store the effect of a delivery.
type freezer struct {
	storage.Store
	row          int64
	reached, end chan struct{}
}

// Write freezes once.
func (f *freezer) Write(ctx context.Context, b *storage.Batch) error {
	if f.row != 0 && slices.Contains(b.InboxDone, f.row) {
		f.row = 0
		close(f.reached)
		<-f.end
	}
	return f.Store.Write(ctx, b)
}

const heard = `
name: heard
run: {title: "Heard"}
inputs: {n: {type: string, default: "1"}}
triggers:
  - {webhook: {path: shop}}
  - {message: {channel: "#support", match: "order (?P<n>\\d+)"}}
flow:
  entry: gate
  nodes: [{id: gate, type: ask, message: "Which?", routes: [{to: end}]}]
`

// approve stores a flow with its triggers, as an approval does.
func (o *office) approve(yaml string) {
	o.t.Helper()
	doc, bad := flowfile.Parse("flow.yaml", []byte(yaml))
	if bad.HasErrors() {
		o.t.Fatal(bad)
	}
	owner := o.user("ana")
	triggers, _, err := o.engine.TriggerRows(o.t.Context(), doc.Flow, 1, owner, o.channel("#support"))
	if err != nil {
		o.t.Fatal(err)
	}
	o.keep(o.engine, doc.Flow, owner, triggers...)
	o.projector.Wake()
}

// deliver stores what Slack delivers, or a webhook, and gives its row.
func (s *served) deliver(kind string, payload map[string]any) storage.Inbox {
	s.t.Helper()
	body, err := json.Marshal(payload)
	if err != nil {
		s.t.Fatal(err)
	}
	d := storage.Inbox{Key: string(body), Thread: "hook:shop", Payload: body}
	if kind != triggers.InboxHook {
		s.app.concerns = s.bot.Concerns
		var wanted bool
		read, err := read(kind, body)
		if err != nil {
			s.t.Fatal(err)
		}
		if d, wanted, err = s.app.address(s.t.Context(), read); err != nil || !wanted {
			s.t.Fatalf("%s is not wanted: %v", body, err)
		}
	}
	d.Kind, d.Received = kind, time.Now()
	if fresh, err := s.store.PutInbox(s.t.Context(), d); err != nil || !fresh {
		s.t.Fatalf("the delivery is not stored: %v", err)
	}
	rows, err := s.store.PendingInThread(s.t.Context(), d.Thread, 1)
	if err != nil || len(rows) != 1 {
		s.t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows[0]
}

func (o *office) command(text string) map[string]any {
	return map[string]any{"user_id": o.user("bob"), "team_id": o.app.team, "channel_id": o.channel("#support"), "command": "/flow", "text": text, "trigger_id": text}
}

// effects says what is stored: runs with their facts, what is to be shown, the trail, and who decided.
func (o *office) effects() string {
	o.t.Helper()
	ctx := o.t.Context()
	runs, err := o.store.Runs(ctx, storage.RunQuery{})
	if err != nil {
		o.t.Fatal(err)
	}
	facts := 0
	for _, r := range runs {
		all, err := o.store.Facts(ctx, r.ID, 0)
		if err != nil {
			o.t.Fatal(err)
		}
		facts += len(all)
	}
	shown, err := o.store.StaleSurfaces(ctx, time.Now().Add(time.Hour), 1000)
	if err != nil {
		o.t.Fatal(err)
	}
	var kinds []string
	for _, s := range shown {
		kinds = append(kinds, s.Kind+" "+s.Ref)
	}
	slices.Sort(kinds)
	trail, err := o.store.Audit(ctx, "", 1000)
	if err != nil {
		o.t.Fatal(err)
	}
	open, err := o.store.Gates(ctx, storage.GateQuery{Open: true, Limit: 1000})
	if err != nil {
		o.t.Fatal(err)
	}
	return fmt.Sprintf("%d open questions, %d runs, %d facts, %d rows of the trail, to be shown: %q", len(open), len(runs), facts, len(trail), kinds)
}

// TestADeliveryHasOneEffectAcrossProcesses: a process freezes before it stores the effect of a delivery, another one does the delivery,
// and what the first stores after that changes nothing; nobody is told that it was not done, or that it was decided already.
func TestADeliveryHasOneEffectAcrossProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, makeRow := range map[string]func(s *served) storage.Inbox{
		"a command": func(s *served) storage.Inbox { return s.deliver("slash_commands", s.command("run asking n=1")) },
		"a refusal": func(s *served) storage.Inbox { return s.deliver("slash_commands", s.command("run nothing")) },
		"a draft": func(s *served) storage.Inbox {
			return s.deliver("slash_commands", s.command("new tell: 1. tell #support"))
		},
		"a click": func(s *served) storage.Inbox {
			r := s.ask("1", "#support")
			g, err := s.store.Gate(t.Context(), gate.ID(r.ID, 1))
			if err != nil {
				t.Fatal(err)
			}
			body, err := gate.Decode(g)
			if err != nil {
				t.Fatal(err)
			}
			return s.deliver("interactive", map[string]any{
				"type": "block_actions", "trigger_id": "1", "user": map[string]any{"id": s.user("fin"), "team_id": s.app.team}, "channel": map[string]any{"id": s.channel("#support")},
				"container": map[string]any{"message_ts": "1.0"}, "actions": []any{map[string]any{"block_id": "answers", "action_id": "gate.choose:" + g.ID + ":0", "value": g.ID + " 0 " + body.Opened.Shown()}},
			})
		},
		"a message": func(s *served) storage.Inbox {
			return s.deliver("events_api", map[string]any{"event": map[string]any{"type": "message", "channel": s.channel("#support"), "user": s.user("bob"), "team": s.app.team, "ts": "7.0", "text": "order 7"}})
		},
		"a webhook": func(s *served) storage.Inbox {
			return s.deliver(triggers.InboxHook, map[string]any{"path": "shop", "flow": "heard", "scheme": "standard", "id": "d1", "body": map[string]any{"n": "3"}})
		},
		"a webhook that starts nothing": func(s *served) storage.Inbox {
			return s.deliver(triggers.InboxHook, map[string]any{"path": "gone", "flow": "heard", "scheme": "standard", "id": "d1", "body": map[string]any{}})
		},
	} {
		for act, first := range map[string]func(*served, storage.Inbox) error{
			"done":     func(s *served, row storage.Inbox) error { return deliveries{s.app, s.bot}.Handle(t.Context(), row) },
			"given up": func(s *served, row storage.Inbox) error { return deliveries{s.app, s.bot}.GiveUp(t.Context(), row) },
		} {
			t.Run(name+", "+act, func(t *testing.T) {
				t.Parallel()
				url := pgtest.URL(t)
				frozen := &freezer{reached: make(chan struct{}), end: make(chan struct{})}
				second := process(t, w, url, nil)
				slow := process(t, w, url, frozen)
				second.approve(asking)
				second.approve(heard)
				row := makeRow(second)
				frozen.row = row.ID
				before := second.effects()
				over := make(chan error, 1)
				go func() { over <- first(slow, row) }()
				<-frozen.reached
				if now := second.effects(); now != before && name != "a message" { // a message may start several flows, each once by its key
					t.Errorf("the frozen process has changed something:\n%s\n%s", before, now)
				}
				if err := (deliveries{second.app, second.bot}).Handle(t.Context(), row); err != nil {
					t.Fatal(err)
				}
				once := second.effects()
				if once == before || name == "a click" && !strings.HasPrefix(once, "0 open questions") {
					t.Errorf("the delivery has no effect: %s", once)
				}
				close(frozen.end)
				if err := <-over; err != nil && !errors.Is(err, storage.ErrDone) { // the inbox takes ErrDone for done
					t.Errorf("it is tried again: %v", err)
				}
				if twice := second.effects(); twice != once {
					t.Errorf("the delivery has a second effect:\n%s\n%s", once, twice)
				}
			})
		}
	}
}

// TestTwoWorkersHaveNoEffectTwice: two processes work on one inbox without asking each other whose turn it is.
func TestTwoWorkersHaveNoEffectTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	url := pgtest.URL(t)
	first, second := process(t, w, url, nil), process(t, w, url, nil)
	first.approve(asking)
	const n = 20
	for i := range n {
		c := first.command(fmt.Sprintf("run asking n=%d", i))
		c["channel_id"] = first.channel("#general") // each is answered privately, too
		body, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		row := storage.Inbox{Key: fmt.Sprint(i), Thread: fmt.Sprint(i), Kind: "slash_commands", Payload: body, Received: time.Now()}
		if _, err := first.store.PutInbox(t.Context(), row); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var working sync.WaitGroup
	for _, s := range []*served{first, second} {
		working.Go(func() { s.app.inbox.Work(ctx, deliveries{s.app, s.bot}) })
	}
	for deadline := time.Now().Add(patient); ; <-time.After(10 * time.Millisecond) {
		rows, err := first.store.PendingInbox(t.Context(), 0, 1)
		if err == nil && len(rows) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the inbox is never done: %v", err)
		}
	}
	stop()
	working.Wait()
	runs, err := first.store.Runs(t.Context(), storage.RunQuery{})
	if err != nil || len(runs) != n {
		t.Errorf("%d runs instead of %d, %v", len(runs), n, err)
	}
	shown, err := first.store.StaleSurfaces(t.Context(), time.Now().Add(time.Hour), 1000)
	private := 0
	for _, s := range shown {
		if s.Kind == surface.KindPrivate {
			private++
		}
	}
	if err != nil || private != n {
		t.Errorf("%d private answers instead of %d, %v", private, n, err)
	}
}
