package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/calendar"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/lock"
	"sluice/engine/people"
	"sluice/engine/runner"
	"sluice/engine/secret"
	"sluice/engine/tool"
	"sluice/engine/view"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// world is an engine on a real SQLite file with tools that record their calls.
type world struct {
	runURL func(context.Context, storage.Run) (string, error)

	t      *testing.T
	path   string
	store  storage.Store
	engine *engine.Engine
	tools  *tool.Set
	clock  *engine.Clock
	moved  chan struct{}

	directory people.Directory
	grace     time.Duration
	database  func(ctx context.Context) (storage.Store, error) // nil = SQLite
	hook      func(point string)
	secrets   *secret.Env
	model     llm.Model
	agents    lock.Agents
	drafts    string // the model of drafts
	calendar  *calendar.Calendar
	window    time.Duration
	keptFires int

	ceilings        flow.Ceilings
	pace            runner.Pace
	startsPerMinute int
	liveRuns        int

	mu    sync.Mutex
	calls []tool.Call
}

func newWorld(t *testing.T, tools ...tool.Tool) *world {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "sluice.db"), moved: make(chan struct{}, 1), clock: engine.NewClock()}
	var err error
	if w.tools, err = tool.New(tools...); err != nil {
		t.Fatal(err)
	}
	return w
}

// refunds is a world that serves the flow of a refund, with a shop that notes its calls.
func refunds(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.record("shop.get", flow.EffectsRead)
	w.record("shop.pay", flow.EffectsOnce)
	w.serve()
	w.save(refund)
	return w
}

// record makes a tool that notes its calls and answers with its parameters.
func (w *world) record(name string, effects flow.Effects) {
	w.add(tool.Tool{Name: name, Description: name, Effects: effects, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		return tool.Result{Data: c.Params}, nil
	}})
}

func (w *world) add(t tool.Tool) {
	if err := w.tools.Add(t); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) note(c tool.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, c)
}

func (w *world) seen(name string) []tool.Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []tool.Call
	for _, c := range w.calls {
		if c.Tool == name {
			out = append(out, c)
		}
	}
	return out
}

// Transition and Wake make the world a projection, so that tests wait on signals.
func (w *world) Transition(storage.Run, []history.Fact) ([]storage.Surface, []string) {
	return nil, nil
}

func (w *world) Wake() {
	select {
	case w.moved <- struct{}{}:
	default:
	}
}

// serve opens the store and serves it; the returned function stops, as a crash does when the dispatcher is not waited for.
func (w *world) serve() (stop func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w.open()
	done := make(chan error, 1)
	go func() { done <- w.engine.Serve(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
				w.t.Error(err)
			}
			w.close()
		})
	}
	w.t.Cleanup(stop)
	return stop
}

