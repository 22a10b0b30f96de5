package engine_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/timer"
	"sluice/engine/tool"
	"sluice/engine/view"
	"sluice/storage"
)

// waits tells whether a run waits for a timer of a kind.
func waits(kind history.TimerKind) func(*view.View) bool {
	return func(v *view.View) bool {
		s, err := history.DecodeState(v.Run.State)
		return err == nil && slices.ContainsFunc(s.Timers, func(t history.Timer) bool { return t.Kind == kind })
	}
}

func (w *world) answer(g storage.Gate, choice string) {
	w.t.Helper()
	w.answerAs("fin", g, choice)
}

func (w *world) answerAs(user string, g storage.Gate, choice string) {
	w.t.Helper()
	if _, err := w.engine.Answer(w.t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: choice, Actor: history.Actor{User: user}}); err != nil {
		w.t.Fatal(err)
	}
}

// count counts the facts of a kind.
func count(v *view.View, kind history.FactKind, ok func(history.Body) bool) (n int) {
	for _, f := range v.Facts {
		if f.Kind == kind && (ok == nil || ok(f.Body)) {
			n++
		}
	}
	return n
}

func fired(v *view.View) int {
	return count(v, "timer_gone", func(b history.Body) bool { return b.(*history.TimerGone).Fired })
}

// timed are runs that wait for a timer of each kind, and how often what it is for must have happened once it has fired.
var timed = []struct {
	kind   history.TimerKind
	flow   string
	effect history.FactKind
	times  int
}{
	{history.TimerWait, `
name: timed
flow:
  entry: nap
  nodes:
    - {id: nap, type: wait, for: 1h, routes: [{to: act}]}
    - {id: act, type: tool, tool: do.act, routes: [{to: end}]}
`, "step_started", 1},
	{history.TimerRetry, `
name: timed
flow:
  entry: act
  nodes:
    - {id: act, type: tool, tool: do.fail, retry: {max_attempts: 2, backoff_ms: 3600000, max_backoff_ms: 3600000}, on_error: [{match: SoftError, to: end}], routes: [{to: end}]}
`, "step_started", 2},
	{history.TimerDeadline, `
name: timed
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "?", deadline: {after: 1h}, on_error: [{match: GateTimeout, to: act}], routes: [{when: default, to: end}]}
    - {id: act, type: tool, tool: do.act, routes: [{to: end}]}
`, "step_started", 1},
	{history.TimerRemind, `
name: timed
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "?", deadline: {after: 90d, remind: 1h}, routes: [{when: default, to: end}]}
`, "gate_reminded", 1},
	{history.TimerEscalate, `
name: timed
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "?", deadline: {after: 90d, escalate: {after: 1h, to: "@cfo"}}, routes: [{when: default, to: end}]}
`, "gate_reminded", 1},
	{history.TimerJoin, `
name: timed
flow:
  entry: fork
  nodes:
    - {id: fork, type: parallel, branches: [gate, act], join: {type: all, timeout: 1h}, on_error: [{match: JoinError, to: end}], routes: [{to: end}]}
    - {id: gate, type: approval, message: "?"}
    - {id: act, type: tool, tool: do.act}
`, "joined", 1},
}

// timedWorld is a world with a run that waits for a timer of a kind.
func timedWorld(t *testing.T, kind history.TimerKind, src string) (w *world, r storage.Run, stop func()) {
	t.Helper()
	w = newWorld(t)
	w.record("do.act", flow.EffectsOnce)
	w.add(tool.Tool{Name: "do.fail", Description: "fails", Effects: flow.EffectsIdempotent, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		return tool.Result{}, &tool.Error{Type: "SoftError", Message: "not now"}
	}})
	stop = w.serve()
	w.save(src)
	r = w.start("timed", nil)
	w.until(r.ID, "it waits", func(v *view.View) bool {
		s, err := history.DecodeState(v.Run.State)
		return err == nil && waits(kind)(v) && s.Status == history.Waiting
	})
	return w, r, stop
}

// A process that is killed between the claim of a timer and the transition leaves the timer to the process that comes after the hold: what
// it is for happens once, whatever the kind.
func TestAClaimedTimerSurvivesACrash(t *testing.T) {
	t.Parallel()
	for _, c := range timed {
		t.Run(string(c.kind), func(t *testing.T) {
			t.Parallel()
			w, r, stop := timedWorld(t, c.kind, c.flow)
			stop()
			w.clock.Advance(time.Hour)
			w.open()
			claimed, err := w.store.ClaimTimers(t.Context(), "", w.clock.Now(), timer.Hold, 10)
			if err != nil || len(claimed) != 1 || claimed[0].Kind != string(c.kind) {
				t.Fatalf("claimed %+v (%v)", claimed, err)
			}
			before := fired(w.view(r.ID))
			w.close()

			w.serve()
			if n := fired(w.view(r.ID)); n != before {
				t.Errorf("the timer fired while it was claimed")
			}
			w.clock.Advance(timer.Hold + time.Second)
			v := w.until(r.ID, "the timer has fired", func(v *view.View) bool { return fired(v) == before+1 && count(v, c.effect, nil) == c.times })
			if c.kind != history.TimerRemind && c.kind != history.TimerEscalate {
				v = w.ended(r.ID, history.Succeeded)
			}
			if n := count(v, c.effect, nil); n != c.times || fired(v) != before+1 {
				t.Errorf("%d facts %s after %d fires", n, c.effect, fired(v))
			}
		})
	}
}

