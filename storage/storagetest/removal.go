package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"sluice/storage"
)

// final are the statuses after which nothing happens.
var final = []string{"succeeded", "cancelled"}

// day is a time so many days after the start.
func day(n int) time.Time { return start.AddDate(0, 0, n) }

// ended stores run n, which came to an end on a day, as change wants it.
func ended(t *testing.T, s storage.Store, n int, on int, change func(w *storage.RunWrite)) storage.Run {
	t.Helper()
	r := newRun(n)
	r.Status, r.Outcome, r.Ended = "succeeded", "rejected", day(on)
	w := &storage.RunWrite{Run: r, Facts: newFacts(1, 3)}
	if change != nil {
		change(w)
	}
	write(t, s, &storage.Batch{Run: w})
	return must(s.Run(t.Context(), r.ID))(t)
}

func removable(t *testing.T, s storage.Store, before time.Time) []int {
	t.Helper()
	list := must(s.Removable(t.Context(), storage.RemovalQuery{Final: final, Before: before}))(t)
	return ids(list, func(r storage.Run) int { return r.Number })
}

func removableRuns(t *testing.T, s storage.Store) {
	child := func(of int, change func(w *storage.RunWrite)) func(w *storage.RunWrite) {
		return func(w *storage.RunWrite) {
			w.Run.Parent = fmt.Sprintf("run%04d", of)
			if change != nil {
				change(w)
			}
		}
	}
	live := func(w *storage.RunWrite) { w.Run.Status, w.Run.Ended = "running", time.Time{} }
	failed := func(w *storage.RunWrite) { w.Run.Status = "failed" }
	asking := func(status string) func(w *storage.RunWrite) {
		return func(w *storage.RunWrite) {
			w.Gates = []storage.Gate{{ID: w.Run.ID + "/1", Num: 1, Status: status, Opened: start}}
		}
	}
	ended(t, s, 1, 3, nil)
	ended(t, s, 2, 1, asking("decided"))
	ended(t, s, 3, 1, live)
	ended(t, s, 4, 1, failed)
	ended(t, s, 5, 1, asking("open"))
	ended(t, s, 6, 20, nil)
	// Families: one that is over, one with a living child, one with a living parent, one whose child ended lately.
	ended(t, s, 10, 4, nil)
	ended(t, s, 11, 4, child(10, nil))
	ended(t, s, 20, 4, nil)
	ended(t, s, 21, 4, child(20, live))
	ended(t, s, 22, 5, child(20, nil))
	ended(t, s, 30, 4, live)
	ended(t, s, 31, 4, child(30, nil))
	ended(t, s, 40, 4, nil)
	ended(t, s, 41, 20, child(40, nil))
	ended(t, s, 51, 6, child(50, nil)) // its parent is gone
	same(t, "before day 10", removable(t, s, day(10)), []int{2, 1, 10, 11, 22, 51})
	same(t, "before day 2", removable(t, s, day(2)), []int{2})
	same(t, "before the beginning", removable(t, s, start), []int{})
	same(t, "with failed ones", len(must(s.Removable(t.Context(), storage.RemovalQuery{Final: append(final, "failed"), Before: day(2)}))(t)), 2)

	q := storage.RemovalQuery{Final: final, Before: day(10), Limit: 2}
	var pages [][]int
	for {
		page := must(s.Removable(t.Context(), q))(t)
		if len(page) == 0 {
			break
		}
		pages = append(pages, ids(page, func(r storage.Run) int { return r.Number }))
		q.After = &page[len(page)-1]
	}
	same(t, "in pages", pages, [][]int{{2, 1}, {10, 11}, {22, 51}})
}