// open opens the store and makes an engine that does not serve yet.
func (w *world) open() {
	w.t.Helper()
	database := w.database
	if database == nil {
		database = func(ctx context.Context) (storage.Store, error) { return sqlite.Open(ctx, w.path) }
	}
	store, err := database(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	w.store = store
	cfg := engine.Config{
		Store: store, Tools: w.tools, Agents: w.agents, Dispatcher: local.New(local.Options{}), Clock: w.clock, Surfaces: w, Directory: w.directory, Worker: "test",
		Model: w.model, DraftModel: w.drafts, Grace: w.grace, Calendar: w.calendar, CatchUpWindow: w.window, KeptFires: w.keptFires, Hook: w.hook,
		Ceilings: w.ceilings, Pace: w.pace, StartsPerMinute: w.startsPerMinute, LiveRuns: w.liveRuns, RunURL: w.runURL,
	}
	if w.secrets != nil {
		cfg.Secrets, cfg.Redactor = w.secrets, w.secrets.Redactor()
	}
	w.engine = engine.New(cfg)
}

func (w *world) close() {
	w.t.Helper()
	if err := w.store.Close(); err != nil {
		w.t.Error(err)
	}
}

func (w *world) write(b *storage.Batch) {
	w.t.Helper()
	if err := w.store.Write(w.t.Context(), b); err != nil {
		w.t.Fatal(err)
	}
}

// save parses a flow file and stores it as an approved revision.
func (w *world) save(src string) *flow.Flow {
	w.t.Helper()
	doc, problems := file.Check("flow.yaml", []byte(src), engine.Checks(w.tools))
	if problems.HasErrors() {
		w.t.Fatal(problems)
	}
	w.saveFlow(doc.Flow)
	return doc.Flow
}

// saveFlow stores a flow as an approved revision.
func (w *world) saveFlow(f *flow.Flow) {
	w.t.Helper()
	lock, err := w.engine.Lock(w.t.Context(), f)
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := json.Marshal(lock)
	if err != nil {
		w.t.Fatal(err)
	}
	err = w.store.Write(w.t.Context(), &storage.Batch{
		Flow: &storage.Flow{Name: f.Name, Head: 1, Updated: w.clock.Now()},
		Revision: &storage.Revision{
			Flow: f.Name, Number: 1, Hash: flow.Hash(f), LockHash: flow.ApprovalHash(f, lock), Body: flow.Canonical(f), Lock: raw, At: w.clock.Now(),
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) start(name string, inputs map[string]any) storage.Run {
	w.t.Helper()
	s, err := w.engine.Start(w.t.Context(), engine.StartRequest{Flow: name, Inputs: inputs, Actor: history.Actor{User: "ana", Via: history.ViaCLI}})
	if err != nil {
		w.t.Fatal(err)
	}
	return s.Run
}

const refund = `
name: refund
run: {title: "Refund {{inputs.order_id}}", key: "{{inputs.order_id}}"}
inputs: {order_id: {type: string, required: true, example: A-1}}
flow:
  entry: look
  nodes:
    - {id: look, type: tool, tool: shop.get, params: {order_id: "{{inputs.order_id}}", amount: 250}, routes: [{to: big}]}
    - id: big
      type: decision
      expr: look.result.amount > 200
      routes: [{when: "true", to: gate}, {when: default, to: pay}]
    - id: gate
      type: approval
      message: "Refund {{look.result.amount}} for {{inputs.order_id}}?"
      routes: [{when: "approvals.gate == 'approve'", to: pay}, {when: default, to: end}]
    - {id: pay, type: tool, tool: shop.pay, params: {order: "{{inputs.order_id}}"}, routes: [{to: end}]}
`

func TestARunGoesThroughAGateToItsEnd(t *testing.T) {
	t.Parallel()
	w := refunds(t)
	r := w.start("refund", map[string]any{"order_id": "A-1"})
	if r.Title != "Refund A-1" || r.Name != "refund-1" {
		t.Errorf("the run is called %q, %q", r.Name, r.Title)
	}
	g := w.gate(r.ID)
	if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: "approve", Actor: history.Actor{User: "fin"}}); err != nil {
		t.Fatal(err)
	}
	v := w.ended(r.ID, history.Succeeded)
	pays := w.seen("shop.pay")
	if len(pays) != 1 || pays[0].Params["order"] != "A-1" || pays[0].Key == "" {
		t.Errorf("shop.pay was called with %v", pays)
	}
	if v.Edges["big/0"].Count != 1 || v.Edges["big/1"].Count != 0 {
		t.Errorf("the edges taken are %v", v.Edges)
	}
	if n := v.Latest("gate"); n.Choice != "approve" || n.By.User != "fin" {
		t.Errorf("the gate shows %+v", n)
	}
}

const once = `
name: pay
flow:
  entry: pay
  nodes:
    - {id: pay, type: tool, tool: shop.pay, retry: {max_attempts: 3, backoff_ms: 1}, routes: [{to: end}]}
`

func TestAOnceActThatMayHaveHappenedIsAskedAboutNotRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(tool.Tool{Name: "shop.pay", Description: "pay", Effects: flow.EffectsOnce, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		if len(w.seen("shop.pay")) == 1 {
			return tool.Result{}, &tool.Error{Type: "TimeoutError", Message: "no answer", Unknown: true}
		}
		return tool.Result{Data: "paid"}, nil
	}})
	w.serve()
	w.save(once)
	r := w.start("pay", nil)
	g := w.gate(r.ID)
	if g.Kind != string(history.GateUnknown) || len(w.seen("shop.pay")) != 1 {
		t.Fatalf("a gate of kind %s after %d calls", g.Kind, len(w.seen("shop.pay")))
	}
	if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: history.ChoiceAgain, Actor: history.Actor{User: "ana"}}); err != nil {
		t.Fatal(err)
	}
	w.ended(r.ID, history.Succeeded)
	if c := w.seen("shop.pay"); len(c) != 2 || c[0].Key == c[1].Key {
		t.Errorf("asked to do it again, it was called %d times; the key must be a new one", len(c))
	}
}

