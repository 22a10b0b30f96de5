package engine_test

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sluice/engine/history"
	"sluice/engine/runner"
	"sluice/storage"
)

// diesAt makes a process kill itself when it has stored so many fires of schedules, before it does anything else.
const diesAt = "SLUICE_TEST_DIES"

func diesAtFire(fires string) func(runner.Position) {
	left, err := strconv.Atoi(fires)
	if err != nil {
		return nil
	}
	return func(at runner.Position) {
		if at != runner.AtAfterCommit || !strings.Contains(string(debug.Stack()), "startScheduled") {
			return
		}
		if left--; left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// fires lists for which times a flow's schedule has started runs, in order.
func (o *office) fires(name string) (ids []string, at []time.Time) {
	o.Helper()
	rows, err := o.store.Runs(o.Context(), storage.RunQuery{Flow: name, Limit: 1000})
	if err != nil {
		o.Fatal(err)
	}
	for _, r := range rows {
		v, err := o.engine.View(o.Context(), r.ID)
		if err != nil {
			o.Fatal(err)
		}
		fire, err := time.Parse(time.RFC3339, fmt.Sprint(v.Start.Event["at"]))
		if err != nil {
			o.Fatal(err)
		}
		ids, at = append(ids, r.ID), append(at, fire)
	}
	slices.SortFunc(at, time.Time.Compare)
	return ids, at
}

// Three processes share the schedules of one database, and two of them die, one after the other, each right after it has stored a
// fire: every second has one run all the same, and every run is performed to its end once.
func TestAFireHasOneRun(t *testing.T) {
	t.Parallel()
	o, address := emptyOffice(t)
	o.save("tick", 1, 1)
	o.hire("p1", address, diesAt+"=2")
	o.hire("p2", address, diesAt+"=2")
	s, _, err := o.engine.AddSchedule(t.Context(), storage.Schedule{
		Flow: "tick", Cron: "@every 1s", Zone: "UTC", Owner: "ana", CatchUp: "all", Overlap: "allow",
	}, nil, history.Actor{User: "ana"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p1", "p2"} {
		died := make(chan error, 1)
		go func() { died <- o.procs[name].Wait() }()
		select {
		case <-died:
		case <-time.After(2 * limit):
			t.Fatalf("%s never fired", name)
		}
	}
	died := time.Now()
	o.hire("p3", address) // not before: were it the one that fires, the others would not die
	o.until("fires after the deaths", func() bool {
		_, at := o.fires("tick")
		return len(at) > 0 && at[len(at)-1].After(died)
	})
	s, err = o.store.Schedule(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.Paused = true
	for err = o.store.Write(t.Context(), &storage.Batch{Schedules: []storage.Schedule{s}}); err != nil; {
		if s, err = o.store.Schedule(t.Context(), s.ID); err == nil { // it fired at this moment
			s.Paused = true
			err = o.store.Write(t.Context(), &storage.Batch{Schedules: []storage.Schedule{s}})
		}
	}
	ids, at := o.fires("tick")
	for i := 1; i < len(at); i++ {
		if at[i].Sub(at[i-1]) != time.Second {
			t.Errorf("after the fire of %v comes the one of %v", at[i-1], at[i])
		}
	}
	o.ended(ids)
	if n := o.number("SELECT count(DISTINCT key) FROM book"); n != len(ids) {
		t.Errorf("%d runs acted %d times", len(ids), n)
	}
	t.Logf("%d fires", len(ids))
}

const nap = `
name: nap
flow:
  entry: nap
  nodes: [{id: nap, type: wait, for: 2s, routes: [{to: end}]}]
`

// A timer that was written by a process that has died since is found by another one, which was resting, soon after it is due.
func TestATimerOfTheDead(t *testing.T) {
	t.Parallel()
	o, address := emptyOffice(t)
	o.put(nap)
	o.hire("p1", address)
	ids := o.start("nap", 5) // by a process that does not serve
	for _, id := range ids {
		o.until("the end of the nap", func() bool {
			r, err := o.store.Run(context.Background(), id)
			if err != nil {
				t.Fatal(err)
			}
			if r.Ended.IsZero() {
				return false
			}
			// Not asserted tightly: a second is how long it rests, the rest is the machine's.
			late := r.Ended.Sub(r.Started) - 2*time.Second
			t.Logf("late by %v", late)
			if late < 0 || late > limit {
				t.Errorf("a timer of 2 s took %v more", late)
			}
			return true
		})
	}
}
