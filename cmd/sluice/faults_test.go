package main

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// faultPlan is what goes wrong in every story here: a tenth of all calls is too many, one in twenty fails on Slack's side, connections and
// sockets are cut, deliveries come twice, late, or are not acknowledged in time.
const faultPlan = "429=10,5xx=5,drop=3,cut=6,lost=2,duplicate=10,late=10,delay=300ms,seed="

// repaidFlow has a form, a question with a reminder, an act outside, and words at the end.
const repaidFlow = `
name: repaid
run: {title: "Repay {{inputs.order_id}}"}
inputs:
  order_id: {type: string, required: true}
  note: {type: string}
flow:
  entry: order
  nodes:
    - {id: order, type: tool, tool: shop.get_order, params: {order_id: "{{inputs.order_id}}"}, routes: [{to: gate}]}
    - id: gate
      type: approval
      name: Finance agrees
      message: "Repay {{inputs.order_id}} ({{inputs.note}})?"
      choices: [approve, reject]
      who: {groups: ["@finance"]}
      deadline: {after: 2d, remind: 4h}
      form: {reason: {description: Why not, required_for: [reject]}}
      routes: [{when: "approvals.gate == 'approve'", to: pay}, {when: "approvals.gate == 'reject'", to: no}]
    - {id: pay, name: Pay it back, type: tool, tool: shop.refund, params: {order_id: "{{inputs.order_id}}"}, routes: [{to: yes}]}
    - {id: yes, type: say, message: "Repaid {{inputs.order_id}}.", routes: [{to: end}]}
    - {id: no, type: say, message: "Not repaid: {{approvals.gate.reason}}", routes: [{to: end}]}
`

// faultStory is what people do in every story: a draft in words is changed and approved, a run is started by a form, its question is
// reminded of and approved, and a second run is rejected with a reason.
func faultStory(w *world) {
	w.Helper()
	root := w.write("ana", "#support", "", outline)
	old := w.untilMessage("#support", "a draft", func(m message) bool { return m.Thread == root.TS && has(m, "Approve") })
	w.write("ana", "#support", root.TS, "2. if the amount is over 200 ask @finance to approve")
	card := w.untilMessage("#support", "the changed draft", func(m message) bool { return m.Thread == root.TS && m.TS != old.TS && has(m, "Approve") })
	w.insists("ana", card, "Approve", "Approved as version 1")

	sent := w.drop("ana", "#support", "", "@Sluice", "repaid.yaml", repaidFlow)
	file := w.untilMessage("#support", "the draft of the file", func(m message) bool { return m.Thread == sent.TS && has(m, "Approve") })
	file = w.insists("ana", file, "Approve", "Approved as version 1")

	gate := w.repay(file, "A-1001", "it broke, sorry")
	w.post("clock", fields{"advance": "4h1m"})
	w.untilMessage("#support", "the reminder", func(m message) bool { return m.Thread == gate.Thread && strings.Contains(m.shown(), "Still open") })
	w.insists("fin", gate, "Approve", "Approve* by")
	w.ends(gate.Thread, "Done")

	gate = w.repay(file, "A-1002", "too late")
	fills(w, "fin", opens(w, "fin", gate, "Reject…"), fields{"reason": "no, not again"})
	w.untilShown(gate, "Reject* by")
	w.ends(gate.Thread, "Rejected")
}

// repay starts a run by the form of an approved card, and gives its question.
func (w *world) repay(card message, order, note string) message {
	w.Helper()
	fills(w, "ana", opens(w, "ana", card, "Run now…"), fields{"order_id": order, "note": note})
	return w.untilMessage("#support", "the question", func(m message) bool {
		return strings.Contains(m.shown(), "Repay "+order+" ("+note+")?") && has(m, "Approve")
	})
}

func has(m message, button string) bool { return slices.Contains(m.buttons(), button) }

// ends waits until the status of a run says how it ended.
func (w *world) ends(thread, words string) {
	w.Helper()
	w.untilMessage("#support", "the end", func(m message) bool { return m.TS == thread && strings.Contains(m.shown(), words) })
	w.untilMessage("#support", "the last message", func(m message) bool {
		return m.Thread == thread && m.EphemeralTo == "" && strings.Contains(m.shown(), words)
	})
}

// insists presses a button until the message shows what came of it.
func (w *world) insists(user string, m message, label, words string) message {
	w.Helper()
	w.click(user, m, label)
	return w.untilShown(m, words)
}

