package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/storage"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func delivery(key, thread string) storage.Inbox {
	return storage.Inbox{Key: key, Thread: thread, Kind: "message", Payload: []byte(`{"text":"hi"}`), Received: start}
}

func inboxOnce(t *testing.T, s storage.Store) {
	ctx := t.Context()
	same(t, "fresh", must(s.PutInbox(ctx, delivery("E1", "17.1")))(t), true)
	same(t, "again", must(s.PutInbox(ctx, delivery("E1", "17.1")))(t), false)
	pending := must(s.PendingInbox(ctx, 0, 9))(t)
	want := delivery("E1", "17.1")
	want.ID, want.Received = pending[0].ID, stored(start)
	same(t, "pending", pending, []storage.Inbox{want})

	write(t, s, &storage.Batch{InboxDone: []int64{want.ID}})
	same(t, "done", len(must(s.PendingInbox(ctx, 0, 9))(t)), 0)
	same(t, "again after it is done", must(s.PutInbox(ctx, delivery("E1", "17.1")))(t), false)

	if err := s.PutInboxes(ctx, []storage.Inbox{delivery("E5", "17.1"), delivery("E1", "17.1"), delivery("E4", "17.1"), delivery("E5", "17.2")}); err != nil {
		t.Errorf("put several: %v", err)
	}
	several := must(s.PendingInbox(ctx, 0, 9))(t)
	same(t, "several, in their order and each once", inboxKeys(several), []string{"E5", "E4"})
	same(t, "the first of two with one key", several[0].Thread, "17.1")

	var fresh atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			ok, err := s.PutInbox(ctx, delivery("E2", "17.1"))
			if err != nil {
				t.Errorf("put: %v", err)
			}
			if ok {
				fresh.Add(1)
			}
		})
	}
	wg.Wait()
	same(t, "fresh among many", fresh.Load(), int32(1))
}

func inboxKeys(list []storage.Inbox) []string {
	return ids(list, func(m storage.Inbox) string { return m.Key })
}

func inboxOrder(t *testing.T, s storage.Store) {
	ctx := t.Context()
	for i := range 6 {
		must(s.PutInbox(ctx, delivery(fmt.Sprint("E", i), fmt.Sprint(i%2))))(t)
	}
	all := must(s.PendingInbox(ctx, 0, 9))(t)
	same(t, "all", inboxKeys(all), []string{"E0", "E1", "E2", "E3", "E4", "E5"})
	write(t, s, &storage.Batch{InboxDone: []int64{all[1].ID, all[3].ID}})
	same(t, "limited", inboxKeys(must(s.PendingInbox(ctx, 0, 2))(t)), []string{"E0", "E2"})
	same(t, "after one", inboxKeys(must(s.PendingInbox(ctx, all[2].ID, 9))(t)), []string{"E4", "E5"})
}

// inboxRace reads on from the last id that it has seen while others write: nothing may appear behind its back.
func inboxRace(t *testing.T, s storage.Store) {
	const writers, each = 8, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if _, err := s.PutInbox(t.Context(), delivery(fmt.Sprintf("E%d.%d", w, i), "17.1")); err != nil {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	written := make(chan struct{})
	go func() {
		wg.Wait()
		close(written)
	}()
	var seen []int64
	for last := false; ; {
		after := int64(0)
		if len(seen) > 0 {
			after = seen[len(seen)-1]
		}
		rows := must(s.PendingInbox(t.Context(), after, 5))(t)
		for _, r := range rows {
			seen = append(seen, r.ID)
		}
		if last && len(rows) == 0 {
			break
		}
		select {
		case <-written:
			last = true
		default:
		}
	}
	if len(seen) != writers*each || !slices.IsSorted(seen) {
		t.Fatalf("%d of %d deliveries were seen", len(seen), writers*each)
	}
}

func newSurface(id, ref string) storage.Surface {
	return storage.Surface{
		ID: id, Kind: "status", Ref: ref, Channel: "C1", Thread: "17.1", User: "U1", Body: []byte("{}"), Created: start,
	}
}

func surfaceOnce(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{newSurface("f1", "run:r1")}})
	want := newSurface("f1", "run:r1")
	want.Wanted, want.Created = 1, stored(start)
	same(t, "stored", must(s.Surface(ctx, "f1"))(t), want)

	other := newSurface("f1", "run:r2")
	other.Channel = "C2"
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{other, newSurface("f2", "run:r1")}})
	same(t, "left as it is", must(s.Surface(ctx, "f1"))(t), want)
	of := must(s.SurfacesOf(ctx, "run:r1"))(t)
	same(t, "of the run", ids(of, func(f storage.Surface) string { return f.ID }), []string{"f1", "f2"})
	notice := newSurface("f3", "run:r3")
	notice.Kind, notice.Created = "notice", start.Add(time.Second)
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{notice}})
	of = must(s.SurfacesOfKind(ctx, "status", 1))(t)
	same(t, "the newest of a kind", len(of), 1)
	of = must(s.SurfacesOfKind(ctx, "notice", 9))(t)
	same(t, "of a kind", ids(of, func(f storage.Surface) string { return f.ID }), []string{"f3"})
	_, err := s.Surface(ctx, "f9")
	wantError(t, err, storage.ErrNotFound)
}

