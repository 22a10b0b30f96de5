package storagetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/storage"
)

func leaseClaim(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Leases: []storage.Lease{
		{Token: 1, Epoch: 3},
		{Token: 2, Epoch: 1, Worker: "w0", Claimed: start},
	}}})
	for _, c := range []struct {
		name         string
		token, epoch int
		want         bool
	}{
		{"an older epoch", 1, 2, false},
		{"a later epoch", 1, 4, false},
		{"another token", 7, 3, false},
		{"a held lease", 2, 1, false},
		{"a free lease", 1, 3, true},
		{"the same again", 1, 3, false},
	} {
		got := must(s.Claim(ctx, "run0001", c.token, c.epoch, "w1", start))(t)
		same(t, c.name, got, c.want)
	}
	same(t, "leases", must(s.Leases(ctx))(t), []storage.Lease{
		{Run: "run0001", Token: 1, Epoch: 3, Worker: "w1", Claimed: stored(start)},
		{Run: "run0001", Token: 2, Epoch: 1, Worker: "w0", Claimed: stored(start)},
	})
}

func leaseRace(t *testing.T, s storage.Store) {
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Leases: []storage.Lease{{Token: 1, Epoch: 1}}}})
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			ok, err := s.Claim(t.Context(), "run0001", 1, 1, fmt.Sprintf("w%d", i), start)
			if err != nil {
				t.Errorf("claim: %v", err)
			}
			if ok {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	same(t, "winners", won.Load(), int32(1))
}

func leaseReplace(t *testing.T, s storage.Store) {
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Leases: []storage.Lease{
		{Token: 1, Epoch: 1, Worker: "w1", Claimed: start}, {Token: 2, Epoch: 1}, {Token: 3, Epoch: 1},
	}}})
	created(t, s, 2)
	r := must(s.Run(t.Context(), "run0001"))(t)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{
		Run:    r,
		Leases: []storage.Lease{{Token: 1, Epoch: 2}, {Token: 4, Epoch: 1}, {Token: 3, Epoch: 8}, {Token: 3, Epoch: 9}},
		// What is put and deleted at once is put.
		NoLease: []int{2, 3, 99},
	}})
	same(t, "leases", must(s.Leases(t.Context()))(t), []storage.Lease{
		{Run: "run0001", Token: 1, Epoch: 2}, {Run: "run0001", Token: 3, Epoch: 9}, {Run: "run0001", Token: 4, Epoch: 1},
	})
}

func timerIDs(list []storage.Timer) []string {
	return ids(list, func(t storage.Timer) string { return t.ID })
}

func timerClaims(t *testing.T, s storage.Store) {
	ctx := t.Context()
	now := start
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Timers: []storage.Timer{
		{ID: "run0001/1", Num: 1, Kind: "deadline", Due: now.Add(-time.Minute)},
		{ID: "run0001/2", Num: 2, Kind: "retry", Due: now.Add(-time.Hour)},
		{ID: "run0001/3", Num: 3, Kind: "wait", Due: now},
		{ID: "run0001/4", Num: 4, Kind: "wait", Due: now.Add(time.Minute)},
	}}})
	const hold = 30 * time.Second
	same(t, "the first two", must(s.ClaimTimers(ctx, "p1", now, hold, 2))(t), []storage.Timer{
		{ID: "run0001/2", Run: "run0001", Num: 2, Kind: "retry", Due: stored(now.Add(-time.Hour))},
		{ID: "run0001/1", Run: "run0001", Num: 1, Kind: "deadline", Due: stored(now.Add(-time.Minute))},
	})
	same(t, "the third", timerIDs(must(s.ClaimTimers(ctx, "p1", now, hold, 9))(t)), []string{"run0001/3"})
	same(t, "nothing is left", len(must(s.ClaimTimers(ctx, "p1", now.Add(hold-time.Millisecond), hold, 9))(t)), 0)

	r := must(s.Run(ctx, "run0001"))(t)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, NoTimer: []string{"run0001/2"}}})
	again := timerIDs(must(s.ClaimTimers(ctx, "p1", now.Add(hold), hold, 9))(t))
	same(t, "forgotten ones come again", again, []string{"run0001/1", "run0001/3"})
}

func timerRace(t *testing.T, s storage.Store) {
	const n = 60
	timers := make([]storage.Timer, n)
	for i := range timers {
		timers[i] = storage.Timer{ID: fmt.Sprintf("run0001/%d", i), Num: i, Kind: "wait", Due: start}
	}
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Timers: timers}})
	var mu sync.Mutex
	seen := map[string]int{}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for {
				claimed, err := s.ClaimTimers(t.Context(), "p1", start, time.Minute, 7)
				if err != nil {
					t.Errorf("claim: %v", err)
				}
				mu.Lock()
				for _, c := range claimed {
					seen[c.ID]++
				}
				done := len(seen) == n
				mu.Unlock()
				if done || err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for id, times := range seen {
		if times != 1 {
			t.Errorf("timer %s was handed out %d times", id, times)
		}
	}
}

