package engine_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/pgtest"
)

const oneTry = `
name: one
flow:
  entry: a
  nodes:
    - {id: a, type: tool, tool: work.step, params: {ms: 2500, run: "{{run.name}}"}, retry: {max_attempts: 1}, routes: [{to: b}]}
    - {id: b, type: tool, tool: work.step, params: {ms: 1, run: "{{run.name}}"}, retry: {max_attempts: 1}, routes: [{to: end}]}
`

// firstTries wants every start of every step of a run to be its first attempt under one key, and none to have failed. It counts the
// starts.
func firstTries(t *testing.T, s storage.Store, id string) (starts int) {
	t.Helper()
	facts, err := s.Facts(t.Context(), id, 0, "step_started", "step_failed")
	if err != nil {
		t.Fatal(err)
	}
	keys := map[int]string{}
	for _, f := range facts {
		var b history.StepStarted
		if err := json.Unmarshal(f.Body, &b); err != nil {
			t.Fatal(err)
		}
		if f.Kind == "step_failed" || b.Attempt != 1 || keys[f.Step] != "" && keys[f.Step] != b.Key {
			t.Errorf("run %s: %s of step %d: %s", id, f.Kind, f.Step, f.Body)
		}
		keys[f.Step] = b.Key
		starts++
	}
	return starts
}

// TestAStopSpendsNoAttempt stops a process in the middle of a step that may be tried once: the next start does it, as its first try.
func TestAStopSpendsNoAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grace = time.Millisecond
	acting := make(chan struct{}, 9)
	w.add(tool.Tool{Name: "work.step", Description: "work", Effects: flow.EffectsIdempotent, Call: func(ctx context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		acting <- struct{}{}
		if len(w.seen("work.step")) == 1 {
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}
		return tool.Result{}, nil
	}})
	stop := w.serve()
	w.save(oneTry)
	r := w.start("one", nil)
	<-acting
	stop()
	w.serve()
	w.ended(r.ID, history.Succeeded)
	if n := firstTries(t, w.store, r.ID); n != 3 {
		t.Errorf("%d starts of steps, want 3: the first step twice", n)
	}
}

// TestAShortStepFinishesWithinTheGrace stops a process in the middle of a step that ends soon: its result counts, and nothing is repeated.
func TestAShortStepFinishesWithinTheGrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grace = limit
	acting, free := make(chan struct{}, 9), make(chan struct{})
	w.add(tool.Tool{Name: "work.step", Description: "work", Effects: flow.EffectsOnce, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		acting <- struct{}{}
		<-free
		return tool.Result{}, nil
	}})
	stop := w.serve()
	w.save(oneTry)
	r := w.start("one", nil)
	<-acting
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	close(free)
	<-stopped
	w.serve()
	w.ended(r.ID, history.Succeeded)
	if calls := len(w.seen("work.step")); calls != 2 {
		t.Errorf("%d acts, want 2", calls)
	}
	firstTries(t, w.store, r.ID)
}

// TestAStopSpendsNoAttemptBesideOthers is the same with River and three processes, one of which is told to stop.
func TestAStopSpendsNoAttemptBesideOthers(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	o := emptyOfficeAt(t, address)
	for _, name := range []string{"p1", "p2", "p3"} {
		o.hire(name, address)
	}
	o.put(oneTry)
	ids := o.start("one", 3*workers)
	o.busy("p1")
	o.signal("p1", os.Interrupt)
	o.ended(ids)
	again := 0
	for _, id := range ids {
		again += firstTries(t, o.store, id) - 2
	}
	if again == 0 {
		t.Error("no step was cut short by the stop: nothing was tested")
	}
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var failed int
	const query = "SELECT count(*) FROM river_job WHERE errors IS NOT NULL OR state IN ('retryable', 'discarded')"
	if err := db.QueryRowContext(t.Context(), query).Scan(&failed); err != nil || failed > 0 {
		t.Errorf("%d jobs of the queue have spent an attempt (%v)", failed, err)
	}
}