func stale(t *testing.T, s storage.Store, now time.Time) []string {
	t.Helper()
	list := must(s.StaleSurfaces(t.Context(), now, 9))(t)
	return ids(list, func(f storage.Surface) string { return f.ID })
}

func surfaceStale(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{
		Surfaces: []storage.Surface{newSurface("f1", "run:r1"), newSurface("f2", "run:r2")},
		Stale:    []string{"run:r1"},
	})
	same(t, "a new one is wanted once", must(s.Surface(ctx, "f1"))(t).Wanted, int64(1))
	same(t, "new ones", len(stale(t, s, start)), 2)

	f := must(s.Surface(ctx, "f1"))(t)
	f.TS, f.Shown, f.Hash, f.File, f.Tries = "18.5", f.Wanted, "h1", "F1", 2
	if err := s.SaveSurface(ctx, f); err != nil {
		t.Fatal(err)
	}
	same(t, "saved", must(s.Surface(ctx, "f1"))(t), f)
	same(t, "the other one", stale(t, s, start), []string{"f2"})

	write(t, s, &storage.Batch{Stale: []string{"run:r1", "run:r9"}})
	write(t, s, &storage.Batch{Stale: []string{"run:r1"}})
	same(t, "raised", must(s.Surface(ctx, "f1"))(t).Wanted, int64(3))
	same(t, "stale again", len(stale(t, s, start)), 2)

	// What was sent while it became stale again does not hide that.
	f.Wanted, f.Shown = 2, 2
	if err := s.SaveSurface(ctx, f); err != nil {
		t.Fatal(err)
	}
	got := must(s.Surface(ctx, "f1"))(t)
	same(t, "wanted and shown", []int64{got.Wanted, got.Shown}, []int64{3, 2})
	same(t, "still stale", len(stale(t, s, start)), 2)
	wantError(t, s.SaveSurface(ctx, newSurface("f9", "x")), storage.ErrNotFound)

	posted := newSurface("f3", "run:r3")
	posted.Shown, posted.TS = 1, "19.1"
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{posted}})
	if slices.Contains(stale(t, s, start), "f3") {
		t.Error("a surface that was shown before it was stored is stale")
	}
}

func surfaceRetry(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{newSurface("f1", "run:r1")}})
	f := must(s.Surface(ctx, "f1"))(t)
	f.RetryAt, f.Tries = start.Add(time.Minute), 1
	if err := s.SaveSurface(ctx, f); err != nil {
		t.Fatal(err)
	}
	same(t, "not yet", len(stale(t, s, start)), 0)
	same(t, "now", stale(t, s, start.Add(time.Minute)), []string{"f1"})
	f.RetryAt = stored(f.RetryAt)
	same(t, "saved", must(s.Surface(ctx, "f1"))(t), f)
}

func surfaceFairness(t *testing.T, s storage.Store) {
	ctx := t.Context()
	for i := range 3 {
		write(t, s, &storage.Batch{Surfaces: []storage.Surface{newSurface(fmt.Sprint("f", i), fmt.Sprint("run:", i))}})
	}
	same(t, "in the order in which they became stale", stale(t, s, start), []string{"f0", "f1", "f2"})
	// f0 keeps changing while it is sent: it goes to the end of the line, and changing does not move it forward.
	f := must(s.Surface(ctx, "f0"))(t)
	write(t, s, &storage.Batch{Stale: []string{"run:0"}})
	f.Shown = f.Wanted
	if err := s.SaveSurface(ctx, f); err != nil {
		t.Fatal(err)
	}
	write(t, s, &storage.Batch{Stale: []string{"run:1", "run:0"}})
	same(t, "after it was sent", stale(t, s, start), []string{"f1", "f2", "f0"})
}