// A timer that several claim at a time, or that comes late, does what it is for once.
func TestATimerThatIsFiredTwice(t *testing.T) {
	t.Parallel()
	for _, c := range timed {
		t.Run(string(c.kind), func(t *testing.T) {
			t.Parallel()
			w, r, stop := timedWorld(t, c.kind, c.flow)
			stop()
			w.clock.Advance(time.Hour)
			w.open()
			claimed, err := w.store.ClaimTimers(t.Context(), "", w.clock.Now(), timer.Hold, 10)
			if err != nil || len(claimed) != 1 {
				t.Fatalf("claimed %+v (%v)", claimed, err)
			}
			before := fired(w.view(r.ID))
			one := w.engine
			other := engine.New(engine.Config{Store: w.store, Tools: w.tools, Dispatcher: local.New(local.Options{}), Clock: w.clock, Worker: "other"})
			var wg sync.WaitGroup
			for n := range 12 {
				wg.Go(func() {
					if err := []*engine.Engine{one, other}[n%2].Fire(context.Background(), claimed[0]); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			facts := len(w.view(r.ID).Facts)
			for _, late := range []storage.Timer{claimed[0], {Run: r.ID, Num: 99, Kind: string(c.kind)}, {Run: "nobody", Num: 1, Kind: string(c.kind)}} {
				if err := one.Fire(t.Context(), late); err != nil {
					t.Errorf("a late fire of %+v: %v", late, err)
				}
			}
			v := w.view(r.ID)
			if len(v.Facts) != facts || fired(v) != before+1 {
				t.Errorf("%d facts by late fires, %d fires", len(v.Facts)-facts, fired(v)-before)
			}
			w.close()
		})
	}
}

func (w *world) view(id string) *view.View {
	w.t.Helper()
	v, err := w.engine.View(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

const naps = `
name: naps
inputs: {long: {type: string, default: "2026-01-01"}}
flow:
  entry: nap
  nodes: [{id: nap, type: wait, until: "{{inputs.long}}", routes: [{to: end}]}]
`

// A timer that is due earlier than all others wakes the poller up: it would look again by itself only when the test has given up.
func TestAnEarlierTimerWakesThePoller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	w.save(naps)
	until := func(d time.Duration) map[string]any {
		return map[string]any{"long": w.clock.Now().Add(d).Format(time.RFC3339Nano)}
	}
	w.start("naps", until(time.Hour))
	r := w.start("naps", until(300*time.Millisecond))
	v := w.ended(r.ID, history.Succeeded)
	s := count(v, "timer_set", nil)
	if s != 1 {
		t.Fatalf("%d timers", s)
	}
	t.Logf("300 ms took %v", v.Run.Ended.Sub(v.Run.Started))
}

// What fell due during an outage is worked off in batches; schedules have their turn meanwhile, and a run that cannot be read holds up
// nobody.
func TestManyTimersAtOnce(t *testing.T) {
	t.Parallel()
	const n = 350
	w := worldAtNoon(t)
	stop := w.serve()
	w.save(naps)
	w.save(quick)
	s := w.every("quick", "once", "skip")
	var ids []string
	for range n {
		ids = append(ids, w.start("naps", map[string]any{"long": minutes(5).Format(time.RFC3339)}).ID)
	}
	stop()
	w.open()
	broken, err := w.store.Run(t.Context(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	broken.State = []byte("no state")
	w.write(&storage.Batch{Run: &storage.RunWrite{Run: broken}})
	w.close()
	w.at(minutes(10))
	w.serve()
	w.settles(s.ID, 0)
	w.same("the schedule", w.fires("quick"), "10")
	for _, id := range ids[1:] {
		w.until(id, "over", func(v *view.View) bool { return v.Run.Status == string(history.Succeeded) })
	}
	rows, err := w.store.Runs(t.Context(), storage.RunQuery{Flow: "quick"})
	if err != nil {
		t.Fatal(err)
	}
	earlier := 0
	for _, id := range ids[1:] {
		if w.view(id).Run.Ended.Before(rows[0].Started) {
			earlier++
		}
	}
	if earlier > n/2 {
		t.Errorf("the schedule had to wait for %d timers", earlier)
	}
}

// A gate without a deadline asks again after each working day, for ever; one that escalates does so once.
func TestRemindersGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	w.save(`
name: long
flow:
  entry: fork
  nodes:
    - {id: fork, type: parallel, branches: [plain, eager], join: {type: all}, routes: [{to: end}]}
    - {id: plain, type: approval, message: "?"}
    - {id: eager, type: approval, message: "?", deadline: {after: 30d, escalate: {after: 2 working days, to: "@cfo"}}}
`)
	thursday := time.Date(2026, 11, 12, 10, 0, 0, 0, time.UTC)
	w.at(thursday)
	r := w.start("long", nil)
	reminded := func(escalated bool) func(history.Body) bool {
		return func(b history.Body) bool { return (b.(*history.GateReminded).Escalated != "") == escalated }
	}
	// Friday, Saturday, Sunday, Monday, Tuesday, Wednesday
	for day, want := range []struct{ again, escalated int }{{1, 0}, {1, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 1}} {
		w.at(thursday.AddDate(0, 0, day+1).Add(time.Minute))
		v := w.until(r.ID, "reminded", func(v *view.View) bool { return count(v, "gate_reminded", nil) >= want.again+want.escalated })
		if a, b := count(v, "gate_reminded", reminded(false)), count(v, "gate_reminded", reminded(true)); a != want.again || b != want.escalated {
			t.Errorf("%d days later it was asked again %d times and escalated %d times, want %+v", day+1, a, b, want)
		}
	}
}
