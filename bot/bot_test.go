package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/form"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/lock"
	"sluice/engine/people"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/sqlite"
)

func TestMain(m *testing.M) {
	enginetest.WaitTogether()
	os.Exit(m.Run())
}

// world is a bot on a real store and a real engine; only Slack is missing, because nothing here talks to it.
type world struct {
	*testing.T
	bot   *Bot
	store storage.Store
	wall  wall          // of files, unless a test has its own Slack
	woken chan struct{} // a surface became stale
	ts    int
}

// waking tells a test that a surface became stale.
type waking struct {
	*project.Projector
	woken chan struct{}
}

func (p waking) Wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
	p.Projector.Wake()
}

// workspace has people: the members of each group and channel.
type workspace map[string][]string

func (p workspace) Resolve(_ context.Context, name string) (people.Principal, error) {
	if _, ok := p[name]; ok {
		kind := "group"
		if strings.HasPrefix(name, "C") {
			kind = "channel"
		}
		return people.Principal{Kind: kind, ID: name, Name: name}, nil
	}
	if bare, ok := strings.CutPrefix(name, "#"); ok && p[bare] != nil {
		return people.Principal{Kind: "channel", ID: bare, Name: name}, nil
	}
	user := strings.TrimPrefix(name, "@")
	if slices.Contains(p["everybody"], user) {
		return people.Principal{Kind: "user", ID: user, Name: "@" + user}, nil
	}
	return people.Principal{}, fmt.Errorf("nobody is called %s: %w", name, people.ErrUnknownName)
}

func (p workspace) Members(_ context.Context, who people.Principal) ([]string, error) {
	if who.Kind == "user" {
		return []string{who.ID}, nil
	}
	return p[who.ID], nil
}

func (p workspace) Person(_ context.Context, id string) (people.Person, error) {
	return people.Person{ID: id, Name: id, Active: slices.Contains(p["everybody"], id)}, nil
}

func newWorld(t *testing.T, change func(*Config)) *world {
	t.Helper()
	echo := func(_ context.Context, c tool.Call) (tool.Result, error) { return tool.Result{Data: c.Params}, nil }
	schema := map[string]any{"type": "object", "properties": map[string]any{"order_id": map[string]any{"type": "string"}}, "required": []any{"order_id"}}
	result := map[string]any{"type": "object", "properties": map[string]any{"order_id": map[string]any{"type": "string"}, "amount": map[string]any{"type": "number"}}}
	tools, err := tool.New(
		tool.Tool{Name: "shop.get_order", Description: "Get an order", Words: []string{"get the order"}, Params: schema, Result: result, Effects: flow.EffectsRead, Call: echo},
		tool.Tool{Name: "shop.refund", Description: "Refund an order", Words: []string{"refund it"}, Params: schema, Effects: flow.EffectsIdempotent, Call: echo},
	)
	if err != nil {
		t.Fatal(err)
	}
	return newWorldWith(t, tools, change)
}

// newWorldWith is newWorld with other tools.
func newWorldWith(t *testing.T, tools *tool.Set, change func(*Config)) *world {
	t.Helper()
	return newWorldNaming(t, tools, nil, change)
}

// newWorldNaming is newWorldWith with agents of the installation.
func newWorldNaming(t *testing.T, tools *tool.Set, agents lock.Agents, change func(*Config)) *world {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	who := workspace{"everybody": {"ana", "bob", "fin", "eve", "boss"}, "@finance": {"fin"}, "C1": {"ana", "bob", "fin"}, "C2": {"eve"}}
	cards, woken := project.New(), make(chan struct{}, 1)
	e := engine.New(engine.Config{Store: store, Tools: tools, Agents: agents, Dispatcher: local.New(local.Options{}), Directory: who, Surfaces: waking{cards, woken}, Worker: "test"})
	cards.Connect(e)
	files := wall{}
	cfg := Config{Engine: e, Tools: tools, Directory: who, Cards: cards.Cards, Slack: files}
	if change != nil {
		change(&cfg)
	}
	return &world{T: t, bot: New(cfg), store: store, wall: files, woken: woken}
}

