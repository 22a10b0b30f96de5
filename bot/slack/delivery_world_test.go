package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/slacksim"
	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/storage"
)

// office is a world with an engine and a projector, as the program has them.
type office struct {
	*world
	engine    *engine.Engine
	projector *project.Projector
}

const asking = `
name: asking
run: {title: "Asking {{inputs.n}}"}
inputs: {n: {type: string, required: true, example: "1"}}
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "Pay {{inputs.n}}?", routes: [{to: end}]}
`

// wait is how long anything may take on a busy machine.
const patient = time.Minute

func newOffice(t *testing.T, w *world) *office {
	t.Helper()
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	o := &office{world: w, projector: project.New()}
	o.projector.Pace = project.Pace{Workspace: 20 * time.Millisecond, Channel: 20 * time.Millisecond}
	w.app.cfg.Surfaces = o.projector
	o.engine = engine.New(engine.Config{
		Store: w.store, Tools: tools, Dispatcher: local.New(local.Options{}), Surfaces: o.projector, Directory: w.app.Directory(), Worker: "test",
	})
	o.projector.Connect(o.engine)
	o.projector.Sender, o.projector.Holder = w.app, "test"
	o.projector.Admins, o.projector.Log = []string{o.user("ana")}, slog.New(slog.DiscardHandler)
	o.approve(asking)
	return o
}

// keep stores an approved revision of a flow.
func (w *world) keep(e *engine.Engine, f *flow.Flow, owner string, triggers ...storage.Trigger) {
	w.t.Helper()
	lock, err := e.Lock(w.t.Context(), f)
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := json.Marshal(lock)
	if err != nil {
		w.t.Fatal(err)
	}
	err = w.store.Write(w.t.Context(), &storage.Batch{
		Flow: &storage.Flow{Name: f.Name, Head: 1, Channel: w.channel("#support"), Owner: owner}, Triggers: triggers,
		Revision: &storage.Revision{Flow: f.Name, Number: 1, Hash: flow.Hash(f), LockHash: flow.ApprovalHash(f, lock), Body: flow.Canonical(f), Lock: raw, At: time.Now()},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// serve runs engine and projector until the test ends or stop is called.
func (o *office) serve() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	served, shown := make(chan struct{}), make(chan struct{})
	go func() { defer close(served); _ = o.engine.Serve(ctx) }()
	go func() { defer close(shown); o.projector.Run(ctx) }()
	stop = func() { cancel(); <-served; <-shown }
	o.t.Cleanup(stop)
	return stop
}

func (o *office) user(name string) string {
	o.t.Helper()
	p, err := o.app.people.Resolve(o.t.Context(), "@"+name)
	if err != nil {
		o.t.Fatal(err)
	}
	return p.ID
}

func (o *office) write(b *storage.Batch) {
	o.t.Helper()
	if err := o.store.Write(o.t.Context(), b); err != nil {
		o.t.Fatal(err)
	}
	o.projector.Wake()
}

// ask starts a run that asks "Pay N?" in a channel.
func (o *office) ask(n, channel string) storage.Run {
	o.t.Helper()
	s, err := o.engine.Start(o.t.Context(), engine.StartRequest{
		Flow: "asking", Inputs: map[string]any{"n": n}, Channel: o.channel(channel), Actor: history.Actor{User: o.user("bob"), Via: history.ViaCLI},
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return s.Run
}

// answer decides a run's question.
func (o *office) answer(r storage.Run) { o.choose(r, 1, "approve", "fin") }

// choose answers one of a run's questions.
func (o *office) choose(r storage.Run, question int, choice, user string) {
	o.t.Helper()
	g, err := o.engine.Store().Gate(o.t.Context(), gate.ID(r.ID, question))
	if err != nil {
		o.t.Fatal(err)
	}
	body, err := gate.Decode(g)
	if err != nil {
		o.t.Fatal(err)
	}
	if _, err := o.engine.Answer(o.t.Context(), engine.GateAnswer{Gate: g.ID, Shown: body.Opened.Shown(), Choice: choice, Actor: history.Actor{User: o.user(user), Name: user, Via: history.ViaCLI}}); err != nil {
		o.t.Fatal(err)
	}
}

// until waits for a message of a channel that has these words.
func (o *office) until(channel string, words ...string) shownMessage {
	o.t.Helper()
	for deadline := time.Now().Add(patient); ; {
		for _, m := range o.messages(channel) {
			if !m.Deleted && hasAll(m.shown(), words) {
				return m
			}
		}
		if time.Now().After(deadline) {
			o.t.Fatalf("%s never shows %q: %+v", channel, words, o.messages(channel))
		}
		<-time.After(5 * time.Millisecond)
	}
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// settled waits until nothing is stale.
func (o *office) settled() {
	o.t.Helper()
	for deadline := time.Now().Add(patient); ; {
		stale, err := o.store.StaleSurfaces(o.t.Context(), time.Now().Add(time.Hour), 100)
		if err != nil {
			o.t.Fatal(err)
		}
		if len(stale) == 0 {
			return
		}
		if time.Now().After(deadline) {
			o.t.Fatalf("%d surfaces stay stale: %+v", len(stale), stale[0])
		}
		<-time.After(5 * time.Millisecond)
	}
}

// manyChannels is a seed with channels c0, c1, ...
func manyChannels(n int) (slacksim.Seed, []string) {
	seed := slacksim.DefaultSeed()
	var names []string
	for i := range n {
		name := fmt.Sprintf("c%d", i)
		seed.Channels = append(seed.Channels, slacksim.SeedChannel{Name: name, Members: []string{"ana", "bob", "fin", "sluice"}})
		names = append(names, "#"+name)
	}
	return seed, names
}

func said(text string) card.Text { return card.Textf("%s", text) }
