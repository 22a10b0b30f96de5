package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/engine/view"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

// till is a flow whose runs with the same key wait for each other, and each for a person.
const till = `
name: till
run: {key: "{{inputs.shop}}", on_duplicate: queue}
inputs: {shop: {type: string, required: true}}
flow:
  entry: count
  nodes:
    - {id: count, type: tool, tool: work.count, routes: [{to: ok}]}
    - {id: ok, type: approval, message: "go on?", routes: [{when: "approvals.ok == 'approve'", to: end}, {when: default, to: end}]}
`

// onBoth runs a test on a store of each kind.
func onBoth(t *testing.T, test func(t *testing.T, database func(ctx context.Context) (storage.Store, error))) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "sluice.db")
		test(t, func(ctx context.Context) (storage.Store, error) { return sqlite.Open(ctx, path) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		address := pgtest.URL(t)
		test(t, func(ctx context.Context) (storage.Store, error) { return postgres.Open(ctx, address) })
	})
}

// tills serves the flow; the first run's step fails when broken.
func tills(t *testing.T, database func(ctx context.Context) (storage.Store, error), broken bool) *world {
	t.Helper()
	w := newWorld(t)
	w.database = database
	var calls atomic.Int32
	w.add(tool.Tool{Name: "work.count", Description: "counts", Effects: flow.EffectsRead, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		if broken && calls.Add(1) == 1 {
			return tool.Result{}, errors.New("the till is stuck")
		}
		return tool.Result{}, nil
	}})
	w.serve()
	w.save(till)
	return w
}

// queue starts a run and checks which one it waits for.
func (w *world) queue(behind string) string {
	w.t.Helper()
	s, err := w.engine.Start(w.t.Context(), engine.StartRequest{Flow: "till", Inputs: map[string]any{"shop": "A"}, Actor: ana})
	if err != nil || s.Duplicate || s.Behind != behind {
		w.t.Fatalf("the start gave %+v, %v, and it should wait for %q", s, err, behind)
	}
	if behind != "" {
		w.queued(s.Run.ID, behind)
	}
	return s.Run.ID
}

// queued waits until a run is held behind another one.
func (w *world) queued(id, behind string) {
	w.t.Helper()
	w.until(id, "queued behind "+behind, func(v *view.View) bool {
		h := v.Holds()
		return v.Run.Status == string(history.Paused) && len(h) == 1 && h[0].Scope == history.HoldKey && h[0].Reason == behind
	})
}

func (w *world) approve(id string) {
	w.t.Helper()
	if _, err := w.engine.Answer(w.t.Context(), engine.GateAnswer{Gate: w.gate(id).ID, Shown: shown(w.engine, w.gate(id).ID), Choice: "approve", Actor: ana}); err != nil {
		w.t.Fatal(err)
	}
	w.ended(id, history.Succeeded)
}

func (w *world) acted(n int) {
	w.t.Helper()
	if got := len(w.seen("work.count")); got != n {
		w.t.Errorf("%d steps were done instead of %d", got, n)
	}
}

func TestRunsWithAKeyGoOnOneAfterTheOther(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, database func(ctx context.Context) (storage.Store, error)) {
		w := tills(t, database, false)
		first, second, third := w.queue(""), w.queue("till-1"), w.queue("till-2")
		w.gate(first)
		_, err := w.engine.ResumeRun(t.Context(), second, ana, "")
		w.code(err, "queued")
		if err := w.engine.PauseRun(t.Context(), second, ana, ""); err != nil {
			t.Fatal(err)
		}
		w.acted(1)
		w.approve(first)
		w.until(second, "only paused by a person", func(v *view.View) bool { return !v.Held(history.HoldKey) && v.Held(history.HoldRun) })
		if _, err := w.engine.ResumeRun(t.Context(), second, ana, ""); err != nil {
			t.Fatal(err)
		}
		w.gate(second)
		w.acted(2)
		w.queued(third, "till-2")
		w.approve(second)
		w.approve(third)
		w.approve(w.queue("")) // nobody is before it any more
		w.nothingDue()
		for _, id := range []string{first, second, third} {
			w.folds(id)
			if before, err := w.store.Before(t.Context(), id); err != nil || before != "" {
				t.Errorf("%s still stands behind %q, %v", id, before, err)
			}
		}
	})
}

func TestACancelledRunLeavesTheKeyQueue(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, database func(ctx context.Context) (storage.Store, error)) {
		w := tills(t, database, false)
		first, second, third := w.queue(""), w.queue("till-1"), w.queue("till-2")
		w.gate(first)
		if err := w.engine.Cancel(t.Context(), second, ana, ""); err != nil {
			t.Fatal(err)
		}
		w.queued(third, "till-1")
		fourth := w.queue("till-3")
		if err := w.engine.Cancel(t.Context(), first, ana, ""); err != nil {
			t.Fatal(err)
		}
		w.gate(third)
		w.acted(2)
		w.queued(fourth, "till-3")
	})
}

