package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"sluice/storage"
)

func flowRevisions(t *testing.T, s storage.Store) {
	ctx := t.Context()
	_, err := s.Flow(ctx, "refund")
	wantError(t, err, storage.ErrNotFound)
	_, err = s.Revision(ctx, "refund", 0)
	wantError(t, err, storage.ErrNotFound)

	var revisions []storage.Revision
	for n := 1; n <= 3; n++ {
		rev := storage.Revision{
			Flow: "refund", Number: n, Hash: fmt.Sprint("h", n), LockHash: fmt.Sprint("l", n), Body: []byte("{}"), Lock: []byte("[]"),
			Draft: "d", By: "U1", At: start,
		}
		head := &storage.Flow{Name: "refund", Head: n, Channel: "C1", Owner: "U1", Updated: start}
		write(t, s, &storage.Batch{Flow: head, Revision: &rev})
		rev.At = stored(start)
		revisions = append([]storage.Revision{rev}, revisions...)
	}
	write(t, s, &storage.Batch{Flow: &storage.Flow{Name: "digest", Updated: start}})

	head := storage.Flow{Name: "refund", Head: 3, Channel: "C1", Owner: "U1", Updated: stored(start)}
	same(t, "head", must(s.Flow(ctx, "refund"))(t), head)
	same(t, "flows", ids(must(s.Flows(ctx))(t), func(f storage.Flow) string { return f.Name }), []string{"digest", "refund"})
	same(t, "revisions", must(s.Revisions(ctx, "refund"))(t), revisions)
	same(t, "the newest", must(s.Revision(ctx, "refund", 0))(t), revisions[0])
	same(t, "the second", must(s.Revision(ctx, "refund", 2))(t), revisions[1])
	_, err = s.Revision(ctx, "refund", 9)
	wantError(t, err, storage.ErrNotFound)
}

// flowRetired: a retired flow has no newest revision and nothing that starts it, and keeps the rest. Writing its head row ends that.
func flowRetired(t *testing.T, s storage.Store) {
	ctx := t.Context()
	head := storage.Flow{Name: "refund", Head: 1, Channel: "C1", Owner: "U1", Updated: stored(start)}
	for _, name := range []string{"refund", "other"} {
		f := head
		f.Name = name
		write(t, s, &storage.Batch{
			Flow: &f, Revision: &storage.Revision{Flow: name, Number: 1, At: start},
			Schedules: []storage.Schedule{{ID: "s-" + name, Flow: name, Next: start}},
			Triggers:  []storage.Trigger{{ID: "t-" + name, Flow: name, Kind: "webhook", Subject: name}},
		})
	}
	at := stored(start.Add(time.Hour))
	write(t, s, &storage.Batch{Retire: &storage.Retirement{Flow: "refund", At: at}})
	write(t, s, &storage.Batch{Retire: &storage.Retirement{Flow: "refund", At: at.Add(time.Hour)}})
	write(t, s, &storage.Batch{Retire: &storage.Retirement{Flow: "nothing", At: at}})
	retired := head
	retired.Retired = at
	same(t, "the head row", must(s.Flow(ctx, "refund"))(t), retired)
	same(t, "the first revision", must(s.Revision(ctx, "refund", 1))(t).Number, 1)
	_, err := s.Revision(ctx, "refund", 0)
	wantError(t, err, storage.ErrNotFound)
	same(t, "schedules", ids(must(s.Schedules(ctx, ""))(t), func(x storage.Schedule) string { return x.ID }), []string{"s-other"})
	same(t, "triggers", ids(must(s.Triggers(ctx, "webhook", "refund"))(t), func(x storage.Trigger) string { return x.ID }), []string{})
	same(t, "triggers of the other", ids(must(s.TriggersOf(ctx, "other"))(t), func(x storage.Trigger) string { return x.ID }), []string{"t-other"})
	write(t, s, &storage.Batch{Flow: &head})
	same(t, "the newest revision", must(s.Revision(ctx, "refund", 0))(t).Number, 1)
}

func revisionOnce(t *testing.T, s storage.Store) {
	batch := func(owner string) *storage.Batch {
		return &storage.Batch{
			Flow:     &storage.Flow{Name: "refund", Head: 1, Owner: owner, Updated: start},
			Revision: &storage.Revision{Flow: "refund", Number: 1, By: owner, At: start},
		}
	}
	write(t, s, batch("U1"))
	wantError(t, s.Write(t.Context(), batch("U2")), storage.ErrConflict)
	same(t, "owner", must(s.Flow(t.Context(), "refund"))(t).Owner, "U1")

	// A revision needs its flow; that is found out at the very end of a statement.
	orphan := &storage.Batch{
		Revision: &storage.Revision{Flow: "nothing", Number: 1, At: start},
		Audit:    []storage.Audit{{At: start, What: "approved"}},
	}
	if err := s.Write(t.Context(), orphan); err == nil || errors.Is(err, storage.ErrConflict) {
		t.Fatalf("a revision without a flow: %v", err)
	}
	same(t, "audit", len(must(s.Audit(t.Context(), "", 9))(t)), 0)
}