func surfaceCrossing(t *testing.T, s storage.Store) {
	refs := []string{"home:U1", "home:U2", "home:U3", "home:U4"}
	var list []storage.Surface
	for i, ref := range refs {
		list = append(list, newSurface(fmt.Sprint("f", 9-i), ref))
	}
	write(t, s, &storage.Batch{Surfaces: list})
	const writers, each = 8, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			mine := slices.Concat(refs[w%4:], refs[:w%4], refs[:1]) // one of them twice
			for range each {
				if err := s.Write(t.Context(), &storage.Batch{Stale: mine}); err != nil {
					t.Errorf("write: %v", err)
				}
			}
		})
	}
	wg.Wait()
	for _, f := range must(s.StaleSurfaces(t.Context(), start, 9))(t) {
		same(t, f.ID, f.Wanted, int64(1+writers*each))
	}
}

func surfaceAt(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{newSurface("f1", "run:r1"), newSurface("f2", "run:r1")}})
	f := must(s.Surface(ctx, "f2"))(t)
	f.TS, f.Channel = "18.5", "C7"
	if err := s.SaveSurface(ctx, f); err != nil {
		t.Fatal(err)
	}
	same(t, "found", must(s.SurfaceAt(ctx, "C7", "18.5"))(t).ID, "f2")
	for _, at := range [][2]string{{"C1", "18.5"}, {"C7", "1.1"}, {"C1", ""}} {
		_, err := s.SurfaceAt(ctx, at[0], at[1])
		wantError(t, err, storage.ErrNotFound)
	}
}

// oddValues stores what callers do not think of: bytes that are no text, quotes, other scripts, far and ancient times.
func oddValues(t *testing.T, s storage.Store) {
	ctx := t.Context()
	r := newRun(1)
	r.Title = "It's \"50 %\" {rows} $1 ? \\ 退款 🧾"
	r.State = []byte{0, 1, 2, 0xff, 0xfe, '\''}
	r.Started = time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC)
	r.Ended = time.Date(2261, 1, 1, 0, 0, 0, 1000, time.UTC)
	fact := storage.Fact{Seq: 1, Kind: "odd", At: r.Ended, Body: []byte("\x00\xff"), Actor: nil}
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: []storage.Fact{fact}}})
	r.Version = 1
	same(t, "run", must(s.Run(ctx, r.ID))(t), r)
	fact.Run = r.ID
	same(t, "fact", must(s.Facts(ctx, r.ID, 0))(t), []storage.Fact{fact})
}

func inboxThread(t *testing.T, s storage.Store) {
	ctx := t.Context()
	for i, thread := range []string{"t1", "t2", "t1", "t1"} {
		must(s.PutInbox(ctx, storage.Inbox{Key: fmt.Sprint(i), Thread: thread, Received: start}))(t)
	}
	keys := func(limit int) []string {
		return ids(must(s.PendingInThread(ctx, "t1", limit))(t), func(m storage.Inbox) string { return m.Key })
	}
	same(t, "all of the thread", keys(9), []string{"0", "2", "3"})
	same(t, "the first two", keys(2), []string{"0", "2"})
	write(t, s, &storage.Batch{InboxDone: []int64{must(s.PendingInThread(ctx, "t1", 1))(t)[0].ID}})
	same(t, "after the first is done", keys(9), []string{"2", "3"})
}

