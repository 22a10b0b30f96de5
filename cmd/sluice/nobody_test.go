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