func newDraft(id string, number int) storage.Draft {
	return storage.Draft{
		ID: id, Channel: "C1", Thread: "17.1", Number: number, Flow: "refund", Status: "open", Author: "U1", Base: 1, Hash: "h",
		Body: []byte("{}"), Created: start,
	}
}

func draftVersion(t *testing.T, s storage.Store) {
	ctx := t.Context()
	first := newDraft("d1", 1)
	write(t, s, &storage.Batch{Draft: []storage.Draft{first}})
	first.Version, first.Created = 1, stored(start)
	same(t, "stored", must(s.Draft(ctx, "d1"))(t), first)

	// A newer draft replaces it, in one batch.
	replaced := first
	replaced.Status = "replaced"
	write(t, s, &storage.Batch{Draft: []storage.Draft{replaced, newDraft("d2", 2)}})
	same(t, "the newest of the thread", must(s.DraftInThread(ctx, "C1", "17.1"))(t).ID, "d2")
	version := newDraft("d3", 1) // numbers begin again
	version.Created = start.Add(time.Second)
	write(t, s, &storage.Batch{Draft: []storage.Draft{version}})
	same(t, "the newest of another version", must(s.DraftInThread(ctx, "C1", "17.1"))(t).ID, "d3")
	got := must(s.Draft(ctx, "d1"))(t)
	same(t, "the old one", []any{got.Status, got.Version}, []any{"replaced", int64(2)})

	// A click on the old one that was under way is refused.
	late := first
	late.Status = "approved"
	wantError(t, s.Write(ctx, &storage.Batch{Draft: []storage.Draft{late}}), storage.ErrConflict)
	_, err := s.Draft(ctx, "d9")
	wantError(t, err, storage.ErrNotFound)
	_, err = s.DraftInThread(ctx, "C1", "other")
	wantError(t, err, storage.ErrNotFound)
}

func draftsTogether(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Draft: []storage.Draft{newDraft("d1", 1), newDraft("d2", 2)}})
	a, b := must(s.Draft(ctx, "d1"))(t), must(s.Draft(ctx, "d2"))(t)
	a.Status, b.Status, b.Version = "approved", "replaced", 7
	batch := &storage.Batch{Draft: []storage.Draft{a, b}, Audit: []storage.Audit{{At: start, What: "approved"}}}
	wantError(t, s.Write(ctx, batch), storage.ErrConflict)
	same(t, "the first", must(s.Draft(ctx, "d1"))(t).Status, "open")
	same(t, "audit", len(must(s.Audit(ctx, "", 9))(t)), 0)
	b.Version = 1
	batch.Draft = []storage.Draft{a, b}
	write(t, s, batch)
	same(t, "both", []string{must(s.Draft(ctx, "d1"))(t).Status, must(s.Draft(ctx, "d2"))(t).Status}, []string{"approved", "replaced"})
}

func scheduleVersion(t *testing.T, s storage.Store) {
	ctx := t.Context()
	c := storage.Schedule{
		ID: "s1", Flow: "refund", Cron: "*/5 * * * *", Zone: "Europe/Berlin", Inputs: []byte("{}"), Owner: "U1", Channel: "C1",
		Next: start, Last: start.Add(-time.Hour), CatchUp: "skip", Overlap: "queue", Paused: true, Failures: 2, LatestRun: "run0001",
		Kept: []time.Time{start, start.Add(time.Hour)},
	}
	write(t, s, &storage.Batch{Schedules: []storage.Schedule{c}})
	c.Version, c.Next, c.Last, c.Kept = 1, stored(c.Next), stored(c.Last), []time.Time{stored(c.Kept[0]), stored(c.Kept[1])}
	same(t, "stored", must(s.Schedule(ctx, "s1"))(t), c)
	next := c
	next.Paused, next.Failures, next.Next, next.LatestRun, next.Kept = false, 0, time.Time{}, "", nil
	write(t, s, &storage.Batch{Schedules: []storage.Schedule{next}})
	wantError(t, s.Write(ctx, &storage.Batch{Schedules: []storage.Schedule{c}}), storage.ErrConflict)
	next.Version = 2
	same(t, "changed", must(s.Schedule(ctx, "s1"))(t), next)
	_, err := s.Schedule(ctx, "s9")
	wantError(t, err, storage.ErrNotFound)
}

// scheduleFire has several processes see the same fire: one run starts.
func scheduleFire(t *testing.T, s storage.Store) {
	write(t, s, &storage.Batch{Schedules: []storage.Schedule{{ID: "s1", Flow: "refund", Next: start}}})
	due := must(s.DueSchedules(t.Context(), start, 9))(t)
	same(t, "due", len(due), 1)
	oneWins(t, 8, storage.ErrConflict, func(n int) error {
		c := due[0]
		c.Last, c.Next = c.Next, c.Next.Add(time.Minute)
		return s.Write(t.Context(), &storage.Batch{
			Run: &storage.RunWrite{Run: newRun(n), Facts: newFacts(1, 1)}, Schedules: []storage.Schedule{c},
		})
	})
	same(t, "runs", len(must(s.Runs(t.Context(), storage.RunQuery{}))(t)), 1)
}