func TestAFailedRunStillHoldsThoseBehindIt(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, database func(ctx context.Context) (storage.Store, error)) {
		w := tills(t, database, true)
		first := w.queue("")
		w.ended(first, history.Failed)
		second := w.queue("till-1")
		if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: w.gate(first).ID, Shown: shown(w.engine, w.gate(first).ID), Actor: ana, Choice: history.ChoiceAbort}); err != nil {
			t.Fatal(err)
		}
		w.approve(second)
		w.acted(2)
	})
}

func TestAQueuedRunGoesOnAnyway(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, database func(ctx context.Context) (storage.Store, error)) {
		w := tills(t, database, false)
		first, second, third := w.queue(""), w.queue("till-1"), w.queue("till-2")
		if left, err := w.engine.RunAnyway(t.Context(), second, ana, "it is urgent"); err != nil || len(left) > 0 {
			t.Fatalf("still held by %v, %v", left, err)
		}
		_, err := w.engine.RunAnyway(t.Context(), second, ana, "")
		w.code(err, "not_queued")
		w.approve(second)
		w.queued(third, "till-1") // which is before both
		s, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: "till", Inputs: map[string]any{"shop": "A"}, Actor: ana, Anyway: "now"})
		if err != nil || s.Behind != "" {
			t.Fatalf("a run that is started anyway: %+v, %v", s, err)
		}
		fifth := w.queue(s.Run.Name)
		w.approve(s.Run.ID)
		w.queued(fifth, "till-3")
		w.approve(first)
		w.approve(third)
		w.approve(fifth)
		w.nothingDue()
	})
}

// booth is till without people.
const booth = `
name: booth
run: {key: "{{inputs.shop}}", on_duplicate: queue}
inputs: {shop: {type: string, required: true}}
flow: {entry: count, nodes: [{id: count, type: tool, tool: work.count, routes: [{to: end}]}]}
`

// oneByOne checks that of some runs no two were at work at a time.
func (w *world) oneByOne(ids []string) {
	w.t.Helper()
	type span struct{ from, to time.Time }
	var spans []span
	for _, id := range ids {
		w.ended(id, history.Succeeded)
		v, err := w.engine.View(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		i := slices.IndexFunc(v.Facts, func(f history.Fact) bool { return f.Kind == "step_started" })
		spans = append(spans, span{v.Facts[i].At, v.Run.Ended})
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from.Before(spans[i-1].to) {
			w.t.Errorf("a run began its step at %v, before the end of another one at %v", spans[i].from, spans[i-1].to)
		}
	}
}

func TestStartsAndEndsThatMeetLetOneRunGoOnAtATime(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, database func(ctx context.Context) (storage.Store, error)) {
		w := newWorld(t)
		w.database = database
		w.record("work.count", flow.EffectsIdempotent)
		w.serve()
		w.save(booth)
		const runs = 24
		ids := make([]string, runs)
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				s, err := w.engine.Start(context.Background(), engine.StartRequest{Flow: "booth", Inputs: map[string]any{"shop": "A"}, Actor: ana})
				if err != nil {
					t.Error(err)
				}
				ids[i] = s.Run.ID
				if i%5 == 4 { // some are cancelled while they wait, or are too late for it
					_ = w.engine.Cancel(context.Background(), s.Run.ID, ana, "")
				}
			})
		}
		wg.Wait()
		var left []string
		for _, id := range ids {
			v := w.until(id, "over", func(v *view.View) bool { return history.Status(v.Run.Status).Final() })
			if v.Run.Status == string(history.Succeeded) {
				left = append(left, id)
			}
		}
		w.oneByOne(left)
		w.nothingDue()
	})
}