// inboxEffectOnce has several take effect for one delivery: a process that was frozen meanwhile comes too late, whatever else it
// writes.
func inboxEffectOnce(t *testing.T, s storage.Store) {
	ctx := t.Context()
	r := created(t, s, 1)
	for _, key := range []string{"E1", "E2", "E3"} {
		must(s.PutInbox(ctx, delivery(key, "17.1")))(t)
	}
	rows := must(s.PendingInbox(ctx, 0, 9))(t)
	write(t, s, &storage.Batch{InboxDone: []int64{0, rows[0].ID, rows[0].ID}, Stale: []string{"run:" + r.ID}})
	for name, late := range map[string]*storage.Batch{
		"alone":              {InboxDone: []int64{rows[0].ID}, Surfaces: []storage.Surface{newSurface("late", "run:late")}},
		"beside another one": {InboxDone: []int64{rows[0].ID, rows[1].ID}, Audit: []storage.Audit{{At: start, Ref: "late"}}},
		"with a transition":  {InboxDone: []int64{rows[0].ID}, Run: &storage.RunWrite{Run: r, Facts: newFacts(2, 1)}},
		"with a new run":     {InboxDone: []int64{rows[0].ID}, Run: &storage.RunWrite{Run: newRun(2), Facts: newFacts(1, 1)}},
		"with a draft":       {InboxDone: []int64{rows[0].ID}, Draft: []storage.Draft{{ID: "late", Channel: "C1", Thread: "17.1"}}},
		"that never was":     {InboxDone: []int64{rows[2].ID + 100}, Audit: []storage.Audit{{At: start, Ref: "late"}}},
	} {
		if err := s.Write(ctx, late); !errors.Is(err, storage.ErrDone) {
			t.Errorf("%s: error %v, want ErrDone", name, err)
		}
	}
	same(t, "facts", len(must(s.Facts(ctx, r.ID, 0))(t)), 1)
	same(t, "runs", len(must(s.Runs(ctx, storage.RunQuery{}))(t)), 1)
	same(t, "audit", len(must(s.Audit(ctx, "late", 9))(t)), 0)
	_, err := s.Draft(ctx, "late")
	wantError(t, err, storage.ErrNotFound)
	_, err = s.Surface(ctx, "late")
	wantError(t, err, storage.ErrNotFound)
	same(t, "left", inboxKeys(must(s.PendingInbox(ctx, 0, 9))(t)), []string{"E2", "E3"})

	const racers = 8
	var first atomic.Int32
	var wg sync.WaitGroup
	for n := range racers {
		wg.Go(func() {
			err := s.Write(ctx, &storage.Batch{
				InboxDone: []int64{rows[1].ID}, Run: &storage.RunWrite{Run: newRun(10 + n), Facts: newFacts(1, 1)},
			})
			switch {
			case err == nil:
				first.Add(1)
			case !errors.Is(err, storage.ErrDone):
				t.Errorf("error %v, want ErrDone", err)
			}
		})
	}
	wg.Wait()
	same(t, "effects of one delivery", first.Load(), int32(1))
	same(t, "runs", len(must(s.Runs(ctx, storage.RunQuery{}))(t)), 2)
}

