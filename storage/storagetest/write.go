package storagetest

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"sluice/storage"
)

func runRoundTrip(t *testing.T, s storage.Store) {
	r := newRun(1)
	r.Key, r.Parent, r.Steps, r.Ended = "A-1001", "run0000", 7, start.Add(time.Hour)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r}})
	want := r
	want.Version, want.Started, want.Ended = 1, stored(r.Started), stored(r.Ended)
	same(t, "by id", must(s.Run(t.Context(), r.ID))(t), want)
	same(t, "by name", must(s.RunByName(t.Context(), r.Name))(t), want)
	_, err := s.Run(t.Context(), "nobody")
	wantError(t, err, storage.ErrNotFound)
	_, err = s.RunByName(t.Context(), "nobody")
	wantError(t, err, storage.ErrNotFound)
}

func runVersion(t *testing.T, s storage.Store) {
	r := created(t, s, 1)
	next := r
	next.Status, next.State, next.Steps, next.Ended, next.Title = "done", []byte("{}"), 3, stored(start), "Paid"
	next.Channel, next.Thread, next.Revision = "C2", "18.1", 2
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: next, Facts: newFacts(2, 2)}})
	want := next
	want.Version = 2
	same(t, "after a transition", must(s.Run(t.Context(), r.ID))(t), want)

	err := s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: next, Facts: newFacts(4, 1)}})
	wantError(t, err, storage.ErrConflict)
	missing := newRun(99)
	missing.Version = 1
	err = s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: missing, Facts: newFacts(2, 1)}})
	wantError(t, err, storage.ErrConflict)
	same(t, "facts", len(must(s.Facts(t.Context(), r.ID, 0))(t)), 3)
}

func runRace(t *testing.T, s storage.Store) {
	r := created(t, s, 1)
	oneWins(t, 16, storage.ErrConflict, func(int) error {
		return s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: newFacts(2, 3)}})
	})
	same(t, "version", must(s.Run(t.Context(), r.ID))(t).Version, int64(2))
	same(t, "facts", len(must(s.Facts(t.Context(), r.ID, 0))(t)), 4)
}

func runTwice(t *testing.T, s storage.Store) {
	first := created(t, s, 1)
	for _, key := range []string{"", "A-1001"} {
		again := newRun(1)
		again.Name, again.Title, again.Key = "refund-other", "Other", key
		err := s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: again, TakeKey: true, Facts: newFacts(1, 1)}})
		wantError(t, err, storage.ErrConflict)
	}
	same(t, "the run", must(s.Run(t.Context(), first.ID))(t), first)

	// The refused run has not kept the key.
	other := newRun(2)
	other.Key = "A-1001"
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: other, TakeKey: true}})
}

func runFixedColumns(t *testing.T, s storage.Store) {
	r := created(t, s, 1)
	next := r
	next.Flow, next.Number, next.Name, next.Key, next.Parent, next.By, next.Started = "x", 9, "x-9", "k", "p", "U9", start.Add(time.Hour)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: next}})
	r.Version = 2
	same(t, "the run", must(s.Run(t.Context(), r.ID))(t), r)
}

func runList(t *testing.T, s storage.Store) {
	for n := 1; n <= 6; n++ {
		r := newRun(n)
		if n%2 == 0 {
			r.Flow = "digest"
		}
		if n <= 2 {
			r.Ended, r.Outcome = start, "rejected"
		}
		if n == 3 || n == 5 {
			r.Parent = "run0001"
		}
		if n >= 4 {
			r.Thread = "18.1"
		}
		write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r}})
	}
	for _, c := range []struct {
		name  string
		query storage.RunQuery
		want  []int
	}{
		{"all", storage.RunQuery{}, []int{6, 5, 4, 3, 2, 1}},
		{"limited", storage.RunQuery{Limit: 2}, []int{6, 5}},
		{"of a flow", storage.RunQuery{Flow: "digest"}, []int{6, 4, 2}},
		{"live", storage.RunQuery{Live: true}, []int{6, 5, 4, 3}},
		{"live of a flow", storage.RunQuery{Flow: "digest", Live: true, Limit: 9}, []int{6, 4}},
		{"nobody's", storage.RunQuery{Top: true}, []int{6, 4, 2, 1}},
		{"nobody's of a flow", storage.RunQuery{Flow: "refund", Top: true}, []int{1}},
		{"nobody's that live", storage.RunQuery{Live: true, Top: true, Limit: 1}, []int{6}},
		{"rejected", storage.RunQuery{Outcome: "rejected"}, []int{2, 1}},
		{"rejected of a flow", storage.RunQuery{Flow: "digest", Outcome: "rejected"}, []int{2}},
		{"failed", storage.RunQuery{Outcome: "failed"}, []int{}},
		{"of a run", storage.RunQuery{Parent: "run0001"}, []int{5, 3}},
		{"of a run without any", storage.RunQuery{Parent: "run0002"}, []int{}},
		{"of no flow", storage.RunQuery{Flow: "none"}, []int{}},
		{"in a thread", storage.RunQuery{Channel: "C1", Thread: "18.1"}, []int{6, 5, 4}},
		{"in the thread of another channel", storage.RunQuery{Channel: "C2", Thread: "18.1"}, []int{}},
	} {
		got := must(s.Runs(t.Context(), c.query))(t)
		same(t, c.name, ids(got, func(r storage.Run) int { return r.Number }), c.want)
		for _, r := range got {
			if r.State != nil {
				t.Fatalf("%s: the list has states", c.name)
			}
		}
	}
}

