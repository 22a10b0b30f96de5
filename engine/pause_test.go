package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/engine/view"
	"sluice/storage"
)

const twoSteps = `
name: two
flow:
  entry: one
  nodes:
    - {id: one, type: tool, tool: work.slow, effects: once, routes: [{to: two}]}
    - {id: two, type: tool, tool: work.quick, effects: once, routes: [{to: ok}]}
    - {id: ok, type: approval, message: "go on?", routes: [{when: "approvals.ok == 'approve'", to: end}, {when: default, to: end}]}
`

// slowly serves a flow whose first step ends when the returned function is called.
func slowly(t *testing.T) (w *world, begun chan struct{}, end func()) {
	t.Helper()
	w = newWorld(t)
	begun, release := make(chan struct{}, 100), make(chan struct{})
	w.add(tool.Tool{Name: "work.slow", Description: "slow", Effects: flow.EffectsOnce, Call: func(ctx context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		begun <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return tool.Result{Data: map[string]any{"done": true}}, ctx.Err()
	}})
	w.record("work.quick", flow.EffectsOnce)
	w.serve()
	w.save(twoSteps)
	return w, begun, func() { close(release) }
}

var ana = history.Actor{User: "ana", Via: history.ViaCLI}

func (w *world) code(err error, code string) {
	w.t.Helper()
	var ue *usererror.Error
	if !errors.As(err, &ue) || ue.Code != code {
		w.t.Errorf("got %v instead of the code %s", err, code)
	}
}

func TestAPausedRunFinishesItsStepAndStartsNoOther(t *testing.T) {
	t.Parallel()
	w, begun, end := slowly(t)
	r := w.start("two", nil)
	<-begun
	if err := w.engine.PauseRun(t.Context(), r.ID, ana, "let me look"); err != nil {
		t.Fatal(err)
	}
	w.code(w.engine.PauseRun(t.Context(), r.ID, ana, ""), "paused")
	end()
	v := w.until(r.ID, "the step has ended", func(v *view.View) bool { return v.Nodes["one"].State == history.StateComplete })
	if v.Run.Status != string(history.Paused) || len(v.Holds()) != 1 || v.Holds()[0].By != ana || v.Holds()[0].Reason != "let me look" {
		t.Errorf("the run is %s, held by %+v", v.Run.Status, v.Holds())
	}
	if leases, err := w.store.Leases(t.Context()); err != nil || len(leases) > 0 {
		t.Errorf("a paused run is performed: %v, %v", leases, err)
	}
	if left, err := w.engine.ResumeRun(t.Context(), r.ID, ana, ""); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	w.gate(r.ID)
	if n := len(w.seen("work.quick")); n != 1 {
		t.Errorf("the second step ran %d times", n)
	}
	_, err := w.engine.ResumeRun(t.Context(), r.ID, ana, "")
	w.code(err, "not_paused")
}

func TestAPausedFlowHoldsItsRunsAndStartsNone(t *testing.T) {
	t.Parallel()
	w, begun, end := slowly(t)
	w.save(strings.ReplaceAll(twoSteps, "name: two", "name: other"))
	end()
	ids := []string{w.start("two", nil).ID, w.start("two", nil).ID}
	other := w.start("other", nil).ID
	for _, id := range append(ids, other) {
		w.gate(id)
	}
	ctx := t.Context()
	if held, err := w.engine.PauseFlow(ctx, "two", ana, "the shop is closed", nil); err != nil || held != 2 {
		t.Fatalf("%d runs are held, %v", held, err)
	}
	_, err := w.engine.PauseFlow(ctx, "two", ana, "", nil)
	w.code(err, "paused")
	_, err = w.engine.Start(ctx, engine.StartRequest{Flow: "two", Actor: ana})
	w.code(err, "paused")
	if !strings.Contains(fmt.Sprint(err), "ana (the shop is closed)") {
		t.Errorf("it does not say who paused, and why: %v", err)
	}
	if held, err := w.engine.PauseFlow(ctx, "", ana, "", nil); err != nil || held != 3 {
		t.Fatalf("%d runs are held by a pause of everything, %v", held, err)
	}
	if released, err := w.engine.ResumeFlow(ctx, "two", ana, "", nil); err != nil || released != 0 {
		t.Fatalf("%d runs went on although everything is paused, %v", released, err)
	}
	gate := w.gate(ids[0])
	if _, err := w.engine.Answer(ctx, engine.GateAnswer{Gate: gate.ID, Shown: shown(w.engine, gate.ID), Actor: ana, Choice: "approve"}); err != nil {
		t.Fatalf("a gate cannot be answered during a pause: %v", err)
	}
	if released, err := w.engine.ResumeFlow(ctx, "", ana, "", nil); err != nil || released != 2 {
		t.Fatalf("%d runs go on, %v", released, err)
	}
	w.ended(ids[0], history.Succeeded)
	w.until(other, "waiting again", func(v *view.View) bool { return v.Run.Status == string(history.Waiting) })
	_, err = w.engine.ResumeFlow(ctx, "", ana, "", nil)
	w.code(err, "not_paused")
	<-begun
}