// queueKilledAt lets a process die the n-th time that it passes a position while three runs are queued, and another process take over.
func queueKilledAt(t *testing.T, n int64, database func(ctx context.Context) (storage.Store, error)) (passed int64, died bool) {
	t.Helper()
	w := newWorld(t)
	w.grace = time.Millisecond
	all := make(chan struct{})
	w.add(tool.Tool{Name: "work.count", Description: "counts", Effects: flow.EffectsIdempotent, Call: func(ctx context.Context, c tool.Call) (tool.Result, error) {
		select {
		case <-all:
		case <-ctx.Done():
		}
		return tool.Result{}, ctx.Err()
	}})
	var count atomic.Int64
	var process atomic.Pointer[mortal]
	var armed atomic.Bool
	w.database = func(ctx context.Context) (storage.Store, error) {
		s, err := database(ctx)
		m := &mortal{Store: s}
		process.Store(m)
		return m, err
	}
	w.hook = func(string) {
		if armed.Load() && count.Add(1) == n {
			process.Load().dead.Store(true)
			w.Wake()
		}
	}
	stop := w.serve()
	w.save(booth)
	armed.Store(true)
	first := process.Load()
	var ids []string
	begin := func(most int) {
		for range most {
			s, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: "booth", Inputs: map[string]any{"shop": "A"}, Actor: ana})
			if err != nil && !process.Load().dead.Load() {
				t.Fatal(err)
			}
			if err == nil {
				ids = append(ids, s.Run.ID)
			}
		}
	}
	begin(3)
	close(all)
	for _, id := range ids {
		w.until(id, "the end, or death", func(v *view.View) bool {
			return v.Run.Status == string(history.Succeeded) || first.dead.Load()
		})
	}
	w.wait("all signals are delivered, or the process is dead", func(ctx context.Context) (bool, string, error) {
		due, err := w.store.NextDue(ctx)
		return due.IsZero() || first.dead.Load(), "something is due at " + due.String(), err
	})
	if died = first.dead.Load(); died {
		stop()
		w.clock.Advance(31 * time.Second) // what the dead had claimed is handed out again
		w.serve()
		begin(3 - len(ids))
	}
	rows, err := w.store.Runs(t.Context(), storage.RunQuery{Flow: "booth"}) // also those of which the dead could not tell
	if err != nil {
		t.Fatal(err)
	}
	ids = nil
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	w.oneByOne(ids)
	w.nothingDue()
	return count.Load(), died
}

func TestAKillAnywhereInAKeyQueue(t *testing.T) {
	t.Parallel()
	kill := func(t *testing.T, every int64, database func(t *testing.T) func(ctx context.Context) (storage.Store, error)) {
		positions, _ := queueKilledAt(t, 0, database(t))
		deaths, tried := 0, 0
		for n := int64(1); n <= positions; n += every {
			tried++
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				if _, died := queueKilledAt(t, n, database(t)); died {
					deaths++
				}
			})
		}
		if positions < 12 || deaths < tried*3/4 {
			t.Errorf("%d of %d processes died, %d positions were passed", deaths, tried, positions)
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		kill(t, 1, func(t *testing.T) func(ctx context.Context) (storage.Store, error) {
			path := filepath.Join(t.TempDir(), "sluice.db")
			return func(ctx context.Context) (storage.Store, error) { return sqlite.Open(ctx, path) }
		})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		kill(t, 4, func(t *testing.T) func(ctx context.Context) (storage.Store, error) {
			address := pgtest.URL(t)
			return func(ctx context.Context) (storage.Store, error) { return postgres.Open(ctx, address) }
		})
	})
}

// Three processes perform the runs of one key, each after the one before.
func TestSeveralProcessesKeepAKeyQueue(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.put(`
name: line
run: {key: "the only one", on_duplicate: queue}
flow: {entry: a, nodes: [{id: a, type: tool, tool: work.step, params: {ms: 20, run: "{{run.name}}"}, routes: [{to: end}]}]}
`)
	ids := make([]string, 12)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			s, err := o.engine.Start(context.Background(), engine.StartRequest{Flow: "line", Actor: ana})
			if err != nil {
				t.Error(err)
			}
			ids[i] = s.Run.ID
		})
	}
	wg.Wait()
	o.ended(ids)
	if n := o.number("SELECT count(*) FROM book AS a JOIN book AS b ON a.id < b.id AND b.begun < a.ended"); n > 0 {
		t.Errorf("%d pairs of steps were under way at the same time", n)
	}
	if n := o.number("SELECT count(DISTINCT run) FROM book"); n != len(ids) {
		t.Errorf("%d of %d runs acted", n, len(ids))
	}
}

// Children and forks are queued, too.
func TestChildrenAndForksAreQueued(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, database func(ctx context.Context) (storage.Store, error)) {
		w := tills(t, database, false)
		w.save(`
name: day
flow: {entry: sub, nodes: [{id: sub, type: subflow, flow: till, inputs: {shop: A}, routes: [{to: end}]}]}
`)
		first := w.start("day", nil)
		one := w.child(first.ID)
		w.gate(one.ID)
		later := w.start("day", nil)
		two := w.child(later.ID)
		w.queued(two.ID, one.Name)
		fork, err := w.engine.Fork(t.Context(), one.ID, engine.ForkPoint{Node: "count"}, nil, ana)
		if err != nil {
			t.Fatal(err)
		}
		w.gate(fork.ID) // it was asked for by name, and waits for nobody
		last := w.queue(fork.Name)
		w.approve(fork.ID)
		w.queued(last, two.Name)
		w.approve(one.ID)
		w.approve(two.ID)
		w.ended(first.ID, history.Succeeded)
		w.ended(later.ID, history.Succeeded)
		w.approve(last)
		w.nothingDue()
	})
}