// everything is a batch that touches every table, for a run at its stored version.
func everything(r storage.Run) *storage.Batch {
	return &storage.Batch{
		Run: &storage.RunWrite{
			Run: r, Facts: append(newFacts(2, 2), storage.Fact{Seq: 4, Kind: "big", Body: bytes.Repeat([]byte("b"), 70<<10)}),
			Timers:  []storage.Timer{{ID: r.ID + "/1", Num: 1, Kind: "deadline", Due: start}},
			NoTimer: []string{r.ID + "/0"},
			Gates:   []storage.Gate{{ID: r.ID + "/1", Num: 1, Status: "open", Opened: start}},
			Leases:  []storage.Lease{{Token: 2, Epoch: 1}},
			NoLease: []int{1},
			Waits:   []storage.Wait{{Token: 2, Name: "paid", Since: start}},
			NoWait:  []int{1},
			Take:    "signal/0",
		},
		Signals:   []storage.Timer{{ID: "signal/1", Run: r.ID, Kind: "event", Due: start}},
		NoSignals: []string{"signal/2"},
		Events:    []storage.Event{{ID: "e1", Name: "paid", At: start}},
		FanOut:    []storage.FanOut{{Event: "e0", Kind: "event", Due: start}},
		InboxDone: []int64{1},
		Flow:      &storage.Flow{Name: "refund", Head: 1, Updated: start},
		Retire:    &storage.Retirement{Flow: "retired", At: start},
		Revision:  &storage.Revision{Flow: "refund", Number: 1, At: start},
		Draft:     []storage.Draft{{ID: "new-draft", Channel: "C1", Thread: "17.1", Number: 2, Created: start}},
		Schedules: []storage.Schedule{{ID: "new-schedule", Flow: "refund", Next: start}},
		Surfaces:  []storage.Surface{{ID: "new-surface", Ref: "run:" + r.ID, Created: start}},
		Stale:     []string{"run:" + r.ID},
		Agents:    []storage.Agent{{ID: "new-agent", Updated: start}},
		NoAgents:  []string{"old-agent"},
		Audit:     []storage.Audit{{At: start, What: "approved", Ref: "flow:refund"}},
	}
}

// prepare stores what everything changes.
func prepare(t *testing.T, s storage.Store) storage.Run {
	t.Helper()
	must(s.PutInbox(t.Context(), storage.Inbox{Key: "E1", Received: start}))(t)
	write(t, s, &storage.Batch{
		Run: &storage.RunWrite{
			Run: newRun(1), Facts: newFacts(1, 1),
			Timers: []storage.Timer{{ID: "run0001/0", Due: start}}, Leases: []storage.Lease{{Token: 1, Epoch: 1}},
		},
		Signals:   []storage.Timer{{ID: "signal/0", Due: start}},
		Surfaces:  []storage.Surface{{ID: "old-surface", Ref: "run:run0001", Created: start}},
		Draft:     []storage.Draft{{ID: "old-draft", Channel: "C1", Thread: "17.1", Number: 1, Status: "open", Created: start.Add(-time.Hour)}},
		Schedules: []storage.Schedule{{ID: "old-schedule", Flow: "refund", Next: start}},
		Agents:    []storage.Agent{{ID: "old-agent", Updated: start}},
	})
	return must(s.Run(t.Context(), "run0001"))(t)
}

