package bot

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/storage"
)

// queueing makes the world's flow let runs with the same key wait for each other.
func (w *world) queueing() {
	w.Helper()
	rev, err := w.store.Revision(w.Context(), "refund", 0)
	if err != nil {
		w.Fatal(err)
	}
	f, err := flow.FromJSON(rev.Body)
	if err != nil {
		w.Fatal(err)
	}
	f.Run.OnDuplicate = flow.DuplicateQueue
	lock, err := w.bot.Engine.Lock(w.Context(), f)
	if err != nil {
		w.Fatal(err)
	}
	rev.Number++
	rev.Body, rev.Hash, rev.LockHash = flow.Canonical(f), flow.Hash(f), flow.ApprovalHash(f, lock)
	if rev.Lock, err = json.Marshal(lock); err != nil {
		w.Fatal(err)
	}
	head, err := w.store.Flow(w.Context(), "refund")
	if err != nil {
		w.Fatal(err)
	}
	head.Head = rev.Number
	if err := w.store.Write(w.Context(), &storage.Batch{Flow: &head, Revision: &rev}); err != nil {
		w.Fatal(err)
	}
}

// A person who starts the same thing again is told behind which run it waits, and sees it.
func TestAQueuedRunIsSeenAndGoesOnAnyway(t *testing.T) {
	t.Parallel()
	w := operated(t)
	w.queueing()
	if got := w.command("fin", "run refund order_id=A-1"); !strings.Contains(got, "*refund-2* is queued behind *refund-1*") {
		t.Errorf("the second start was answered %q", got)
	}
	if got := w.command("fin", "resume refund-2"); !strings.Contains(got, "queued behind refund-1") {
		t.Errorf("the resume was answered %q", got)
	}
	r, err := w.store.RunByName(t.Context(), "refund-2")
	if err != nil || r.Status != string(history.Paused) {
		t.Fatalf("the run is %s, %v", r.Status, err)
	}
	c, err := w.bot.Cards.StatusCard(t.Context(), r.ID)
	if err != nil || !strings.Contains(c.Text.String(), "*Queued* behind refund-1") || c.Buttons[0].Action != surface.OpenForm || c.Buttons[0].Label != "Run anyway…" {
		t.Fatalf("the card is %+v, %v", c, err)
	}
	ahead := func(user, reason string) string {
		return said(w.hear(request.Incoming{Kind: request.KindSubmit, User: user, Value: c.Buttons[0].Value, Form: map[string]string{form.FieldNote: reason}}))
	}
	if got := ahead("fin", " "); !strings.Contains(got, "a reason is needed") {
		t.Errorf("no reason was answered %q", got)
	}
	if got := ahead("eve", "hurry"); !strings.Contains(got, "no such") {
		t.Errorf("somebody who may not see the run was answered %q", got)
	}
	w.command("ana", "pause refund-2 wait")
	if got := ahead("fin", "hurry"); !strings.Contains(got, "still paused by <@ana>: wait") {
		t.Errorf("the click was answered %q", got)
	}
	w.command("ana", "resume refund-2")
	if got := w.status("refund-2"); got != history.Running {
		t.Errorf("the run is %s", got)
	}
}