func schedulesDue(t *testing.T, s storage.Store) {
	ctx := t.Context()
	write(t, s, &storage.Batch{Schedules: []storage.Schedule{
		{ID: "s1", Flow: "refund", Next: start},
		{ID: "s2", Flow: "digest", Next: start.Add(-time.Hour)},
		{ID: "s3", Flow: "digest", Next: start.Add(time.Microsecond)},
		{ID: "s4", Flow: "digest", Next: start, Paused: true},
		{ID: "s5", Flow: "digest"},
	}})
	name := func(c storage.Schedule) string { return c.ID }
	same(t, "due", ids(must(s.DueSchedules(ctx, start, 9))(t), name), []string{"s2", "s1"})
	same(t, "limited", ids(must(s.DueSchedules(ctx, start, 1))(t), name), []string{"s2"})
	same(t, "of a flow", ids(must(s.Schedules(ctx, "digest"))(t), name), []string{"s2", "s3", "s4", "s5"})
	same(t, "all", ids(must(s.Schedules(ctx, ""))(t), name), []string{"s2", "s3", "s4", "s5", "s1"})
}

func keptFires(t *testing.T, s storage.Store) {
	ctx := t.Context()
	over := newRun(2)
	over.Ended = start
	for _, r := range []storage.Run{newRun(1), over} {
		write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r}})
	}
	kept := []time.Time{start}
	write(t, s, &storage.Batch{Schedules: []storage.Schedule{
		{ID: "s1", LatestRun: "run0001", Kept: kept},
		{ID: "s2", LatestRun: "run0002", Kept: kept},
		{ID: "s3", LatestRun: "run0009", Kept: kept},
		{ID: "s4", Kept: kept},
		{ID: "s5", LatestRun: "run0002", Kept: kept, Paused: true},
		{ID: "s6", LatestRun: "run0002"},
	}})
	name := func(c storage.Schedule) string { return c.ID }
	same(t, "free", ids(must(s.KeptFires(ctx, 9))(t), name), []string{"s2", "s3", "s4"})
	same(t, "limited", ids(must(s.KeptFires(ctx, 2))(t), name), []string{"s2", "s3"})
	r := must(s.Run(ctx, "run0001"))(t)
	r.Ended = start
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r}})
	same(t, "after the end", ids(must(s.KeptFires(ctx, 1))(t), name), []string{"s1"})
}

func auditRows(t *testing.T, s storage.Store) {
	ctx := t.Context()
	row := func(what, ref string) storage.Audit {
		return storage.Audit{At: start, User: "U1", Team: "T1", Via: "button", What: what, Ref: ref, Detail: []byte("{}")}
	}
	write(t, s, &storage.Batch{Audit: []storage.Audit{row("approved", "flow:a"), row("paused", "flow:b")}})
	write(t, s, &storage.Batch{Audit: []storage.Audit{row("resumed", "flow:b")}})
	what := func(a storage.Audit) string { return a.What }
	same(t, "of a flow", ids(must(s.Audit(ctx, "flow:b", 9))(t), what), []string{"resumed", "paused"})
	same(t, "limited", ids(must(s.Audit(ctx, "", 2))(t), what), []string{"resumed", "paused"})
	all := must(s.Audit(ctx, "", 9))(t)
	paged := func(name string, q storage.AuditQuery, want ...string) {
		t.Helper()
		same(t, name, ids(must(s.AuditPage(ctx, q))(t), what), want)
	}
	paged("the first page", storage.AuditQuery{Limit: 2}, "resumed", "paused")
	paged("the next page", storage.AuditQuery{Limit: 2, Before: all[1].ID}, "approved")
	paged("of a person", storage.AuditQuery{User: "U1"}, "resumed", "paused", "approved")
	paged("of nobody", storage.AuditQuery{User: "U2"})
	want := row("approved", "flow:a")
	want.At, want.ID = stored(start), all[2].ID
	same(t, "whole", all[2], want)
}

func revisionByHash(t *testing.T, s storage.Store) {
	ctx := t.Context()
	for n, hash := range []string{"one", "two", "one"} {
		write(t, s, &storage.Batch{
			Flow:     &storage.Flow{Name: "refund", Head: n + 1, Updated: start},
			Revision: &storage.Revision{Flow: "refund", Number: n + 1, LockHash: hash, Body: []byte("{}"), At: start},
		})
	}
	same(t, "the newest of two", must(s.RevisionByHash(ctx, "refund", "one"))(t).Number, 3)
	same(t, "an older one", must(s.RevisionByHash(ctx, "refund", "two"))(t).Number, 2)
	_, err := s.RevisionByHash(ctx, "refund", "three")
	wantError(t, err, storage.ErrNotFound)
	_, err = s.RevisionByHash(ctx, "other", "one")
	wantError(t, err, storage.ErrNotFound)
}