// timerForgotten has several pollers look again and again while nobody fires what is handed out: each timer is handed out once per hold.
func timerForgotten(t *testing.T, s storage.Store) {
	const n, hold = 10, 30 * time.Second
	timers := make([]storage.Timer, n)
	for i := range timers {
		timers[i] = storage.Timer{ID: fmt.Sprintf("run0001/%d", i), Num: i, Kind: "wait", Due: start}
	}
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Timers: timers}})
	for round := range 4 {
		now := start.Add(time.Duration(round) * hold)
		var handed atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for _, at := range []time.Time{now, now.Add(hold / 2), now.Add(hold - time.Microsecond)} {
					claimed, err := s.ClaimTimers(t.Context(), "p1", at, now.Add(hold).Sub(at), 3*n)
					if err != nil {
						t.Errorf("claim: %v", err)
					}
					handed.Add(int32(len(claimed)))
				}
			})
		}
		wg.Wait()
		same(t, fmt.Sprintf("handed out in hold %d", round), handed.Load(), int32(n))
	}
	// A process that comes too late deletes nothing that is there.
	r := must(s.Run(t.Context(), "run0001"))(t)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, NoTimer: []string{"run0001/0", "run0001/99"}}})
	r.Version++
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, NoTimer: []string{"run0001/0"}}})
	left := must(s.ClaimTimers(t.Context(), "p1", start.Add(4*hold), hold, 3*n))(t)
	same(t, "left", len(left), n-1)
}

func timerReplace(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Timers: []storage.Timer{
		{ID: "run0001/1", Num: 1, Kind: "wait", Due: start}, {ID: "run0001/2", Num: 2, Kind: "wait", Due: start},
	}}})
	same(t, "claimed", len(must(s.ClaimTimers(ctx, "p1", start, time.Hour, 9))(t)), 2)
	r := must(s.Run(ctx, "run0001"))(t)
	// Putting a timer again ends the claim on it.
	write(t, s, &storage.Batch{Run: &storage.RunWrite{
		Run:     r,
		Timers:  []storage.Timer{{ID: "run0001/1", Num: 1, Kind: "wait", Due: start.Add(time.Second)}},
		NoTimer: []string{"run0001/1", "run0001/2"},
	}})
	same(t, "too early", len(must(s.ClaimTimers(ctx, "p1", start, time.Hour, 9))(t)), 0)
	same(t, "due", timerIDs(must(s.ClaimTimers(ctx, "p1", start.Add(time.Second), time.Hour, 9))(t)), []string{"run0001/1"})
}

func nextDue(t *testing.T, s storage.Store) {
	ctx := t.Context()
	due := func(what string, want time.Time) {
		t.Helper()
		same(t, what, must(s.NextDue(ctx))(t), want)
	}
	due("nothing", time.Time{})
	write(t, s, &storage.Batch{Schedules: []storage.Schedule{
		{ID: "s1", Next: start.Add(time.Hour)}, {ID: "s2", Next: start, Paused: true}, {ID: "s3"},
	}})
	due("a schedule", stored(start.Add(time.Hour)))
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Timers: []storage.Timer{{ID: "run0001/1", Due: start}}}})
	due("a timer", stored(start))
	must(s.ClaimTimers(ctx, "p1", start, time.Minute, 1))(t)
	due("a claimed timer, when the claim ends", stored(start.Add(time.Minute)))
}

