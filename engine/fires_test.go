package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/storage"
)

// noon is when the tests of schedules begin.
var noon = time.Date(2026, 11, 11, 12, 0, 0, 0, time.UTC)

func TestAScheduleFiresOncePerFire(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.record("shop.get", flow.EffectsRead)
	w.record("shop.pay", flow.EffectsIdempotent)
	stop := w.serve()
	w.save(refund)
	s := storage.Schedule{Flow: "refund", Cron: "*/1 * * * *", Zone: "Europe/Berlin", Owner: "ana", CatchUp: "once", Overlap: "allow"}
	if _, _, err := w.engine.AddSchedule(t.Context(), s, nil, history.Actor{}); err == nil {
		t.Error("a schedule without its required inputs was accepted")
	}
	if _, _, err := w.engine.AddSchedule(t.Context(), s, map[string]any{"order_id": "A-3"}, history.Actor{}); err != nil {
		t.Fatal(err)
	}
	runs := func() int {
		rows, err := w.store.Runs(t.Context(), storage.RunQuery{Flow: "refund"})
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	for want := 1; want <= 3; want++ {
		if want == 3 {
			stop()
			w.serve()
		}
		w.clock.Advance(time.Minute)
		deadline := time.Now().Add(limit)
		for runs() < want && time.Now().Before(deadline) {
			select {
			case <-w.moved:
			case <-time.After(50 * time.Millisecond):
			}
		}
		if got := runs(); got != want {
			t.Fatalf("after %d minutes %d runs have started", want, got)
		}
	}
}

const report = `
name: report
inputs: {who: {type: string, required: true}}
flow:
  entry: gate
  nodes: [{id: gate, type: approval, message: "Send it?", routes: [{when: default, to: end}]}]
`

const quick = `
name: quick
inputs: {who: {type: string, required: true}}
flow: {entry: done, nodes: [{id: done, type: terminal}]}
`

// at moves the clock.
func (w *world) at(when time.Time) {
	w.t.Helper()
	w.clock.Advance(when.Sub(w.clock.Now()))
}

func minutes(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

// worldAtNoon is a world whose clock shows a second past twelve before anybody looks at it: a look that is under way when the clock is put
// back takes its fires from the time before.
func worldAtNoon(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.at(noon.Add(time.Second))
	return w
}

// every adds a schedule that fires every ten minutes, from ten past twelve on.
func (w *world) every(name, catchUp, overlap string) storage.Schedule {
	w.t.Helper()
	s, _, err := w.engine.AddSchedule(w.t.Context(), storage.Schedule{
		Flow: name, Cron: "*/10 * * * *", Zone: "UTC", Owner: "ana", Channel: "C1", CatchUp: catchUp, Overlap: overlap,
	}, map[string]any{"who": "ana"}, history.Actor{User: "ana"})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.settles(s.ID, 0)
}

// fires lists for which minutes after noon the schedules of a flow have started runs, in the order in which they were started.
func (w *world) fires(name string) string {
	w.t.Helper()
	rows, err := w.store.Runs(w.t.Context(), storage.RunQuery{Flow: name, Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.SortFunc(rows, func(a, b storage.Run) int { return a.Number - b.Number }) // the clock may have been put back
	var out []string
	for _, r := range rows {
		v, err := w.engine.View(w.t.Context(), r.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, fmt.Sprint(v.Start.Event["at"]))
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, fmt.Sprint(int(at.Sub(noon).Minutes())))
	}
	return strings.Join(out, " ")
}

// settles waits until a schedule has dealt with everything up to now, and keeps so many fires.
func (w *world) settles(id string, kept int) storage.Schedule {
	w.t.Helper()
	deadline := time.Now().Add(limit)
	for {
		s, err := w.store.Schedule(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		if (s.Paused || s.Next.After(w.clock.Now())) && len(s.Kept) == kept {
			return s
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the schedule is at %+v", s)
		}
		select {
		case <-w.moved:
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (w *world) same(what, got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("%s: runs for %q, want %q", what, got, want)
	}
}

// approveOldest answers the gate of the run that waits for longest.
func (w *world) approveOldest() {
	w.t.Helper()
	open, err := w.store.Gates(w.t.Context(), storage.GateQuery{Open: true})
	if err != nil || len(open) == 0 {
		w.t.Fatalf("no gate is open (%v)", err)
	}
	w.answer(open[len(open)-1], "approve")
}

// A process that was off over several fires makes up for them as the schedule says.
func TestCatchUpAfterDowntime(t *testing.T) {
	t.Parallel()
	for catchUp, want := range map[string]string{"skip": "10 80", "once": "10 70 80", "all": "10 20 30 40 50 60 70 80"} {
		t.Run(catchUp, func(t *testing.T) {
			t.Parallel()
			w := worldAtNoon(t)
			stop := w.serve()
			w.save(quick)
			s := w.every("quick", catchUp, "allow")
			w.at(minutes(10))
			w.settles(s.ID, 0)
			stop()
			w.at(minutes(75))
			w.serve()
			w.settles(s.ID, 0)
			w.at(minutes(80))
			w.settles(s.ID, 0)
			w.same("after the downtime", w.fires("quick"), want)
		})
	}
}

// All missed fires are made up for, but not those of last year.
func TestCatchUpHasAWindow(t *testing.T) {
	t.Parallel()
	w := worldAtNoon(t)
	w.window = 25 * time.Minute
	stop := w.serve()
	w.save(quick)
	s := w.every("quick", "all", "allow")
	stop()
	w.at(minutes(365 * 24 * 60))
	w.serve()
	w.settles(s.ID, 0)
	year := 365 * 24 * 60
	w.same("within the window", w.fires("quick"), fmt.Sprint(year-20, " ", year-10, " ", year))
}

// While the run before still goes on, the next fire runs beside it or is left out.
func TestOverlapAllowAndSkip(t *testing.T) {
	t.Parallel()
	for overlap, want := range map[string]string{"allow": "10 20 30", "skip": "10 30"} {
		t.Run(overlap, func(t *testing.T) {
			t.Parallel()
			w := worldAtNoon(t)
			w.serve()
			w.save(report)
			s := w.every("report", "once", overlap)
			w.at(minutes(10))
			w.settles(s.ID, 0)
			w.at(minutes(20))
			w.settles(s.ID, 0)
			w.approveOldest()
			w.at(minutes(30))
			w.settles(s.ID, 0)
			w.same("over three fires", w.fires("report"), want)
		})
	}
}

// Fires that meet a run that goes on are kept in order, also through a restart and a downtime, and each starts when the run before has
// ended.
func TestOverlapQueue(t *testing.T) {
	t.Parallel()
	w := worldAtNoon(t)
	stop := w.serve()
	w.save(report)
	s := w.every("report", "all", "queue")
	for n := 1; n <= 3; n++ {
		w.at(minutes(10 * n))
		w.settles(s.ID, n-1)
	}
	w.same("while the first goes on", w.fires("report"), "10")
	stop()
	w.at(minutes(50))
	w.serve()
	w.settles(s.ID, 4)
	w.approveOldest()
	w.settles(s.ID, 3)
	w.same("when the first has ended", w.fires("report"), "10 20")
	w.approveOldest()
	w.settles(s.ID, 2)
	w.at(minutes(60))
	w.settles(s.ID, 3)
	for kept := 2; kept >= 0; kept-- {
		w.approveOldest()
		w.settles(s.ID, kept)
	}
	w.same("in the end", w.fires("report"), "10 20 30 40 50 60")
}

// Kept fires start after a restart although the run before ended when nobody was there to hear of it.
func TestAKeptFireIsFoundAfterARestart(t *testing.T) {
	t.Parallel()
	w := worldAtNoon(t)
	stop := w.serve()
	w.save(report)
	s := w.every("report", "all", "queue")
	w.at(minutes(10))
	w.settles(s.ID, 0)
	w.at(minutes(20))
	w.settles(s.ID, 1)
	stop()
	w.open()
	w.approveOldest() // by an engine that does not serve
	w.close()
	w.serve()
	w.settles(s.ID, 0)
	w.same("after the restart", w.fires("report"), "10 20")
}

// A fire does not overtake one that is kept, although the run before has ended at this moment.
func TestAFireDoesNotOvertake(t *testing.T) {
	t.Parallel()
	w := worldAtNoon(t)
	w.open()
	t.Cleanup(w.close)
	w.save(quick)
	s, _, err := w.engine.AddSchedule(t.Context(), storage.Schedule{Flow: "quick", Cron: "*/10 * * * *", Zone: "UTC", Overlap: "queue"}, map[string]any{"who": "ana"}, history.Actor{})
	if err != nil {
		t.Fatal(err)
	}
	s.Version, s.Kept = 1, []time.Time{minutes(0)}
	w.at(minutes(10))
	if err := w.engine.FireSchedule(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if s = w.settles(s.ID, 2); !s.Kept[1].Equal(minutes(10)) || s.LatestRun != "" {
		t.Errorf("the schedule is %+v", s)
	}
}

// The queue is bounded; what is left out is on record.
func TestTheQueueOfFiresIsBounded(t *testing.T) {
	t.Parallel()
	w := worldAtNoon(t)
	w.keptFires = 2
	w.serve()
	w.save(report)
	s := w.every("report", "all", "queue")
	for n, kept := range []int{0, 1, 2, 2, 2} {
		w.at(minutes(10 * (n + 1)))
		w.settles(s.ID, kept)
	}
	audit, err := w.store.Audit(t.Context(), "schedule:"+s.ID, 10)
	if err != nil {
		t.Fatal(err)
	}
	full := slices.DeleteFunc(audit, func(a storage.Audit) bool { return a.What != "schedule_full" })
	if len(full) != 2 || !strings.Contains(string(full[0].Detail), "12:50:00") {
		t.Errorf("on record is %+v", full)
	}
	for kept := 1; kept >= 0; kept-- {
		w.approveOldest()
		w.settles(s.ID, kept)
	}
	w.same("in the end", w.fires("report"), "10 20 30")
}

// A clock that is put back fires nothing a second time, and one that jumps forward is a downtime.
func TestTheClockJumps(t *testing.T) {
	t.Parallel()
	w := worldAtNoon(t)
	stop := w.serve()
	w.save(quick)
	s := w.every("quick", "once", "allow")
	w.at(minutes(10))
	w.settles(s.ID, 0)
	w.at(minutes(20))
	w.settles(s.ID, 0)
	w.at(minutes(5))
	w.at(minutes(15))
	paused, err := w.engine.ResumeSchedule(w.settles(s.ID, 0)) // as after a pause
	if err != nil || !paused.Next.Equal(minutes(30)) {
		t.Errorf("resumed at 12:15, after the fire of 12:20, it goes on at %v (%v)", paused.Next, err)
	}
	w.at(minutes(25))
	stop()
	w.at(minutes(5))
	w.serve()
	w.at(minutes(29))
	w.settles(s.ID, 0)
	w.same("after the clock was put back", w.fires("quick"), "10 20")
	w.at(minutes(95))
	w.settles(s.ID, 0)
	w.same("after it jumped forward", w.fires("quick"), "10 20 90")
}

// A paused schedule fires nothing, keeps nothing, and makes up for nothing when it goes on.
func TestAPausedScheduleRests(t *testing.T) {
	t.Parallel()
	w := worldAtNoon(t)
	w.serve()
	w.save(report)
	s := w.every("report", "all", "queue")
	w.at(minutes(10))
	w.settles(s.ID, 0)
	w.at(minutes(20))
	s = w.settles(s.ID, 1)
	s.Paused, s.Kept = true, nil
	w.write(&storage.Batch{Schedules: []storage.Schedule{s}})
	w.at(minutes(45))
	w.approveOldest()
	s, err := w.engine.ResumeSchedule(w.settles(s.ID, 0))
	if err != nil {
		t.Fatal(err)
	}
	w.write(&storage.Batch{Schedules: []storage.Schedule{s}})
	w.at(minutes(50))
	w.settles(s.ID, 0)
	w.same("before and after the pause", w.fires("report"), "10 50")
}

// Three fires in a row that cannot start pause a schedule; one that starts in between forgives those before.
func TestThreeFailuresPause(t *testing.T) {
	t.Parallel()
	w := worldAtNoon(t)
	w.serve()
	w.save(quick)
	s := w.every("quick", "once", "skip")
	inputs := map[bool][]byte{true: []byte(`{"who":"ana"}`), false: []byte(`{}`)}
	for n, good := range []bool{false, false, true, false, false, false} {
		s.Inputs = inputs[good]
		w.write(&storage.Batch{Schedules: []storage.Schedule{s}})
		w.at(minutes(10 * (n + 1)))
		s = w.settles(s.ID, 0)
		if want := n == 5; s.Paused != want {
			t.Fatalf("after fire %d paused is %v, with %d failures", n+1, s.Paused, s.Failures)
		}
	}
	w.at(minutes(95))
	w.same("the one that could start", w.fires("quick"), "30")
	audit, err := w.store.Audit(t.Context(), "schedule:"+s.ID, 10)
	if err != nil || len(audit) != 6 || audit[0].What != "schedule_paused" || !strings.Contains(string(audit[0].Detail), "who is missing") {
		t.Errorf("on record is %+v (%v)", audit, err)
	}
}

// A schedule that cannot even be tried does not hold up the others.
func TestABrokenScheduleHoldsUpNobody(t *testing.T) {
	t.Parallel()
	w := worldAtNoon(t)
	w.serve()
	w.save(quick)
	good := w.every("quick", "once", "skip")
	w.write(&storage.Batch{Schedules: []storage.Schedule{
		{ID: "a", Flow: "quick", Cron: "*/10 * * * *", Zone: "Mars", Inputs: []byte("{}"), Next: minutes(9)},
		{ID: "b", Flow: "quick", Cron: "*/10 * * * *", Inputs: []byte("not JSON"), Next: minutes(9)},
	}})
	w.at(minutes(10))
	w.settles(good.ID, 0)
	w.settles("a", 0)
	w.settles("b", 0)
	w.same("of the good one", w.fires("quick"), "10")
}