// removal takes a run away with all that belongs to it, and nothing of its neighbour.
func removal(t *testing.T, s storage.Store) {
	ctx := t.Context()
	belongings := func(w *storage.RunWrite) {
		id := w.Run.ID
		w.Run.Key, w.Run.Parent = "key "+id, "run0099"
		w.Gates = []storage.Gate{{ID: id + "/1", Num: 1, Status: "decided", Opened: start}}
		w.Timers = []storage.Timer{{ID: id + "/1", Num: 1, Due: start}}
		w.Leases = []storage.Lease{{Token: 1, Epoch: 1}}
		w.Waits = []storage.Wait{{Token: 1, Name: "paid", Since: start}}
	}
	r, other := ended(t, s, 1, 1, belongings), ended(t, s, 2, 1, belongings)
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{newSurface("f1", "run:"+r.ID), newSurface("f2", "run:"+other.ID)}})
	kept := newFacts(1, 2)
	kept[0].Run, kept[1].Run, kept[1].Seq = r.ID, r.ID, 3
	kept[0].Body, kept[1].Actor = []byte(`{"dropped":{}}`), nil
	rm := storage.Removal{Run: &r, Trail: kept, At: day(30), Refs: []string{"run:" + r.ID, "gate:none"}}
	if err := s.Remove(ctx, rm); err != nil {
		t.Fatal(err)
	}
	_, err := s.Run(ctx, r.ID)
	wantError(t, err, storage.ErrNotFound)
	_, err = s.RunByName(ctx, r.Name)
	wantError(t, err, storage.ErrNotFound)
	_, err = s.Gate(ctx, r.ID+"/1")
	wantError(t, err, storage.ErrNotFound)
	_, err = s.Surface(ctx, "f1")
	wantError(t, err, storage.ErrNotFound)
	same(t, "the other run", must(s.Run(ctx, other.ID))(t), other)
	same(t, "leases", len(must(s.Leases(ctx))(t)), 1)
	same(t, "timers", len(must(s.ClaimTimers(ctx, "p1", day(1), time.Hour, 9))(t)), 1)
	same(t, "gates", len(must(s.Gates(ctx, storage.GateQuery{}))(t)), 1)
	must(s.Surface(ctx, "f2"))(t)
	write(t, s, &storage.Batch{Events: []storage.Event{{ID: "e1", Name: "paid", At: start}}})
	write(t, s, &storage.Batch{FanOut: []storage.FanOut{{Event: "e1", Kind: "event", Due: start}}})
	signals := must(s.ClaimTimers(ctx, "p1", start, time.Minute, 9))(t)
	same(t, "signals about an event", ids(signals, func(l storage.Timer) string { return l.ID }), []string{"e1/" + other.ID + "/1"})

	left := r
	left.Title, left.Key, left.State = "", "", nil
	same(t, "what is left", must(s.RemovedRun(ctx, r.ID))(t), left)
	same(t, "by name", must(s.RemovedRunByName(ctx, r.Name))(t), left)
	kept[0].At, kept[1].At = stored(kept[0].At), stored(kept[1].At)
	same(t, "trail", must(s.Trail(ctx, r.ID))(t), kept)
	_, err = s.RemovedRun(ctx, other.ID)
	wantError(t, err, storage.ErrNotFound)
	wantError(t, s.Remove(ctx, rm), storage.ErrConflict)

	// The key stays taken.
	again := newRun(3)
	again.Key = r.Key
	var taken *storage.KeyTakenError
	if err := s.Write(ctx, &storage.Batch{Run: &storage.RunWrite{Run: again, TakeKey: true}}); !errors.As(err, &taken) || taken.Run != r.ID {
		t.Fatalf("error %v", err)
	}
}

// removalRace has a late transition and two removals meet.
func removalRace(t *testing.T, s storage.Store) {
	ctx := t.Context()
	moved := ended(t, s, 1, 1, nil)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: moved, Facts: newFacts(4, 1)}})
	wantError(t, s.Remove(ctx, storage.Removal{Run: &moved, Trail: newFacts(1, 1), At: day(30)}), storage.ErrConflict)
	must(s.Run(ctx, moved.ID))(t)
	same(t, "trail of what stays", len(must(s.Trail(ctx, moved.ID))(t)), 0)

	r := ended(t, s, 2, 1, nil)
	oneWins(t, 8, storage.ErrConflict, func(int) error {
		return s.Remove(ctx, storage.Removal{Run: &r, Trail: newFacts(1, 1), At: day(30)})
	})
	err := s.Write(ctx, &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: newFacts(4, 1)}})
	wantError(t, err, storage.ErrConflict)
}

