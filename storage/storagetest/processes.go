package storagetest

import (
	"fmt"
	"testing"
	"time"

	"sluice/storage"
)

// heartbeats has two processes beat, one of which holds a lease, beside a worker that holds one and never beat.
func heartbeats(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Leases: []storage.Lease{
		{Token: 1, Epoch: 1, Worker: "p1", Claimed: start},
		{Token: 2, Epoch: 4, Worker: "old", Claimed: start},
		{Token: 3, Epoch: 1},
	}}})
	must(s.Beat(ctx, "p2", start))(t)
	must(s.Beat(ctx, "p1", start))(t)
	same(t, "the second beat", must(s.Beat(ctx, "p1", start.Add(time.Second)))(t), storage.Pulse{
		Beats: map[string]int64{"p1": 2, "p2": 1, "old": 0},
		Held:  []storage.Lease{{Run: "run0001", Token: 1, Epoch: 1, Worker: "p1", Claimed: stored(start)}},
	})
	same(t, "held by the others", must(s.HeldBy(ctx, []string{"old", "p2"}))(t), []storage.Lease{
		{Run: "run0001", Token: 2, Epoch: 4, Worker: "old", Claimed: stored(start)},
	})
}

// freedTimers ends claims by who has them: a timer is due again when it was, and one that nobody has claimed stays as it is.
func freedTimers(t *testing.T, s storage.Store) {
	ctx := t.Context()
	var timers []storage.Timer
	for n := range 5 {
		timers = append(timers, storage.Timer{ID: fmt.Sprintf("run0001/%d", n), Num: n, Kind: "wait", Due: start.Add(time.Duration(n) * time.Second)})
	}
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Timers: timers}})
	claim := func(worker string, second int) []string {
		t.Helper()
		return timerIDs(must(s.ClaimTimers(ctx, worker, start.Add(time.Duration(second)*time.Second), time.Hour, 1))(t))
	}
	free := func(workers []string, want int) {
		t.Helper()
		same(t, "freed", must(s.FreeTimers(ctx, workers))(t), want)
	}
	for n, worker := range []string{"p1", "p2", "p1", ""} {
		same(t, "claimed by "+worker, claim(worker, n), []string{timers[n].ID})
	}
	same(t, "the first beat learns of the others", must(s.Beat(ctx, "p2", start))(t).Beats, map[string]int64{"p1": 0, "p2": 1})
	free([]string{"p3"}, 0)
	free([]string{}, 0)
	same(t, "all are claimed", len(claim("p4", 3)), 0)
	free([]string{"p1", "p3"}, 2)
	same(t, "the next one due", must(s.NextDue(ctx))(t), stored(start))
	same(t, "the first again", claim("p3", 0), []string{timers[0].ID})
	same(t, "the other not before it is due", len(claim("p3", 1)), 0)
	same(t, "but then", claim("p3", 2), []string{timers[2].ID})
	free([]string{"p1"}, 0)
	free(nil, 3)
	same(t, "all but the one of nobody", timerIDs(must(s.ClaimTimers(ctx, "p5", start.Add(time.Minute), time.Hour, 9))(t)),
		[]string{timers[0].ID, timers[1].ID, timers[2].ID, timers[4].ID})
	same(t, "nobody is told of", must(s.Beat(ctx, "p5", start))(t).Beats, map[string]int64{"p2": 1, "p5": 1})
}

// endDead leaves the leases of the dead where they are and takes the rest away.
func endDead(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Leases: []storage.Lease{{Token: 1, Epoch: 1, Worker: "p1", Claimed: start}}}})
	for _, p := range []string{"p1", "p2", "p3"} {
		must(s.Beat(ctx, p, start))(t)
		same(t, "elected", must(s.Elect(ctx, "role of "+p, p, start, time.Hour))(t), true)
	}
	if err := s.EndDead(ctx, []string{"p1", "p3", "nobody"}); err != nil {
		t.Fatal(err)
	}
	same(t, "who is left", must(s.Beat(ctx, "p2", start))(t).Beats, map[string]int64{"p2": 2, "p1": 0})
	same(t, "the lease", len(must(s.HeldBy(ctx, []string{"p1"}))(t)), 1)
	for p, free := range map[string]bool{"p1": true, "p2": false, "p3": true} {
		same(t, "the role of "+p+" is free", must(s.Elect(ctx, "role of "+p, "p4", start, time.Hour))(t), free)
	}
	// A process that was thought dead and comes back begins anew.
	same(t, "back again", must(s.Beat(ctx, "p1", start))(t).Beats["p1"], int64(1))
}

// unclaimedLeases is about stores without a queue: every unheld lease needs somebody, and none can be dispatched again.
func unclaimedLeases(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Leases: []storage.Lease{
		{Token: 1, Epoch: 1}, {Token: 2, Epoch: 1, Worker: "p1", Claimed: start}, {Token: 3, Epoch: 2},
	}}})
	free := []storage.Lease{{Run: "run0001", Token: 1, Epoch: 1}, {Run: "run0001", Token: 3, Epoch: 2}}
	same(t, "unclaimed", must(s.Unclaimed(ctx, 9))(t), free)
	same(t, "unclaimed, one at most", must(s.Unclaimed(ctx, 1))(t), free[:1])
	same(t, "dispatched again", must(s.Redispatch(ctx, free[0]))(t), false)
	same(t, "claimed", must(s.Claim(ctx, "run0001", 1, 1, "p2", start))(t), true)
	same(t, "left", must(s.Unclaimed(ctx, 9))(t), free[1:])
}

func resignation(t *testing.T, s storage.Store) {
	ctx := t.Context()
	same(t, "elected", must(s.Elect(ctx, "sender", "p1", start, time.Hour))(t), true)
	for _, c := range []struct {
		holder string
		free   bool
	}{{"p2", false}, {"p1", true}} {
		if err := s.Resign(ctx, "sender", c.holder); err != nil {
			t.Fatal(err)
		}
		same(t, "free after "+c.holder+" resigned", must(s.Elect(ctx, "sender", "p3", start, time.Hour))(t), c.free)
	}
}
