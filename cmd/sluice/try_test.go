package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTryAndReplay: before a draft is approved, people see what it would do, and what it would have made of finished runs.
func TestTryAndReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	root := w.write("ana", "#support", "", outline)
	card := drafted(w, root)
	a := w.click("ana", card, "Try it")
	asked := w.private("ana", "#support", a.Seq)
	if !strings.Contains(asked.shown(), "try order_id=A-1001") {
		t.Errorf("what a run is given is not asked for:\n%s", asked.shown())
	}
	a = w.click("ana", asked, "Try with made-up values")
	dry := w.private("ana", "#support", a.Seq)
	for _, part := range []string{"Refund, tried", "Nothing was called, posted or asked.", "With order id A-1001 it would get the order", "ask @finance “", "which is made up"} {
		if !strings.Contains(dry.shown(), part) {
			t.Errorf("the dry run does not say %q:\n%s", part, dry.shown())
		}
	}
	if alt := dry.alt(); !strings.Contains(alt, "Flowchart of a dry run") || !strings.Contains(alt, "possible") || dry.Thread != root.TS {
		t.Errorf("the dry run's picture, in thread %q, is: %s", dry.Thread, alt)
	}
	w.checkPicture(dry)
	hint := regexp.MustCompile("`try order_id=… (\\S+)=…").FindStringSubmatch(dry.shown())
	if hint == nil {
		t.Fatalf("the dry run does not say how to give values:\n%s", dry.shown())
	}
	said := w.write("ana", "#support", root.TS, "@Sluice try order_id=A-1001 "+hint[1]+`={"amount":20,"order_id":"A-1001"}`)
	line := w.private("ana", "#support", said.Seq)
	if !strings.Contains(line.shown(), "It would not come to: @finance approves") || strings.Contains(line.shown(), "If the answer is") {
		t.Errorf("a dry run with values is answered:\n%s", line.shown())
	}
	approve(w, card)
	w.flow("ana", "#support", "run refund order_id=A-1001")
	status := theStatus(w)
	w.click("fin", question(w, status), "Approve")
	w.untilMessage("#support", "the end of the run", func(m message) bool { return m.TS == status.TS && strings.Contains(m.shown(), "*Done*") })
	calls := len(w.arrivals(""))

	w.write("ana", "#support", root.TS, "2. if the amount is over 500 ask @finance to approve")
	next := w.untilMessage("#support", "the draft of revision 2", func(m message) bool { return m.Thread == root.TS && slices.Contains(m.buttons(), "Replay") })
	a = w.click("ana", next, "Replay")
	if line := w.private("ana", "#support", a.Seq).shown(); !strings.Contains(line, "0 go the same way, 1 differs: refund-1 would not come to") {
		t.Errorf("the replay says: %s", line)
	}
	said = w.write("ana", "#support", root.TS, "order_id=A-1001")
	if line := w.private("ana", "#support", said.Seq).shown(); !strings.Contains(line, ", as in refund-1.") || !strings.Contains(line, "It would not come to: ") {
		t.Errorf("with what refund-1 got, the draft would:\n%s", line)
	}
	if n := len(w.arrivals("")); n != calls {
		t.Errorf("the shop got %d calls more", n-calls)
	}
}