// volatile are the parts of messages that differ between two tellings of one story.
var volatile = regexp.MustCompile(`<!date\^[^>]*>|\b[\d.]+ (?:ms|s|min|h)\b(?: \d+ (?:s|min)\b)?|/archives/[^>|]+|http://127\.0\.0\.1:\d+`)

// finalState is what everybody sees at the end, in order, and what the shop did. Lines to single people about what went wrong on the way,
// and reactions, which only say that words were heard, are left out.
func (w *world) finalState() string {
	w.Helper()
	var out strings.Builder
	roots := map[string]int{}
	for _, m := range w.state("#support") {
		if m.EphemeralTo != "" || m.Deleted {
			continue
		}
		if m.Thread == "" {
			roots[m.TS] = len(roots) + 1
		}
		fmt.Fprintf(&out, "--- %s, thread %d%d\n%s", m.User, roots[m.Thread], roots[m.TS], volatile.ReplaceAllString(m.shown(), "…"))
	}
	fmt.Fprintf(&out, "--- the shop booked %d\n", w.bookings())
	return out.String()
}

// underFaults tells the story in a calm workspace and under a plan, and wants the same final state.
func underFaults(t *testing.T, s setup, plan string) {
	t.Helper()
	told := func(s setup) (*world, string) {
		w := newWorld(t, s)
		faultStory(w)
		return w, w.finalState()
	}
	_, want := told(setup{})
	begun := time.Now()
	s.plan = plan
	w, got := told(s)
	for limit := time.Now().Add(patience); got != want; got = w.finalState() {
		if time.Now().After(limit) {
			t.Fatalf("%s: the final state is another one (-calm, +under faults):\n%s\nThe channel shows:\n%s", plan, cmp.Diff(want, got), transcript(w.state("#support")))
		}
		w.get(fmt.Sprintf("events?after=%d&wait=500ms", w.get("clock").Seq))
	}
	struck := w.get("plan").Struck
	t.Logf("%s: the same final state after %s; struck: %v", plan, time.Since(begun).Round(time.Millisecond), struck)
	if struck["429"] == 0 || struck["5xx"]+struck["drop"] == 0 || struck["duplicate"]+struck["late"] == 0 {
		t.Errorf("the plan struck only %v", struck)
	}
}

// TestStoryUnderFaults: whatever goes wrong on the way to Slack and back, people see the same in the end.
func TestStoryUnderFaults(t *testing.T) {
	t.Parallel()
	underFaults(t, setup{}, faultPlan+"3")
}

// TestAFormThatArrivesTwiceStartsOneRun: Slack delivers a press and a submission twice, and a person sends a form again because Slack did not
// hear that it had arrived.
func TestAFormThatArrivesTwiceStartsOneRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := approved(w, "ana", w.put("ana", "", "asking.yaml", asking), 1)

	w.fault(fields{"target": "socket", "kind": "duplicate", "method": "block_actions"})
	m := opens(w, "ana", card, "Run now…")
	w.fault(fields{"target": "socket", "kind": "duplicate", "method": "view_submission"})
	if a := fills(w, "ana", m, fields{"n": "1"}); a.ResponseAction != "close" {
		t.Errorf("a form that came twice is answered %s %v", a.ResponseAction, a.Errors)
	}
	m = opens(w, "ana", card, "Run now…")
	lost := fields{"user": "ana", "view_id": m.ID, "values": fields{"n": fields{"value": "2"}}}
	w.fault(fields{"target": "socket", "kind": "timeout", "method": "view_submission"})
	if a, err := w.call(http.MethodPost, "submit", lost); err != nil || a.Error != slow {
		t.Fatalf("a form whose answer was lost: %v %+v", err, a)
	}
	if a := w.post("submit", lost); a.ResponseAction != "close" {
		t.Errorf("the form that was sent again is answered %s %v", a.ResponseAction, a.Errors)
	}
	for _, n := range []string{"1", "2"} {
		w.untilMessage("#support", "the question", func(m message) bool { return m.Bot && strings.Contains(m.shown(), "Go on with "+n+"?") })
	}
	w.saysIn("the runs", w.ask("ana", "#support", "runs").shown(), "asking-2")
	if n := len(filter(w.state("#support"), isStatus)); n != 2 || len(w.get("views?user=ana").Views) != 0 {
		t.Errorf("%d runs were started, and ana has %d forms open:\n%s", n, len(w.get("views?user=ana").Views), transcript(w.state("#support")))
	}
	if code := w.dev.stop(t); code != 0 {
		t.Errorf("the program ends with %d", code)
	}
}