// snapshot is what everything changes, as stored.
func snapshot(t *testing.T, s storage.Store) map[string]any {
	t.Helper()
	ctx := t.Context()
	return map[string]any{
		"run":       must(s.Run(ctx, "run0001"))(t),
		"facts":     must(s.Facts(ctx, "run0001", 0))(t),
		"leases":    must(s.Leases(ctx))(t),
		"gates":     must(s.Gates(ctx, storage.GateQuery{}))(t),
		"due":       must(s.NextDue(ctx))(t),
		"events":    must(s.Events(ctx, "paid", start, 9))(t),
		"inbox":     must(s.PendingInbox(ctx, 0, 10))(t),
		"flows":     must(s.Flows(ctx))(t),
		"agents":    must(s.Agents(ctx))(t),
		"revisions": must(s.Revisions(ctx, "refund"))(t),
		"draft":     must(s.DraftInThread(ctx, "C1", "17.1"))(t),
		"schedules": must(s.Schedules(ctx, ""))(t),
		"surfaces":  must(s.SurfacesOf(ctx, "run:run0001"))(t),
		"audit":     must(s.Audit(ctx, "", 10))(t),
	}
}

func allOrNothing(t *testing.T, s storage.Store) {
	r := prepare(t, s)
	before := snapshot(t, s)
	for _, c := range []struct {
		name  string
		spoil func(b *storage.Batch)
		want  error // nil = any
	}{
		{"version of the run", func(b *storage.Batch) { b.Run.Run.Version = 9 }, storage.ErrConflict},
		{"number of the facts", func(b *storage.Batch) { b.Run.Facts = newFacts(1, 1) }, nil},
		{"signal that another process has taken", func(b *storage.Batch) { b.Run.Take = "signal/9" }, storage.ErrConflict},
		{"version of a draft", func(b *storage.Batch) {
			b.Draft = append(b.Draft, storage.Draft{ID: "old-draft", Version: 9})
		}, storage.ErrConflict},
		{"draft that exists", func(b *storage.Batch) { b.Draft = append(b.Draft, storage.Draft{ID: "old-draft"}) }, storage.ErrConflict},
		{"version of a schedule", func(b *storage.Batch) {
			b.Schedules = append(b.Schedules, storage.Schedule{ID: "old-schedule", Version: 9})
		}, storage.ErrConflict},
		{"schedule that exists", func(b *storage.Batch) {
			b.Schedules = append(b.Schedules, storage.Schedule{ID: "old-schedule"})
		}, storage.ErrConflict},
		{"revision of a flow that does not exist", func(b *storage.Batch) { b.Revision.Flow = "nothing" }, nil},
	} {
		b := everything(r)
		c.spoil(b)
		err := s.Write(t.Context(), b)
		if err == nil || (c.want != nil && !errors.Is(err, c.want)) {
			t.Fatalf("%s: error %v, want %v", c.name, err, c.want)
		}
		if c.want == nil && errors.Is(err, storage.ErrConflict) {
			t.Fatalf("%s: a mistake of the caller is reported as a conflict: %v", c.name, err)
		}
		same(t, c.name, snapshot(t, s), before)
	}

	write(t, s, everything(r))
	after := snapshot(t, s)
	for part := range before {
		if part != "due" && equal(before[part], after[part]) {
			t.Errorf("the whole batch did not change %s", part)
		}
	}
}

func cancelledWrite(t *testing.T, s storage.Store) {
	r := prepare(t, s)
	before := snapshot(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Write(ctx, everything(r))
	wantError(t, err, context.Canceled)
	if errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("a cancelled write is blamed on the database: %v", err)
	}
	same(t, "the store", snapshot(t, s), before)
}

func emptyBatch(t *testing.T, s storage.Store) {
	write(t, s, &storage.Batch{})
	same(t, "runs", len(must(s.Runs(t.Context(), storage.RunQuery{}))(t)), 0)
}

func liveRunsBy(t *testing.T, s storage.Store) {
	for n, r := range []storage.Run{{By: "ana"}, {By: "ana", Ended: start}, {By: "ana", Parent: "run0001"}, {By: "ben"}, {}, {By: "ana"}} {
		made := newRun(n + 1)
		made.By, made.Ended, made.Parent = r.By, r.Ended, r.Parent
		write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: made, Facts: newFacts(1, 1)}})
	}
	for user, want := range map[string]int{"ana": 2, "ben": 1, "eve": 0, "": 0} {
		same(t, "live runs of "+user, must(s.LiveRunsBy(t.Context(), user))(t), want)
	}
}
