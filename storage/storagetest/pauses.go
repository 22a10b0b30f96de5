package storagetest

import (
	"testing"
	"time"

	"sluice/storage"
)

func pauses(t *testing.T, s storage.Store) {
	ctx := t.Context()
	refund := storage.Pause{Flow: "refund", Actor: []byte(`{"user":"U1"}`), Reason: "the shop is closed", Since: start}
	write(t, s, &storage.Batch{
		Pause: []storage.Pause{refund, {Flow: "digest", Since: start}},
		Schedules: []storage.Schedule{
			{ID: "s1", Flow: "refund", Next: start}, {ID: "s2", Flow: "other", Next: start.Add(time.Hour)},
		},
	})
	write(t, s, &storage.Batch{Pause: []storage.Pause{{Flow: "refund", Reason: "who comes second changes nothing", Since: start.Add(time.Hour)}}})
	refund.Since = stored(start)
	flow := func(p storage.Pause) string { return p.Flow }
	all := must(s.Pauses(ctx))(t)
	same(t, "paused", ids(all, flow), []string{"digest", "refund"})
	same(t, "one", all[1], refund)
	schedule := func(c storage.Schedule) string { return c.ID }
	late := start.Add(2 * time.Hour)
	same(t, "due beside a paused flow", ids(must(s.DueSchedules(ctx, late, 9))(t), schedule), []string{"s2"})
	same(t, "next beside a paused flow", must(s.NextDue(ctx))(t), stored(start.Add(time.Hour)))

	write(t, s, &storage.Batch{Pause: []storage.Pause{{Since: start}}})
	same(t, "due while everything is paused", len(must(s.DueSchedules(ctx, late, 9))(t)), 0)
	same(t, "next while everything is paused", must(s.NextDue(ctx))(t), time.Time{})

	write(t, s, &storage.Batch{Unpause: []string{"", "refund", "nobody"}})
	same(t, "left", ids(must(s.Pauses(ctx))(t), flow), []string{"digest"})
	same(t, "due again", ids(must(s.DueSchedules(ctx, late, 9))(t), schedule), []string{"s1", "s2"})
	same(t, "next again", must(s.NextDue(ctx))(t), stored(start))
}

func liveRuns(t *testing.T, s storage.Store) {
	ctx := t.Context()
	for n := range 5 {
		r := newRun(n + 1)
		r.Flow, r.Status, r.State = "refund", "waiting", []byte("{}")
		switch n {
		case 1:
			r.Flow = "digest"
		case 2:
			r.Ended = start
		case 3:
			r.Status = "paused"
		}
		write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r}})
	}
	id := func(r storage.Run) string { return r.ID }
	page := func(q storage.LiveQuery, before *storage.Run) []string {
		t.Helper()
		return ids(must(s.LiveRuns(ctx, q, before))(t), id)
	}
	newestFirst := ids(must(s.Runs(ctx, storage.RunQuery{Live: true}))(t), id)
	same(t, "all", page(storage.LiveQuery{}, nil), newestFirst)
	same(t, "of a flow", len(page(storage.LiveQuery{Flow: "refund"}, nil)), 3)
	same(t, "paused", page(storage.LiveQuery{Status: "paused"}, nil), []string{"run0004"})
	same(t, "of a flow and paused", page(storage.LiveQuery{Flow: "digest", Status: "paused"}, nil), []string(nil))
	first := must(s.LiveRuns(ctx, storage.LiveQuery{Limit: 3}, nil))(t)
	same(t, "first page", ids(first, id), newestFirst[:3])
	same(t, "with the state", string(first[0].State), "{}")
	same(t, "second page", page(storage.LiveQuery{Limit: 3}, &first[2]), newestFirst[3:])
}
