package main

import (
	"slices"
	"strings"
	"testing"
)

// TestNobodyMayAnswer: a gate whose people are all gone when it opens stops the run there and says so, to people who can do something
// about it; it is never open to others instead. When there are people again it is asked again.
func TestNobodyMayAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true})
	drafts(w)
	standing := func(deleted bool) {
		w.bot.kill()
		w.post("user", fields{"user": "fin", "deleted": deleted})
		w.startBot() // it knows nothing from before
	}
	standing(true)
	w.flow("ana", "#support", "run refund order_id=A-1001")
	status := theStatus(w)
	closed := w.untilMessage("#support", "the closed question", func(m message) bool {
		return m.Thread == status.TS && strings.Contains(m.shown(), "nobody may answer: @finance has no active members") && strings.Contains(m.shown(), "*Cancelled*")
	})
	if len(closed.buttons()) != 0 {
		t.Errorf("the closed question still has buttons:\n%s", closed.shown())
	}
	failed := w.untilMessage("#support", "the failure's card", func(m message) bool {
		return m.Thread == status.TS && slices.Contains(m.buttons(), "Retry")
	})
	if text := failed.shown(); !strings.Contains(text, "A step failed") || !strings.Contains(text, "@finance has no active members") || slices.Contains(failed.buttons(), "Skip") {
		t.Errorf("the failure's card shows:\n%s", text)
	}
	if len(w.arrivals("POST /refunds")) != 0 {
		t.Error("the refund was made without anybody's approval")
	}
	standing(false)
	w.click("ana", failed, "Retry")
	card := w.untilMessage("#support", "the question, asked again", func(m message) bool {
		return m.Thread == status.TS && slices.Contains(m.buttons(), "Reject")
	})
	w.click("fin", card, "Approve")
	settled(w, status)
}

// TestNobodyMayAnswerAnyMore: while a question is open its only decider is deactivated. Who asked is told at once, once; the question stays
// open, and the decider who comes back answers it.
func TestNobodyMayAnswerAnyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	status, card := waitingRefund(w)
	about := func() []message {
		return filter(w.state("@ana"), func(m message) bool { return strings.Contains(m.shown(), "nobody may answer") })
	}
	w.post("user", fields{"user": "fin", "deleted": true})
	told := poll(w, "what ana is told", func() (message, bool) { m := about(); return slices.Concat(m, []message{{}})[0], len(m) > 0 })
	w.saysIn("what ana is told", told.shown(), "@finance has no active members", "It stays open", "cancel refund-1")
	w.post("group", fields{"group": "finance", "members": []string{}})
	w.post("group", fields{"group": "finance", "members": []string{"bob"}})
	for refused := 0; ; { // until the bot has heard that bob is in the group
		w.click("bob", card, "Approve")
		if until(w, "#support", "what comes of bob's click", func(all []message) (decided, ok bool) {
			open := filter(all, func(m message) bool { return m.TS == card.TS && slices.Contains(m.buttons(), "Approve") })
			told := len(filter(all, func(m message) bool { return m.EphemeralTo != "" && strings.Contains(m.shown(), "Only members of") }))
			ok = len(open) == 0 || told > refused
			refused = max(refused, told)
			return len(open) == 0, ok
		}) {
			break
		}
	}
	settled(w, status)
	if n := len(about()); n != 1 {
		t.Errorf("ana was told %d times:\n%s", n, transcript(w.state("@ana")))
	}
}