// The rows are what counts: a process that stops between them and the runs leaves nothing undone.
func TestRunsFollowThePausesAfterARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.record("work.slow", flow.EffectsOnce)
	w.record("work.quick", flow.EffectsOnce)
	stop := w.serve()
	w.save(twoSteps)
	id := w.start("two", nil).ID
	w.gate(id)
	if err := w.store.Write(t.Context(), &storage.Batch{Pause: []storage.Pause{{Flow: "two", Actor: []byte(`{"user":"bob"}`), Since: w.clock.Now()}}}); err != nil {
		t.Fatal(err)
	}
	stop()
	stop = w.serve()
	v := w.ended(id, history.Paused)
	if by := v.Holds()[0].By.User; by != "bob" {
		t.Errorf("held by %q", by)
	}
	if err := w.store.Write(t.Context(), &storage.Batch{Unpause: []string{"two"}}); err != nil {
		t.Fatal(err)
	}
	stop()
	w.serve()
	w.ended(id, history.Waiting)
}

// A run that failed is not live; a retry while its flow is paused finds it held.
func TestAFailedRunIsHeldWhenItIsRetried(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	broken := true
	w.add(tool.Tool{Name: "work.slow", Description: "fails once", Effects: flow.EffectsRead, Call: func(context.Context, tool.Call) (tool.Result, error) {
		if broken {
			broken = false
			return tool.Result{}, errors.New("it broke")
		}
		return tool.Result{}, nil
	}})
	w.record("work.quick", flow.EffectsOnce)
	w.serve()
	w.save(strings.ReplaceAll(twoSteps, "tool: work.slow, effects: once", "tool: work.slow"))
	id := w.start("two", nil).ID
	w.ended(id, history.Failed)
	if _, err := w.engine.PauseFlow(t.Context(), "two", ana, "", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: w.gate(id).ID, Shown: shown(w.engine, w.gate(id).ID), Actor: ana, Choice: history.ChoiceRetry}); err != nil {
		t.Fatal(err)
	}
	w.ended(id, history.Paused)
	if _, err := w.engine.ResumeFlow(t.Context(), "two", ana, "", nil); err != nil {
		t.Fatal(err)
	}
	w.gate(id)
}

// A timer that is due during a pause loses its row, and gets it back.
func TestATimerOfAPausedRunIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	w.save(`
name: nap
flow:
  entry: nap
  nodes:
    - {id: nap, type: wait, for: 1h, routes: [{to: end}]}
`)
	id := w.start("nap", nil).ID
	if err := w.engine.PauseRun(t.Context(), id, ana, ""); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(2 * time.Hour)
	w.until(id, "the timer is kept", func(v *view.View) bool { return v.Facts[len(v.Facts)-1].Kind == "timer_kept" })
	if due, err := w.store.NextDue(t.Context()); err != nil || !due.IsZero() {
		t.Errorf("a timer is left, due %v, %v", due, err)
	}
	if _, err := w.engine.ResumeRun(t.Context(), id, ana, ""); err != nil {
		t.Fatal(err)
	}
	w.ended(id, history.Succeeded)
}