// probe leaves nothing behind.
func probe(t *testing.T, s storage.Store) {
	for range 2 {
		if err := s.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "pending", len(must(s.PendingInbox(t.Context(), 0, 9))(t)), 0)
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// surfaceShares: one person with many stale surfaces keeps nobody else's out of the list.
func surfaceShares(t *testing.T, s storage.Store) {
	var list []storage.Surface
	for i := range 9 {
		list = append(list, newSurface(fmt.Sprint("a", i), fmt.Sprint("private:", i)))
	}
	write(t, s, &storage.Batch{Surfaces: list})
	for i, change := range []func(*storage.Surface){
		func(f *storage.Surface) { f.User = "U2" }, func(f *storage.Surface) { f.Channel = "C2" }, func(f *storage.Surface) { f.Kind = "gate" },
	} {
		other := newSurface(fmt.Sprint("b", i), fmt.Sprint("gate:", i))
		change(&other)
		write(t, s, &storage.Batch{Surfaces: []storage.Surface{other}})
	}
	got := ids(must(s.StaleSurfaces(t.Context(), start, 2))(t), func(f storage.Surface) string { return f.ID })
	slices.Sort(got)
	same(t, "two of each share", got, []string{"a0", "a1", "b0", "b1", "b2"})
}

// surfaceFailed: a surface that could not be shown keeps its place among those of its share.
func surfaceFailed(t *testing.T, s storage.Store) {
	for i := range 2 {
		write(t, s, &storage.Batch{Surfaces: []storage.Surface{newSurface(fmt.Sprint("f", i), fmt.Sprint("run:", i))}})
	}
	f := must(s.Surface(t.Context(), "f0"))(t)
	f.Tries, f.RetryAt = 1, start
	if err := s.SaveSurface(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	same(t, "after it failed", stale(t, s, start), []string{"f0", "f1"})
}

func surfaceBlocked(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{newSurface("f1", "run:r1"), newSurface("f2", "run:r2"), newSurface("f3", "run:r3")}})
	for i, id := range []string{"f1", "f2", "f3"} {
		f := must(s.Surface(ctx, id))(t)
		f.Blocked, f.BlockedAt, f.RetryAt = "invalid_auth", start.Add(time.Duration(i)*time.Second), start.Add(time.Hour)
		if id == "f3" {
			f.Blocked = "C1 is_archived"
		}
		f.Delivery = []byte(`{"n":1}`)
		if err := s.SaveSurface(ctx, f); err != nil {
			t.Fatal(err)
		}
		f.BlockedAt, f.RetryAt = stored(f.BlockedAt), stored(f.RetryAt)
		same(t, "saved", must(s.Surface(ctx, id))(t), f)
	}
	same(t, "causes", must(s.BlockedSurfaces(ctx))(t), []storage.Blocked{
		{Cause: "C1 is_archived", Since: stored(start.Add(2 * time.Second)), Surfaces: 1}, {Cause: "invalid_auth", Since: stored(start), Surfaces: 2},
	})
	same(t, "none is due", len(stale(t, s, start)), 0)
	var waiting []string
	for _, f := range must(s.WaitingSurfaces(ctx, "invalid_auth", 10))(t) {
		waiting = append(waiting, f.ID)
	}
	same(t, "waiting for a cause", waiting, []string{"f1", "f2"})
	same(t, "a part of them", len(must(s.WaitingSurfaces(ctx, "invalid_auth", 1))(t)), 1)
	if err := s.UnblockSurfaces(ctx, "invalid_auth"); err != nil {
		t.Fatal(err)
	}
	same(t, "due at once", stale(t, s, start), []string{"f1", "f2"})
	same(t, "causes left", len(must(s.BlockedSurfaces(ctx))(t)), 1)
	same(t, "since when it waited", must(s.Surface(ctx, "f1"))(t).BlockedAt, stored(start))
}

func surfaceMarked(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{newSurface("f1", "run:r1"), newSurface("f2", "run:r2")}})
	for _, id := range []string{"f1", "f2"} {
		f := must(s.Surface(ctx, id))(t)
		f.Shown, f.Hash, f.TS, f.RetryAt = f.Wanted, "shown", "18.5", start.Add(time.Hour)
		if err := s.SaveSurface(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.MarkSurface(ctx, "f1", "other"); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "due at once", stale(t, s, start), []string{"f1"})
	f := must(s.Surface(ctx, "f1"))(t)
	same(t, "what it shows", f.Hash, "other")
	same(t, "its message", f.TS, "18.5")

	// A message that is deleted while it is edited is known to be gone afterwards; the message that replaces it is not.
	edited := must(s.Surface(ctx, "f1"))(t)
	if err := s.MarkSurface(ctx, "f1", storage.SurfaceDeleted); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ ts, want string }{{"18.5", storage.SurfaceDeleted}, {"19.5", "again"}} {
		edited.Shown, edited.Hash, edited.TS = edited.Wanted, "again", c.ts
		if err := s.SaveSurface(ctx, edited); err != nil {
			t.Fatal(err)
		}
		same(t, "after the edit", must(s.Surface(ctx, "f1"))(t).Hash, c.want)
	}
}

func surfaceAside(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Surfaces: []storage.Surface{newSurface("f1", "run:r1"), newSurface("f2", "run:r2")}})
	for id, release := range map[string]string{"f1": "v1", "f2": "v2"} {
		f := must(s.Surface(ctx, id))(t)
		f.Shown, f.Aside, f.Delivery, f.Tries = f.Wanted, release, []byte(`{"n":1}`), 3
		if err := s.SaveSurface(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.RetryAside(ctx, "v2"); err != nil {
		t.Fatal(err)
	}
	same(t, "a new release tries again", stale(t, s, start), []string{"f1"})
	f := must(s.Surface(ctx, "f1"))(t)
	same(t, "as if it were new", []any{f.Aside, f.Tries, len(f.Delivery)}, []any{"", 0, 0})
}
