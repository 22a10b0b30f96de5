package bot

import (
	"strings"
	"testing"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine/history"
	"sluice/storage"
)

// operated is a world with an approved flow and a run of it by bob; boss is an admin and fin an approver.
func operated(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, func(c *Config) { c.Admins, c.Approvers = []string{"boss"}, []string{"@finance", "@gone"} })
	_, d := w.draft("ana", refundWords)
	w.click("ana", "draft.approve", draft.Value(d))
	w.hear(request.Incoming{Kind: request.KindCommand, User: "bob", Text: "run refund order_id=A-1"})
	return w
}

func (w *world) command(user, text string) string {
	w.Helper()
	return said(w.hear(request.Incoming{Kind: request.KindCommand, User: user, Text: text}))
}

func (w *world) status(name string) history.Status {
	w.Helper()
	r, err := w.store.RunByName(w.Context(), name)
	if err != nil {
		w.Fatal(err)
	}
	return history.Status(r.Status)
}

// Each person pauses and resumes things in turn, and is told whether they may.
func TestPausing(t *testing.T) {
	t.Parallel()
	w := operated(t)
	for _, c := range []struct {
		user, text, want string
		status           history.Status // of refund-1 after it
	}{
		{"eve", "pause refund-1", "no such run, flow or schedule", history.Running},
		{"eve", "pause refund", "no such run, flow or schedule", history.Running},
		{"bob", "pause", "Which run, flow or schedule?", history.Running},
		{"bob", "pause refun", "Did you mean `refund`?", history.Running},
		{"bob", "pause refund", "Only the flow's owner, approvers and admins may pause it", history.Running},
		{"bob", "pause all", "Only admins may pause everything", history.Running},
		{"bob", "pause refund-1 it looks wrong", "*refund-1* is paused", history.Paused},
		{"bob", "pause refund-1", "paused already", history.Paused},
		{"fin", "pause refund the shop is closed", "holds 1 run:", history.Paused},
		{"ana", "pause refund", "refund is paused by fin (the shop is closed)", history.Paused},
		{"bob", "run refund order_id=A-2", "No run starts", history.Paused},
		{"bob", "resume refund-1", "still paused with its flow by <@fin>: the shop is closed", history.Paused},
		{"boss", "pause all", "Everything is paused and holds 1 run:", history.Paused},
		{"ana", "resume refund", "*refund* is not paused any more: 0 runs go on", history.Paused},
		{"boss", "resume all", "1 run goes on", history.Running},
		{"boss", "resume all", "Everything is not paused", history.Running},
		{"bob", "resume refund-1", "Nobody has paused this run by itself", history.Running},
	} {
		if got := w.command(c.user, c.text); !strings.Contains(got, c.want) {
			t.Errorf("%s said %q and was answered %q", c.user, c.text, got)
		}
		if got := w.status("refund-1"); got != c.status {
			t.Errorf("after %q the run is %s", c.text, got)
		}
	}
	rows, err := w.store.Audit(t.Context(), "flow:refund", 9)
	if err != nil || len(rows) < 2 || rows[0].What != "flow_resumed" || rows[1].What != "flow_paused" {
		t.Errorf("audited: %+v, %v", rows, err)
	}
}

// A paused run's card says who paused it, and has a button that lets it go on.
func TestThePausedCardResumes(t *testing.T) {
	t.Parallel()
	w := operated(t)
	w.command("bob", "pause refund-1 let me look")
	r, err := w.store.RunByName(t.Context(), "refund-1")
	if err != nil {
		t.Fatal(err)
	}
	shown := func() card.Card {
		c, err := w.bot.Cards.StatusCard(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := shown()
	if !strings.Contains(c.Text.String(), "*Paused* by <@bob>: let me look") || c.Buttons[0].Action != "run.resume" {
		t.Errorf("the card is %+v", c)
	}
	if got := w.click("fin", "run.resume", c.Buttons[0].Value); got != "" {
		t.Errorf("the click was answered %q", got)
	}
	if c = shown(); strings.Contains(c.Text.String(), "Paused") || c.Buttons[0].Action == "run.resume" {
		t.Errorf("the card is %+v", c)
	}
}

// When a step cannot be retried or skipped, the person is told so, and where to look.
func TestMendingAndMoving(t *testing.T) {
	t.Parallel()
	w := operated(t)
	for text, want := range map[string]string{
		"retry":             "Which run?",
		"retry refund-1":    "No step of refund-1 has failed",
		"skip refund-1":     "No step of refund-1 has failed",
		"reopen refund-1":   "No question of refund-1 has timed out",
		"move":              "Name a run or a flow",
		"move refund nine":  "Name a run or a flow",
		"move refund":       "No live run of refund is on another version than 1",
		"move refund 7":     "refund has no version 7",
		"move refund-1":     "Only the flow's owner, approvers and admins",
		"move refund 1 all": "Only the flow's owner, approvers and admins",
		"move nothing":      "no such run, flow or schedule",
		"fork refund-1":     "Name the run, and the node",
		"fork refund-1 pay": `was never at "pay"`,
		"fork nothing pay":  "no such run",
	} {
		if got := w.command("bob", text); !strings.Contains(got, want) {
			t.Errorf("%q is answered %q", text, got)
		}
	}
	if got := w.command("fin", "move refund-1"); !strings.Contains(got, "on version 1 already") {
		t.Errorf("fin was told %q", got)
	}
	r, err := w.store.RunByName(t.Context(), "refund-1")
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.bot.Engine.View(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	node := v.Visits[0].Node
	if got := w.command("bob", "fork refund-1 "+node); !strings.Contains(got, "fork refund-1 "+node+" go`") {
		t.Errorf("bob was told %q", got)
	}
	if got := w.command("bob", "fork refund-1 "+node+" go"); !strings.Contains(got, "*refund-2* goes on from "+node+" of *refund-1*") {
		t.Errorf("bob was told %q", got)
	}
	if gates, err := w.store.Gates(t.Context(), storage.GateQuery{}); err != nil || len(gates) > 0 {
		t.Errorf("%d gates, %v", len(gates), err)
	}
}