// While a flow is paused its schedule waits, and then follows its catch-up rule.
func TestASchedulePausedWithItsFlowCatchesUp(t *testing.T) {
	t.Parallel()
	for catchUp, want := range map[string]int{"skip": 0, "once": 1, "all": 3} {
		t.Run(catchUp, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			now := w.clock.Now()
			w.clock.Advance(now.Truncate(time.Hour).Add(90 * time.Minute).Sub(now)) // half past, so that no fire is on time
			w.serve()
			w.save("name: tick\nflow: {entry: a, nodes: [{id: a, type: set, vars: {x: 1}, routes: [{to: end}]}]}\n")
			s := storage.Schedule{Flow: "tick", Cron: "0 * * * *", Owner: "ana", CatchUp: catchUp, Overlap: "allow"}
			s, _, err := w.engine.AddSchedule(t.Context(), s, nil, ana)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.engine.PauseFlow(t.Context(), "", ana, "", nil); err != nil {
				t.Fatal(err)
			}
			w.clock.Advance(3 * time.Hour)
			if n := w.runs("tick"); n != 0 {
				t.Fatalf("%d runs started during the pause", n)
			}
			if _, err := w.engine.ResumeFlow(t.Context(), "", ana, "", nil); err != nil {
				t.Fatal(err)
			}
			deadline := time.Now().Add(limit)
			for s.Next.Before(w.clock.Now()) && time.Now().Before(deadline) {
				select {
				case <-w.moved:
				case <-time.After(50 * time.Millisecond):
				}
				if s, err = w.store.Schedule(t.Context(), s.ID); err != nil {
					t.Fatal(err)
				}
			}
			if n := w.runs("tick"); n != want {
				t.Errorf("%d runs were caught up instead of %d", n, want)
			}
		})
	}
}

func (w *world) runs(flow string) int {
	w.t.Helper()
	rows, err := w.store.Runs(w.t.Context(), storage.RunQuery{Flow: flow})
	if err != nil {
		w.t.Fatal(err)
	}
	return len(rows)
}

// Processes that nobody told stop to start steps, and go on.
func TestOtherProcessesHearOfAPause(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	const steps = 1000 // more than there is time for
	o.save("steps", steps, 100)
	ids := o.start("steps", 6)
	o.until("some acts", func() bool { return o.number("SELECT count(*) FROM book") > 6 })
	pause := storage.Pause{Actor: []byte(`{"user":"ana"}`), Since: time.Now()}
	if err := o.store.Write(t.Context(), &storage.Batch{Pause: []storage.Pause{pause}}); err != nil {
		t.Fatal(err)
	}
	held := func() bool {
		runs, err := o.store.LiveRuns(t.Context(), storage.LiveQuery{Status: string(history.Paused)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(runs) == len(ids)
	}
	o.until("all are held", held)
	acts := func() int { return o.number("SELECT count(*) FROM book") }
	before := acts()
	// The steps that were under way are finished, and no other begins: each run has one token.
	o.until("no token is performed", func() bool {
		leases, err := o.store.Leases(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(leases) == 0
	})
	rested := acts()
	if more := rested - before; more > len(ids) || !held() {
		t.Errorf("%d acts began when all %d runs were held", more, len(ids))
	}
	if err := o.store.Write(t.Context(), &storage.Batch{Unpause: []string{""}}); err != nil {
		t.Fatal(err)
	}
	o.until("acts go on", func() bool { return acts() > rested+len(ids) })
}

// A run whose start was accepted begins held: nothing of it happens before what is paused goes on.
func TestAnAcceptedRunBeginsHeld(t *testing.T) {
	t.Parallel()
	for _, paused := range [][]string{{"two"}, {""}, {"two", ""}} {
		t.Run(strings.Join(paused, "+")+" paused", func(t *testing.T) {
			t.Parallel()
			w, begun, end := slowly(t)
			end()
			ctx := t.Context()
			for _, flow := range paused {
				if _, err := w.engine.PauseFlow(ctx, flow, ana, "the shop is closed", nil); err != nil {
					t.Fatal(err)
				}
			}
			s, err := w.engine.Start(ctx, engine.StartRequest{Flow: "two", Actor: history.Actor{Via: history.ViaHTTP}, Accepted: true})
			if err != nil {
				t.Fatal(err)
			}
			v, err := w.engine.View(ctx, s.Run.ID)
			if err != nil {
				t.Fatal(err)
			}
			if v.Run.Status != string(history.Paused) || len(v.Holds()) != len(paused) || v.Holds()[0].By != ana || v.Holds()[0].Reason != "the shop is closed" {
				t.Errorf("it is %s, held by %+v", v.Run.Status, v.Holds())
			}
			if leases, err := w.store.Leases(ctx); err != nil || len(leases) > 0 {
				t.Errorf("it is performed: %v, %v", leases, err)
			}
			for i, flow := range paused {
				select {
				case <-begun:
					t.Fatal("its first step began")
				default:
				}
				if n, err := w.engine.ResumeFlow(ctx, flow, ana, "", nil); err != nil || (n == 1) != (i == len(paused)-1) {
					t.Fatalf("%d runs go on: %v", n, err)
				}
			}
			<-begun
			w.gate(s.Run.ID)
		})
	}
}
