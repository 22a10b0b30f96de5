package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/runner"
	"sluice/engine/usererror"
	"sluice/storage"
)

const round = `
name: round
limits: {steps: 1000000000}
flow:
  entry: a
  max_iterations: 999999999
  on_limit: {action: fail}
  nodes:
    - {id: a, type: tool, tool: shop.get, routes: [{to: b}]}
    - {id: b, type: set, vars: {n: "1"}, routes: [{to: a}]}
`

// TestARunOfBeforeKeepsToTheCeiling: a flow that was approved when more was allowed ends at what is allowed now, with the limit's name.
func TestARunOfBeforeKeepsToTheCeiling(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ceilings = flow.Ceilings{Steps: 40}
	w.record("shop.get", flow.EffectsRead)
	w.serve()
	w.save(round)
	v := w.ended(w.start("round", nil).ID, history.Failed)
	if v == nil || len(w.seen("shop.get")) > 40 {
		t.Errorf("the tool was called %d times", len(w.seen("shop.get")))
	}
}

// TestAHotLoopKeepsItsPace: a run that goes round without waiting makes its burst and then so many steps a second, and others go on
// beside it.
func TestAHotLoopKeepsItsPace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pace = runner.Pace{PerSecond: 20, Burst: 50}
	w.record("shop.get", flow.EffectsRead)
	w.record("shop.pay", flow.EffectsOnce)
	w.serve()
	w.save(round)
	w.save(strings.NewReplacer("name: round", "name: other", "shop.get", "shop.pay", "routes: [{to: a}]", "routes: [{to: end}]").Replace(round))
	began := time.Now()
	w.start("round", nil)
	w.wait("the burst", func(context.Context) (bool, string, error) { return len(w.seen("shop.get")) >= 20, "", nil })
	for range 5 {
		at := time.Now()
		w.ended(w.start("other", nil).ID, history.Succeeded)
		t.Logf("a run beside it took %s", time.Since(at).Round(time.Millisecond))
	}
	if made, most := 2*len(w.seen("shop.get")), 50+int(time.Since(began).Seconds()*20)+30; made > most {
		t.Errorf("the run made %d steps, and may have made %d", made, most)
	}
}

// TestAFlowThatStartsTooOften is refused with the setting that says how often it may.
func TestAFlowThatStartsTooOften(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startsPerMinute = 3
	w.record("shop.get", flow.EffectsRead)
	w.serve()
	w.save(strings.NewReplacer("routes: [{to: a}]", "routes: [{to: end}]").Replace(round))
	for range 3 {
		w.ended(w.start("round", nil).ID, history.Succeeded)
	}
	_, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: "round", Actor: history.Actor{User: "ana"}})
	ue, ok := errors.AsType[*usererror.Error](err)
	if !ok || ue.Code != "too_many_starts" || !strings.Contains(ue.Hint, "SLUICE_MAX_STARTS_PER_MINUTE") {
		t.Errorf("the fourth start is answered %v", err)
	}
}

const held = `
name: held
flow: {entry: a, nodes: [{id: a, type: approval, message: "Really?", who: {users: ["@ana"]}}]}
`

// TestAPersonHasSoManyLiveRuns: one more is refused with the setting, also as a fork; others, schedules and webhooks start theirs.
func TestAPersonHasSoManyLiveRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.liveRuns = 2
	w.serve()
	w.save(held)
	start := func(a history.Actor, told bool) (engine.Started, error) {
		return w.engine.Start(t.Context(), engine.StartRequest{Flow: "held", Actor: a, Accepted: told})
	}
	refused := func(what string, err error) {
		t.Helper()
		ue, ok := errors.AsType[*usererror.Error](err)
		if !ok || ue.Code != "too_many_live_runs" || !strings.Contains(ue.Text, "2 runs") || !strings.Contains(ue.Hint, "SLUICE_MAX_LIVE_RUNS") {
			t.Errorf("%s is answered %v", what, err)
		}
	}
	ana := history.Actor{User: "ana", Via: history.ViaCommand}
	var last engine.Started
	for range 2 {
		var err error
		if last, err = start(ana, false); err != nil {
			t.Fatal(err)
		}
	}
	_, err := start(ana, false)
	refused("the third start", err)
	_, err = w.engine.Fork(t.Context(), last.Run.ID, engine.ForkPoint{Node: "a"}, nil, ana)
	refused("a fork", err)
	for what, q := range map[string]struct {
		history.Actor
		told bool
	}{"another person": {history.Actor{User: "ben"}, false}, "a schedule": {history.Actor{User: "ana", Via: history.ViaTimer}, false}, "a webhook": {history.Actor{User: "ana"}, true}, "nobody": {}} {
		s, err := start(q.Actor, q.told)
		if err != nil {
			t.Errorf("%s is refused: %v", what, err)
		} else if err := w.engine.Cancel(t.Context(), s.Run.ID, ana, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.engine.Cancel(t.Context(), last.Run.ID, ana, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := start(ana, false); err != nil {
		t.Errorf("when one of them is over: %v", err)
	}
}

// TestAScheduleKeepsItsDistance: one that is made must not fire more often than allowed, and one of before fires as often as that.
func TestAScheduleKeepsItsDistance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ceilings = flow.Ceilings{Interval: time.Hour}
	w.serve()
	w.save(strings.Replace(held, "approval, message: \"Really?\", who: {users: [\"@ana\"]}", "terminal", 1))
	s := storage.Schedule{Flow: "held", Cron: "*/10 * * * *", Zone: "UTC", CatchUp: "once", Overlap: "allow"}
	_, _, err := w.engine.AddSchedule(t.Context(), s, nil, history.Actor{User: "ana"})
	ue, ok := errors.AsType[*usererror.Error](err)
	if !ok || ue.Code != "too_often" || !strings.Contains(ue.Text, "every 10m0s") || !strings.Contains(ue.Text, "every 1h0m0s") || !strings.Contains(ue.Hint, "SLUICE_MIN_SCHEDULE_INTERVAL") {
		t.Errorf("a new schedule is answered %v", err)
	}
	if _, err := w.engine.TriggerSchedules(t.Context(), &flow.Flow{Name: "held", Triggers: []flow.Trigger{{Schedule: &flow.ScheduleTrigger{Cron: s.Cron}}}}, "ana", ""); err == nil {
		t.Error("a flow's own schedule is taken")
	}
	s.ID, s.Next, s.Inputs = "old", w.engine.Now().Truncate(10*time.Minute).Add(10*time.Minute), []byte("{}")
	if err := w.store.Write(t.Context(), &storage.Batch{Schedules: []storage.Schedule{s}}); err != nil {
		t.Fatal(err)
	}
	w.at(s.Next)
	w.wait("the fire", func(ctx context.Context) (bool, string, error) {
		got, err := w.store.Schedule(ctx, "old")
		return got.Last.Equal(s.Next) && got.Next.Equal(s.Next.Add(time.Hour)), got.Next.String(), err
	})
}