// removedFacts takes the facts away in batches; a blob stays as long as somebody else's fact refers to it.
func removedFacts(t *testing.T, s storage.Store) {
	ctx := t.Context()
	shared, own := bytes.Repeat([]byte("s"), 70<<10), bytes.Repeat([]byte("o"), 70<<10)
	big := func(bodies ...[]byte) func(w *storage.RunWrite) {
		return func(w *storage.RunWrite) {
			for i, b := range bodies {
				w.Facts[i].Body = b
			}
		}
	}
	r, other := ended(t, s, 1, 1, big(shared, own, shared)), ended(t, s, 2, 1, big(shared))
	same(t, "before a removal", must(s.RemoveFacts(ctx, 9))(t), 0)
	if err := s.Remove(ctx, storage.Removal{Run: &r, At: day(30)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 1, 0, 0} {
		same(t, "facts of a batch", must(s.RemoveFacts(ctx, 2))(t), want)
	}
	same(t, "facts of the run", len(must(s.Facts(ctx, r.ID, 0))(t)), 0)
	same(t, "facts of the other run", string(must(s.Facts(ctx, other.ID, 0))(t)[0].Body), string(shared))
	if err := s.Remove(ctx, storage.Removal{Run: &other, At: day(30)}); err != nil {
		t.Fatal(err)
	}
	same(t, "facts of the other run", must(s.RemoveFacts(ctx, 9))(t), 3)
	// The bodies are gone: they can be stored anew.
	ended(t, s, 3, 1, big(shared, own))
}

// removedFactsRace stores facts with a body that is being removed with another run's.
func removedFactsRace(t *testing.T, s storage.Store) {
	ctx := t.Context()
	const rounds = 12
	body := bytes.Repeat([]byte("b"), 70<<10)
	big := func(w *storage.RunWrite) { w.Facts[0].Body = body }
	for n := range rounds {
		r := ended(t, s, n, 1, big)
		if err := s.Remove(ctx, storage.Removal{Run: &r, At: day(30)}); err != nil {
			t.Fatal(err)
		}
		next := newRun(100 + n)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if _, err := s.RemoveFacts(ctx, 9); err != nil {
					t.Errorf("remove: %v", err)
				}
			})
		}
		wg.Go(func() {
			w := &storage.RunWrite{Run: next, Facts: newFacts(1, 1)}
			big(w)
			if err := s.Write(ctx, &storage.Batch{Run: w}); err != nil {
				t.Errorf("write: %v", err)
			}
		})
		wg.Wait()
		same(t, "the body", string(must(s.Facts(ctx, next.ID, 0))(t)[0].Body), string(body))
	}
}

func oldDeliveries(t *testing.T, s storage.Store) {
	ctx := t.Context()
	var done []int64
	for n := range 6 {
		m := delivery(fmt.Sprint("E", n), "17.1")
		m.Received = day(n)
		must(s.PutInbox(ctx, m))(t)
	}
	for _, m := range must(s.PendingInbox(ctx, 0, 9))(t) {
		if m.Key != "E1" {
			done = append(done, m.ID)
		}
	}
	write(t, s, &storage.Batch{InboxDone: done})
	old := func(want int) {
		t.Helper()
		same(t, "old deliveries", must(s.CountOld(ctx, storage.OldQuery{Deliveries: day(4)}))(t), storage.Old{Deliveries: want})
	}
	old(3)
	same(t, "the first two", must(s.RemoveInbox(ctx, day(4), 2))(t), 2)
	same(t, "the rest", must(s.RemoveInbox(ctx, day(4), 2))(t), 1)
	same(t, "nothing", must(s.RemoveInbox(ctx, day(4), 2))(t), 0)
	old(0)
	same(t, "what waits stays", inboxKeys(must(s.PendingInbox(ctx, 0, 9))(t)), []string{"E1"})
	for key, fresh := range map[string]bool{"E0": true, "E1": false, "E4": false} {
		same(t, key+" is fresh", must(s.PutInbox(ctx, delivery(key, "17.1")))(t), fresh)
	}
}

