package storagetest

import (
	"testing"

	"sluice/storage"
)

func newTrigger(flow string, num int, kind, subject string) storage.Trigger {
	return storage.Trigger{
		ID: flow + "/" + kind + "/" + string(rune('0'+num)), Flow: flow, Revision: 1, Num: num, Kind: kind, Subject: subject,
		Body: []byte(`{"n":1}`), Owner: "U1", Channel: "C1",
	}
}

// triggers replaces the triggers of a flow by those of its next revision.
func triggers(t *testing.T, s storage.Store) {
	ctx := t.Context()
	id := func(t storage.Trigger) string { return t.ID }
	refund := []storage.Trigger{newTrigger("refund", 0, "message", "C7"), newTrigger("refund", 1, "reaction", "moneybag")}
	write(t, s, &storage.Batch{Triggers: []storage.Trigger{newTrigger("digest", 2, "message", "C7"), newTrigger("digest", 0, "message", "C7")}})
	write(t, s, &storage.Batch{Triggers: refund})
	same(t, "of a flow", must(s.TriggersOf(ctx, "refund"))(t), refund)
	same(t, "of a channel", ids(must(s.Triggers(ctx, "message", "C7"))(t), id), []string{"digest/message/0", "digest/message/2", "refund/message/0"})
	same(t, "of an emoji", must(s.Triggers(ctx, "reaction", "moneybag"))(t), refund[1:])
	same(t, "of another kind", len(must(s.Triggers(ctx, "webhook", "C7"))(t)), 0)

	next := refund[0]
	next.Revision, next.Subject, next.Body = 2, "C8", []byte(`{"n":2}`)
	write(t, s, &storage.Batch{Triggers: []storage.Trigger{next}, NoTrigger: []string{refund[0].ID, refund[1].ID}})
	same(t, "replaced", must(s.TriggersOf(ctx, "refund"))(t), []storage.Trigger{next})
	write(t, s, &storage.Batch{NoTrigger: []string{next.ID}})
	same(t, "gone", len(must(s.TriggersOf(ctx, "refund"))(t)), 0)
	same(t, "of the other flow", len(must(s.TriggersOf(ctx, "digest"))(t)), 2)
}

func triggerTaken(t *testing.T, s storage.Store) {
	mine := newTrigger("refund", 0, "webhook", "orders")
	write(t, s, &storage.Batch{Triggers: []storage.Trigger{mine}})
	theirs := mine
	theirs.Flow = "digest"
	wantError(t, s.Write(t.Context(), &storage.Batch{
		Triggers: []storage.Trigger{newTrigger("digest", 1, "message", "C1"), theirs}, Audit: []storage.Audit{{At: start, What: "approved"}},
	}), storage.ErrConflict)
	same(t, "the holder", must(s.Triggers(t.Context(), "webhook", "orders"))(t), []storage.Trigger{mine})
	same(t, "of the other", len(must(s.TriggersOf(t.Context(), "digest"))(t)), 0)
	same(t, "audit", len(must(s.Audit(t.Context(), "", 9))(t)), 0)
}

func triggerStarts(t *testing.T, s storage.Store) {
	ctx := t.Context()
	started := func(flow, event string, n int) *storage.Batch {
		r := newRun(n)
		return &storage.Batch{
			Run:     &storage.RunWrite{Run: r, Facts: newFacts(1, 1)},
			Started: []storage.TriggerStart{{Flow: flow, Kind: "message", Event: event, Run: r.ID, At: start}},
		}
	}
	_, err := s.TriggerStart(ctx, "refund", "message", "C1/1")
	wantError(t, err, storage.ErrNotFound)
	write(t, s, started("refund", "C1/1", 1))
	write(t, s, started("refund", "C1/2", 2))
	write(t, s, started("digest", "C1/1", 3))
	wantError(t, s.Write(ctx, started("refund", "C1/1", 4)), storage.ErrStarted)
	_, err = s.Run(ctx, "run0004")
	wantError(t, err, storage.ErrNotFound)
	want := storage.TriggerStart{Flow: "refund", Kind: "message", Event: "C1/1", Run: "run0001", At: stored(start)}
	same(t, "the first", must(s.TriggerStart(ctx, "refund", "message", "C1/1"))(t), want)
}

// triggerStartRace has several processes see the same event: one run starts.
func triggerStartRace(t *testing.T, s storage.Store) {
	oneWins(t, 8, storage.ErrStarted, func(n int) error {
		r := newRun(n)
		return s.Write(t.Context(), &storage.Batch{
			Run:     &storage.RunWrite{Run: r, Facts: newFacts(1, 1)},
			Started: []storage.TriggerStart{{Flow: "refund", Kind: "reaction", Event: "C1/1", Run: r.ID, At: start}},
		})
	})
	same(t, "runs", len(must(s.Runs(t.Context(), storage.RunQuery{}))(t)), 1)
}
