package storagetest

import (
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

// burial leaves the leases of the dead where they are and takes the rest away.
func burial(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Leases: []storage.Lease{{Token: 1, Epoch: 1, Worker: "p1", Claimed: start}}}})
	for _, p := range []string{"p1", "p2", "p3"} {
		must(s.Beat(ctx, p, start))(t)
		same(t, "elected", must(s.Elect(ctx, "role of "+p, p, start, time.Hour))(t), true)
	}
	if err := s.Bury(ctx, []string{"p1", "p3", "nobody"}); err != nil {
		t.Fatal(err)
	}
	same(t, "who is left", must(s.Beat(ctx, "p2", start))(t).Beats, map[string]int64{"p2": 2, "p1": 0})
	same(t, "the lease", len(must(s.HeldBy(ctx, []string{"p1"}))(t)), 1)
	for p, free := range map[string]bool{"p1": true, "p2": false, "p3": true} {
		same(t, "the role of "+p+" is free", must(s.Elect(ctx, "role of "+p, "p4", start, time.Hour))(t), free)
	}
	// Whoever was thought dead and comes back begins anew.
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