// hear delivers something and gives the private lines that answer it.
func (w *world) hear(in request.Incoming) []card.Card {
	w.Helper()
	w.ts++
	if in.TS == "" {
		in.TS = fmt.Sprintf("%d.0", w.ts)
	}
	if in.Channel == "" {
		in.Channel = "C1"
	}
	in.Name = in.User
	before := w.surfaces("private")
	if err := w.bot.Handle(w.Context(), in); err != nil {
		w.Fatal(err)
	}
	var out []card.Card
	for _, s := range w.surfaces("private")[len(before):] {
		var b surface.PrivateBody
		if err := json.Unmarshal(s.Body, &b); err != nil {
			w.Fatal(err)
		}
		out = append(out, b.Card)
	}
	return out
}

// surfaces lists what is to be shown, of one kind, oldest first.
func (w *world) surfaces(kind string) []storage.Surface {
	w.Helper()
	all, err := w.store.StaleSurfaces(w.Context(), w.bot.Engine.Now(), 1000)
	if err != nil {
		w.Fatal(err)
	}
	slices.SortFunc(all, func(a, b storage.Surface) int { return strings.Compare(a.ID, b.ID) })
	return slices.DeleteFunc(all, func(s storage.Surface) bool { return s.Kind != kind })
}

// draft writes an outline and gives the thread and the newest draft in it.
func (w *world) draft(user, text string) (string, storage.Draft) {
	w.Helper()
	w.hear(request.Incoming{Kind: request.KindMention, User: user, Text: text})
	thread := fmt.Sprintf("%d.0", w.ts)
	return thread, w.newest(thread)
}

func (w *world) newest(thread string) storage.Draft {
	w.Helper()
	d, err := w.store.DraftInThread(w.Context(), "C1", thread)
	if err != nil {
		w.Fatal(err)
	}
	return d
}

func (w *world) click(user, action, value string) string {
	w.Helper()
	return said(w.hear(request.Incoming{Kind: request.KindClick, User: user, Action: action, Value: value}))
}

func said(cards []card.Card) string {
	var out []string
	for _, c := range cards {
		out = append(out, c.Title+c.Text.String())
	}
	return strings.Join(out, "\n")
}

const refundWords = "new refund: 1. get the order 2. ask @finance to approve 3. refund it"

func TestAClickOnAReplacedDraftApprovesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, old := w.draft("ana", refundWords)
	w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: "2. ask @fin to approve"})
	if d := w.newest(thread); d.ID == old.ID || d.Number != 2 {
		t.Fatalf("the edit made draft %d", d.Number)
	}
	if got := w.click("ana", "draft.approve", draft.Value(old)); !strings.Contains(got, "draft 2 has replaced") {
		t.Errorf("the click was answered with %q", got)
	}
	if flows, err := w.store.Flows(t.Context()); err != nil || len(flows) != 0 {
		t.Errorf("%d flows were saved (%v)", len(flows), err)
	}
	forged := draft.Value(w.newest(thread))
	if got := w.click("ana", "draft.approve", forged[:len(forged)-4]+"beef"); !strings.Contains(got, "not what this draft holds") {
		t.Errorf("a wrong hash was answered with %q", got)
	}
}

func TestTheAuthorDoesNotApproveWhatIsNewlyAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.SecondPerson = true })
	_, d := w.draft("ana", refundWords)
	if got := w.click("ana", "draft.approve", draft.Value(d)); !strings.Contains(got, "second person") || !strings.Contains(got, "@finance") {
		t.Errorf("ana was told %q", got)
	}
	if got := w.click("bob", "draft.approve", draft.Value(d)); !strings.Contains(got, "not everybody may approve") {
		t.Errorf("bob was told %q", got)
	}
	if got := w.click("fin", "draft.approve", draft.Value(d)); got != "" {
		t.Errorf("fin was told %q", got)
	}
	if rev, err := w.store.Revision(t.Context(), "refund", 1); err != nil || rev.By != "fin" || rev.LockHash == "" {
		t.Errorf("the revision is %+v (%v)", rev, err)
	}
}

func TestAPersonWhoMayNotReadLearnsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, d := w.draft("ana", refundWords)
	w.click("ana", "draft.approve", draft.Value(d))
	w.hear(request.Incoming{Kind: request.KindCommand, User: "ana", Text: "run refund order_id=A-1"})
	for _, command := range []string{"run %s order_id=A-1", "show %s", "show %s-1", "cancel %s-1", `schedule %s "@daily" order_id=A-1`, "runs %s"} {
		ask := func(name string) string {
			got := said(w.hear(request.Incoming{Kind: request.KindCommand, User: "eve", Channel: "C2", Text: fmt.Sprintf(command, name)}))
			return strings.ReplaceAll(got, name, "X")
		}
		if hidden, missing := ask("refund"), ask("nosuch"); hidden != missing {
			t.Errorf("%q: what is hidden is answered with %q, what does not exist with %q", command, hidden, missing)
		}
	}
	for _, command := range []string{"list", "runs", "schedules", "approvals"} {
		if got := said(w.hear(request.Incoming{Kind: request.KindCommand, User: "eve", Channel: "C2", Text: command})); strings.Contains(got, "refund-") || strings.Contains(got, "*refund*") {
			t.Errorf("%q shows %q", command, got)
		}
	}
}

// A drafter's words that change nothing are answered, and decide nothing. Other people's talk is left alone.
func TestPlainTalkDecidesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, d := w.draft("ana", refundWords)
	hear := func(user, talk string) string {
		return said(w.hear(request.Incoming{Kind: request.KindMessage, User: user, Thread: thread, Text: talk}))
	}
	for _, talk := range []string{"approve", "yes, approve it", "I like 2. very much", "3 people asked for this"} {
		if got := hear("fin", talk); got != "" {
			t.Errorf("fin said %q and was answered %q", talk, got)
		}
		if got := hear("ana", talk); !strings.Contains(got, "nothing changed") {
			t.Errorf("ana said %q and was answered %q", talk, got)
		}
	}
	for talk, want := range map[string]string{
		"ok": "has not changed", "thanks!": "has not changed", "@bob what do you think?": "said to @bob", "@finance: the laptop is ready": "said to @finance", "@bob should I buy it?": "said to @bob",
	} {
		if got := hear("ana", talk); !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("ana said %q and was answered %q", talk, got)
		}
		if got := hear("bob", talk); got != "" {
			t.Errorf("bob said %q and was answered %q", talk, got)
		}
	}
	for talk, want := range map[string]string{
		"@finance must answer by 5pm": "A deadline is how long", "@finance should have it all": "I cannot read this as a change", "@ana has had a look": "I cannot read this as a change",
	} {
		if got := hear("ana", talk); !strings.Contains(got, want) {
			t.Errorf("ana said %q and was answered %q", talk, got)
		}
	}
	if now := w.newest(thread); now.ID != d.ID || now.Status != draft.Open {
		t.Errorf("talk changed the draft: %s is %s", now.ID, now.Status)
	}
	w.hear(request.Incoming{Kind: request.KindMessage, User: "bob", Thread: thread, Text: "2. ask @bob to approve"})
	if now := w.newest(thread); now.ID != d.ID {
		t.Error("somebody else's overheard line edited the draft")
	}
}

// Words that are refused as a change are answered with a few forms, and help says where all forms are listed.
func TestARefusedChangeIsShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, _ := w.draft("ana", refundWords)
	for _, kind := range []request.Kind{request.KindMessage, request.KindMention} {
		got := said(w.hear(request.Incoming{Kind: kind, User: "ana", Thread: thread, Text: "when step 2 is slow, nudge somebody"}))
		if n := strings.Count(got, "\n"); n > 8 || !strings.Contains(got, "remind them after 4 hours") || !strings.Contains(got, "/flow help words") {
			t.Errorf("%s: %d lines: %q", kind, n, got)
		}
	}
	help := w.hear(request.Incoming{Kind: request.KindCommand, User: "ana", Text: "help"})
	if !strings.Contains(fmt.Sprint(help), "/flow help words") {
		t.Errorf("help: %v", help)
	}
}

func TestUndoGoesBackOneEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, first := w.draft("ana", refundWords)
	w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: "3. get the order"})
	w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: "undo"})
	if now := w.newest(thread); now.Hash != first.Hash || now.Number != 3 {
		t.Errorf("after undo: draft %d with hash %s, the first had %s", now.Number, now.Hash, first.Hash)
	}
}

func TestASecondStartForTheSameThingShowsTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, d := w.draft("ana", refundWords)
	w.click("ana", "draft.approve", draft.Value(d))
	run := func() []card.Card {
		return w.hear(request.Incoming{Kind: request.KindCommand, User: "bob", Text: "run refund order_id=A-1"})
	}
	if got := run(); len(got) != 0 {
		t.Errorf("the first start was answered %q", said(got))
	}
	got := run()
	if len(got) != 1 || !strings.Contains(got[0].Text.String(), "Nothing was started") || len(got[0].Buttons) != 2 {
		t.Fatalf("the second start was answered %+v", got)
	}
	w.hear(request.Incoming{Kind: request.KindSubmit, User: "bob", Value: got[0].Buttons[1].Value, Form: map[string]string{form.FieldNote: "it came back"}})
	rows, err := w.store.Runs(t.Context(), storage.RunQuery{Flow: "refund"})
	if err != nil || len(rows) != 2 {
		t.Errorf("%d runs exist (%v)", len(rows), err)
	}
	start, err := w.bot.Engine.StartOf(t.Context(), rows[0].ID)
	if err != nil || !strings.Contains(start.Reason, "refund-1: it came back") {
		t.Errorf("the second run was recorded with %+v (%v)", start, err)
	}
}

// TestADeliveryHasOneEffect has a delivery worked on twice, as by a process that was frozen while another one did it.
func TestADeliveryHasOneEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, d := w.draft("ana", refundWords)
	w.click("ana", "draft.approve", draft.Value(d))
	run := func(text string) request.Incoming {
		w.ts++
		key := fmt.Sprint("E", w.ts)
		if _, err := w.store.PutInbox(t.Context(), storage.Inbox{Key: key, Thread: "T", Received: time.Now()}); err != nil {
			t.Fatal(err)
		}
		rows, err := w.store.PendingInThread(t.Context(), "T", 9)
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d deliveries wait (%v)", len(rows), err)
		}
		return request.Incoming{Kind: request.KindCommand, User: "bob", Channel: "C1", Text: text, Inbox: rows[0].ID}
	}
	for _, text := range []string{"run refund order_id=A-1", "list", "new other: 1. get the order", "cancel refund-1", "no such command at all"} {
		in := run(text)
		if err := w.bot.Handle(t.Context(), in); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		before := len(w.everything())
		if err := w.bot.Handle(t.Context(), in); !errors.Is(err, storage.ErrDone) {
			t.Errorf("%s, once more: error %v, want ErrDone", text, err)
		}
		if after := len(w.everything()); after != before {
			t.Errorf("%s, once more: %d things are to be shown instead of %d", text, after, before)
		}
	}
	if rows, err := w.store.Runs(t.Context(), storage.RunQuery{}); err != nil || len(rows) != 1 {
		t.Errorf("%d runs exist (%v)", len(rows), err)
	}
}

// everything lists what is to be shown.
func (w *world) everything() []storage.Surface {
	w.Helper()
	all, err := w.store.StaleSurfaces(w.Context(), w.bot.Engine.Now(), 1000)
	if err != nil {
		w.Fatal(err)
	}
	return all
}