func oldDraftsAndSurfaces(t *testing.T, s storage.Store) {
	ctx := t.Context()
	draft := func(n int, status string) storage.Draft {
		return storage.Draft{ID: fmt.Sprint("d", n), Channel: "C1", Thread: "17.1", Number: n, Flow: "f", Status: status, Created: day(n)}
	}
	write(t, s, &storage.Batch{Draft: []storage.Draft{draft(1, "open"), draft(2, "approved"), draft(3, "replaced"), draft(4, "discarded"), draft(5, "open")}})
	old := func(limit int) []string {
		return ids(must(s.OldDrafts(ctx, day(5), limit))(t), func(d storage.Draft) string { return d.ID })
	}
	same(t, "old drafts", old(9), []string{"d1", "d3", "d4"})
	same(t, "the oldest", old(1), []string{"d1"})
	draftID := func(d storage.Draft) string { return d.ID }
	same(t, "all drafts", ids(must(s.DraftsAfter(ctx, "", 9))(t), draftID), []string{"d1", "d2", "d3", "d4", "d5"})
	same(t, "the next drafts", ids(must(s.DraftsAfter(ctx, "d2", 2))(t), draftID), []string{"d3", "d4"})

	var list []storage.Surface
	for i, kind := range []string{"private", "private", "status", "draft", "private"} {
		f := newSurface(fmt.Sprint("f", i), "draft:d"+fmt.Sprint(i))
		f.Kind, f.Created, f.Shown = kind, day(i), 1
		list = append(list, f)
	}
	list[1].Shown = 0 // it was never sent
	write(t, s, &storage.Batch{Surfaces: list})
	same(t, "nothing was asked for", must(s.CountOld(ctx, storage.OldQuery{Kinds: []string{"private"}}))(t), storage.Old{})
	same(t, "all that is old", must(s.CountOld(ctx, storage.OldQuery{Drafts: day(5), Messages: day(4), Kinds: []string{"private", "status"}}))(t),
		storage.Old{Drafts: 3, Messages: 2})
	if err := s.Remove(ctx, storage.Removal{Drafts: []string{"d1", "d3"}, Refs: []string{"draft:d1", "draft:d3"}}); err != nil {
		t.Fatal(err)
	}
	same(t, "drafts left", old(9), []string{"d4"})
	for id, there := range map[string]bool{"f0": true, "f1": false, "f3": false} {
		_, err := s.Surface(ctx, id)
		same(t, id+" is there", err == nil, there)
	}
	same(t, "old private lines", must(s.RemoveSurfaces(ctx, "private", day(3), 9))(t), 1)
	for id, there := range map[string]bool{"f0": false, "f2": true, "f4": true} {
		_, err := s.Surface(ctx, id)
		same(t, id+" is there", err == nil, there)
	}
	stale := newSurface("f9", "x")
	stale.Kind = "private"
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{stale}})
	same(t, "what was never sent stays", must(s.RemoveSurfaces(ctx, "private", day(9), 9))(t), 1)
	must(s.Surface(ctx, "f9"))(t)
}

// reasons go from one person's pauses, and nothing else of the audit.
func reasons(t *testing.T, s storage.Store) {
	ctx := t.Context()
	row := func(user, what, ref string) storage.Audit {
		return storage.Audit{At: start, User: user, What: what, Ref: ref, Detail: []byte(`{"reason":"x"}`)}
	}
	write(t, s, &storage.Batch{Audit: []storage.Audit{
		row("U1", "flow_paused", "a"), row("U1", "flow_resumed", "a"), row("U1", "revision_approved", "b"), row("U2", "flow_paused", "c"),
	}})
	same(t, "the first", must(s.ForgetReasons(ctx, "U1", 1))(t), 1)
	same(t, "the rest", must(s.ForgetReasons(ctx, "U1", 9))(t), 1)
	same(t, "nothing", must(s.ForgetReasons(ctx, "U1", 9))(t), 0)
	for ref, left := range map[string]bool{"a": false, "b": true, "c": true} {
		for _, a := range must(s.Audit(ctx, ref, 9))(t) {
			same(t, "a detail of "+ref, len(a.Detail) > 0, left)
		}
	}
}
