package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exampleFlow is a flow file of the examples.
func exampleFlow(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// put drops a file in #support with a mention, and waits for the draft's card.
func (w *world) put(user, thread, name, content string) message {
	w.Helper()
	a := w.drop(user, "#support", thread, "@Sluice", name, content)
	if thread == "" {
		thread = a.TS
	}
	return w.cardAfter(thread, a.Seq)
}

// cardAfter waits for the card of a draft that came into a thread after a change.
func (w *world) cardAfter(thread string, seq int64) message {
	w.Helper()
	return w.untilMessage("#support", "a draft's card", func(m message) bool {
		return m.Thread == thread && m.Seq > seq && slices.Contains(m.buttons(), "Approve")
	})
}

// TestFlowFile drops the example of a refund: it becomes a draft, is approved, runs, and ends as the same flow from words does.
func TestFlowFile(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s setup) {
		w := newWorld(t, s)
		card := w.put("ana", "", "refund.yaml", exampleFlow(t, "refund/flow.yaml"))
		for _, part := range []string{"refund, draft 1", "1. Get the order from the shop", "*What it newly allows*", "calls shop.refund", "from the file refund.yaml"} {
			if !strings.Contains(card.shown(), part) {
				t.Errorf("the draft does not say %q:\n%s", part, card.shown())
			}
		}
		w.checkPicture(card)
		if strings.Contains(card.shown(), ":warning:") {
			t.Errorf("the draft warns of something:\n%s", card.shown())
		}
		w.click("ana", card, "Approve")
		w.untilMessage("#support", "the approved draft", func(m message) bool {
			return m.TS == card.TS && strings.Contains(m.shown(), "Approved as revision 1")
		})
		w.flow("ana", "#support", "run refund order_id=A-1001")
		status := w.untilMessage("#support", "the run waiting", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "*Waiting* at") })
		w.click("fin", gate(w, status), "Approve")
		done(w, status)
		if w.bookings() != 1 {
			t.Errorf("%d bookings", w.bookings())
		}
	})
}