func gateLists(t *testing.T, s storage.Store) {
	ctx := t.Context()
	gate := func(n int, status string) storage.Gate {
		return storage.Gate{
			ID: fmt.Sprintf("run0001/%d", n), Num: n, Node: "ask", Kind: "approval", Status: status,
			Opened: start.Add(time.Duration(n) * time.Second), Due: start.Add(time.Hour), Body: []byte(`{"who":["@finance"]}`), Asked: "finance",
		}
	}
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(1), Gates: []storage.Gate{gate(1, "open"), gate(2, "open")}}})
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: newRun(2), Gates: []storage.Gate{{ID: "run0002/1", Num: 1, Status: "open", Opened: start}}}})
	r := must(s.Run(ctx, "run0001"))(t)
	decided := gate(1, "decided")
	decided.Choice, decided.By, decided.Decided = "approve", "U3", start.Add(time.Minute)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, Gates: []storage.Gate{decided}}})

	want := decided
	want.Run, want.Opened, want.Due, want.Decided = "run0001", stored(want.Opened), stored(want.Due), stored(want.Decided)
	same(t, "one", must(s.Gate(ctx, "run0001/1"))(t), want)
	_, err := s.Gate(ctx, "run0001/9")
	wantError(t, err, storage.ErrNotFound)
	for _, c := range []struct {
		name  string
		query storage.GateQuery
		want  []string
	}{
		{"all", storage.GateQuery{}, []string{"run0001/2", "run0001/1", "run0002/1"}},
		{"open", storage.GateQuery{Open: true}, []string{"run0001/2", "run0002/1"}},
		{"of a run", storage.GateQuery{Run: "run0001"}, []string{"run0001/2", "run0001/1"}},
		{"open of a run", storage.GateQuery{Run: "run0001", Open: true}, []string{"run0001/2"}},
		{"limited", storage.GateQuery{Limit: 1}, []string{"run0001/2"}},
		{"for some", storage.GateQuery{Open: true, Asked: []string{"finance"}}, []string{"run0001/2"}},
		{"for some and not known, the oldest first", storage.GateQuery{Open: true, Asked: []string{"finance", ""}}, []string{"run0002/1", "run0001/2"}},
		{"the second page", storage.GateQuery{Open: true, Asked: []string{"finance", ""}, Skip: 1, Limit: 1}, []string{"run0001/2"}},
		{"for nobody", storage.GateQuery{Open: true, Asked: []string{}}, nil},
	} {
		got := must(s.Gates(ctx, c.query))(t)
		same(t, c.name, ids(got, func(g storage.Gate) string { return g.ID }), c.want)
	}
	counts := must(s.OpenAsked(ctx))(t)
	slices.SortFunc(counts, func(a, b storage.AskedCount) int { return strings.Compare(a.Asked, b.Asked) })
	same(t, "open by whom they are for", counts, []storage.AskedCount{{Open: 1}, {Asked: "finance", Open: 1}})

	runs := func(what string, q storage.RunQuery, want ...string) {
		t.Helper()
		q.Top = true
		same(t, what, ids(must(s.Runs(ctx, q))(t), func(r storage.Run) string { return r.ID }), want)
	}
	by, flow := newRun(1).By, newRun(1).Flow
	runs("runs of a flow", storage.RunQuery{Flows: []string{flow}, By: "nobody"}, "run0002", "run0001")
	runs("runs that somebody asked for", storage.RunQuery{Flows: []string{}, By: by}, "run0002", "run0001")
	runs("runs of nobody", storage.RunQuery{Flows: []string{"other"}})
	runs("the second page of runs", storage.RunQuery{Flows: []string{flow}, Skip: 1}, "run0001")
	second := must(s.Run(ctx, "run0002"))(t)
	runs("runs before another", storage.RunQuery{Flows: []string{flow}, Before: &second}, "run0001")
	first := must(s.Run(ctx, "run0001"))(t)
	runs("runs after another", storage.RunQuery{Flows: []string{flow}, After: &first}, "run0002")
	runs("runs after the newest", storage.RunQuery{Flows: []string{flow}, After: &second})
}

func elections(t *testing.T, s storage.Store) {
	ctx := t.Context()
	elect := func(what, holder string, now time.Time, want bool) {
		t.Helper()
		same(t, what, must(s.Elect(ctx, "sender", holder, now, 10*time.Second))(t), want)
	}
	elect("the first", "p1", start, true)
	elect("another", "p2", start.Add(9*time.Second), false)
	elect("renewed", "p1", start.Add(9*time.Second), true)
	elect("still held", "p2", start.Add(18*time.Second), false)
	elect("expired", "p2", start.Add(19*time.Second), true)
	elect("lost", "p1", start.Add(20*time.Second), false)
	same(t, "another role", must(s.Elect(ctx, "sweeper", "p1", start, time.Second))(t), true)
}

func serveOnce(t *testing.T, s storage.Store) {
	release, lost, err := s.Serve(t.Context(), "first on host-a")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Serve(t.Context(), "second")
	wantError(t, err, storage.ErrLocked)
	if text := err.Error(); !contains(text, "first on host-a") {
		t.Fatalf("the refusal does not name the holder: %s", text)
	}
	select {
	case <-lost:
		t.Fatal("the right is lost although it is held")
	default:
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	release, _, err = s.Serve(t.Context(), "third")
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

func manyRuns(t *testing.T, s storage.Store) {
	const runs, steps = 24, 12
	var wg sync.WaitGroup
	for n := 1; n <= runs; n++ {
		wg.Go(func() {
			r := newRun(n)
			shared := []storage.Surface{{ID: "home", Ref: "home:U1", Created: start}}
			b := &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: newFacts(1, 1)}, Surfaces: shared}
			for step := range steps {
				if err := s.Write(t.Context(), b); err != nil {
					t.Errorf("run %d, step %d: %v", n, step, err)
					return
				}
				r.Version++
				b = &storage.Batch{
					Run: &storage.RunWrite{
						Run: r, Facts: newFacts(step+2, 1), Leases: []storage.Lease{{Token: 1, Epoch: step}}, NoLease: []int{2},
						Timers: []storage.Timer{{ID: r.ID + "/1", Num: 1, Due: start}},
					},
					Stale: []string{"run:" + r.ID, "home:U1"},
				}
			}
		})
	}
	wg.Wait()
	list := must(s.Runs(t.Context(), storage.RunQuery{Limit: 100}))(t)
	same(t, "runs", len(list), runs)
	for _, r := range list {
		same(t, "facts of "+r.ID, len(must(s.Facts(t.Context(), r.ID, 0))(t)), steps)
	}
	home := must(s.Surface(t.Context(), "home"))(t)
	if home.Wanted < 2 || home.Wanted <= home.Shown {
		t.Errorf("nobody marked the shared surface: wanted %d, shown %d", home.Wanted, home.Shown)
	}
}
