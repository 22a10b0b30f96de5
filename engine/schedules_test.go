package engine_test

import (
	"testing"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/flow"
	"sluice/storage"
)

// approved stores the schedules that a flow's own triggers ask for, as an approval does, and gives the first.
func (w *world) approved(triggers ...flow.Trigger) storage.Schedule {
	w.t.Helper()
	f := &flow.Flow{Name: "quick", Inputs: []flow.Input{{Name: "who", Type: "string", Required: true}}, Triggers: triggers}
	list, err := w.engine.TriggerSchedules(w.t.Context(), f, "ana", "C1")
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(&storage.Batch{Schedules: list})
	s, err := w.store.Schedule(w.t.Context(), "trigger-quick-0")
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func byCron(cron string) flow.Trigger {
	return flow.Trigger{Schedule: &flow.ScheduleTrigger{Cron: cron, Inputs: map[string]any{"who": "ana"}, Overlap: "queue"}}
}

// A schedule of the flow itself goes on when the flow is approved again: it fires nothing twice and forgets no run. Another one begins
// anew, and one that is not there any more rests.
func TestASchedulesNextRevision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	zone, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	w.calendar = calendar.Usual(zone)
	w.open()
	t.Cleanup(w.close)
	w.save(quick)
	w.at(noon.Add(time.Second))
	s := w.approved(byCron("*/10 * * * *"))
	if s.Zone != "Asia/Tokyo" || s.CatchUp != "once" || !s.Next.Equal(minutes(10)) {
		t.Errorf("a schedule that says nothing else is %+v", s)
	}
	s.Last, s.Next, s.LatestRun, s.Kept, s.Failures = minutes(20), minutes(30), "r1", []time.Time{minutes(20)}, 2
	w.write(&storage.Batch{Schedules: []storage.Schedule{s}})

	w.at(minutes(5)) // the clock was put back
	s = w.approved(byCron("*/10 * * * *"))
	if !s.Next.Equal(minutes(30)) || !s.Last.Equal(minutes(20)) || s.LatestRun != "r1" || len(s.Kept) != 1 || s.Failures != 0 {
		t.Errorf("the same schedule goes on as %+v", s)
	}
	s = w.approved(byCron("*/7 * * * *"))
	if !s.Next.Equal(minutes(7)) || s.LatestRun != "r1" || len(s.Kept) != 0 {
		t.Errorf("another schedule begins as %+v", s)
	}
	s = w.approved()
	if !s.Paused {
		t.Errorf("a schedule that is not there any more is %+v", s)
	}
	w.at(minutes(50))
	s = w.approved(byCron("*/7 * * * *"))
	if s.Paused || !s.Next.Equal(minutes(56)) {
		t.Errorf("a schedule that is there again begins as %+v", s)
	}
}