func TestAnInterruptedStepIsTakenUp(t *testing.T) {
	t.Parallel()
	for _, effects := range []flow.Effects{flow.EffectsIdempotent, flow.EffectsOnce} {
		t.Run(string(effects), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.grace = time.Millisecond
			reached := make(chan struct{}, 2)
			block := true
			w.add(tool.Tool{Name: "shop.pay", Description: "pay", Effects: effects, Call: func(ctx context.Context, c tool.Call) (tool.Result, error) {
				w.note(c)
				reached <- struct{}{}
				if block {
					<-ctx.Done()
					return tool.Result{}, ctx.Err()
				}
				return tool.Result{Data: "paid"}, nil
			}})
			stop := w.serve()
			w.save(once)
			r := w.start("pay", nil)
			<-reached
			stop() // the step is under way: it stays unfinished
			block = false
			w.serve()
			if effects == flow.EffectsOnce {
				g := w.gate(r.ID)
				if g.Kind != string(history.GateUnknown) {
					t.Fatalf("a gate of kind %s", g.Kind)
				}
				a := engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: history.ChoiceDone, Value: json.RawMessage(`"by hand"`), Actor: history.Actor{User: "ana"}}
				if _, err := w.engine.Answer(t.Context(), a); err != nil {
					t.Fatal(err)
				}
			}
			v := w.ended(r.ID, history.Succeeded)
			calls := w.seen("shop.pay")
			if effects == flow.EffectsOnce {
				if len(calls) != 1 || v.Result.Text != "by hand" {
					t.Errorf("a once act was called %d times and gave %q", len(calls), v.Result.Text)
				}
			} else if len(calls) != 2 || calls[0].Key != calls[1].Key {
				t.Errorf("an idempotent act was called with %v", calls)
			}
		})
	}
}

// A stop lets a step finish that is under way: a once act must not become a question because somebody pressed Ctrl-C.
func TestAStopLetsShortStepsFinish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grace = limit
	reached, release := make(chan struct{}), make(chan struct{})
	w.add(tool.Tool{Name: "shop.pay", Description: "pay", Effects: flow.EffectsOnce, Call: func(ctx context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		close(reached)
		select {
		case <-release:
			return tool.Result{Data: "paid"}, nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	}})
	stop := w.serve()
	w.save(once)
	r := w.start("pay", nil)
	<-reached
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	select {
	case <-stopped:
		t.Error("the stop did not wait for the step")
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	<-stopped
	w.serve()
	w.ended(r.ID, history.Succeeded)
	if n := len(w.seen("shop.pay")); n != 1 {
		t.Errorf("paid %d times", n)
	}
}

func TestOneDecisionWinsAndEveryoneElseIsTold(t *testing.T) {
	t.Parallel()
	w := refunds(t)
	r := w.start("refund", map[string]any{"order_id": "A-1"})
	g := w.gate(r.ID)
	const clicks = 20
	results := make(chan error, clicks)
	for i := range clicks {
		go func() {
			choice := []string{"approve", "reject"}[i%2]
			_, err := w.engine.Answer(context.Background(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: choice, Actor: history.Actor{User: "fin"}})
			results <- err
		}()
	}
	won := 0
	for range clicks {
		var late *engine.DecidedError
		switch err := <-results; {
		case err == nil:
			won++
		case !errors.As(err, &late):
			t.Errorf("a late click got %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d clicks decided", won)
	}
	w.until(r.ID, "ended", func(v *view.View) bool { return history.Status(v.Run.Status).Final() })
	if n := len(w.seen("shop.pay")); n > 1 {
		t.Errorf("paid %d times", n)
	}
}

func TestARunKeyIsTakenOnce(t *testing.T) {
	t.Parallel()
	w := refunds(t)
	q := engine.StartRequest{Flow: "refund", Inputs: map[string]any{"order_id": "A-7"}, Actor: history.Actor{User: "ana"}}
	started := make(chan engine.Started, 10)
	for range cap(started) {
		go func() {
			s, err := w.engine.Start(context.Background(), q)
			if err != nil {
				t.Error(err)
			}
			started <- s
		}()
	}
	fresh := map[string]bool{}
	for range cap(started) {
		if s := <-started; !s.Duplicate {
			fresh[s.Run.ID] = true
		}
	}
	if len(fresh) != 1 {
		t.Errorf("%d runs started for one key", len(fresh))
	}
	q.Anyway = "asked twice"
	if s, err := w.engine.Start(t.Context(), q); err != nil || s.Duplicate {
		t.Errorf("run anyway gave %+v, %v", s, err)
	}
}
