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
	old := w.sees("a draft", func(m message) bool { return m.Thread == root.TS && has(m, "Approve") })
	w.write("ana", "#support", root.TS, "2. if the amount is over 200 ask @finance to approve")
	card := w.sees("the changed draft", func(m message) bool { return m.Thread == root.TS && m.TS != old.TS && has(m, "Approve") })
	w.insists("ana", card, "Approve", "Approved as version 1")

	sent := w.drop("ana", "#support", "", "@Sluice", "repaid.yaml", repaidFlow)
	file := w.sees("the draft of the file", func(m message) bool { return m.Thread == sent.TS && has(m, "Approve") })
	file = w.insists("ana", file, "Approve", "Approved as version 1")

	gate := w.repay(file, "A-1001", "it broke, sorry")
	w.post("clock", fields{"advance": "4h1m"})
	w.sees("the reminder", func(m message) bool { return m.Thread == gate.Thread && strings.Contains(m.shown(), "Still open") })
	w.insists("fin", gate, "Approve", "Approve* by")
	w.ends(gate.Thread, "Done")

	gate = w.repay(file, "A-1002", "too late")
	w.sendsUnderFaults("fin", gate, "Reject…", fields{"reason": "no, not again"}, func() bool { return strings.Contains(w.now(gate).shown(), "Reject* by") })
	w.ends(gate.Thread, "Rejected")
}

// repay starts a run by the form of an approved card, and gives its question.
func (w *world) repay(card message, order, note string) message {
	w.Helper()
	question := func() (message, bool) {
		return first(w.state("#support"), func(m message) bool {
			return strings.Contains(m.shown(), "Repay "+order+" ("+note+")?") && has(m, "Approve")
		})
	}
	w.sendsUnderFaults("ana", card, "Run now…", fields{"order_id": order, "note": note}, func() bool { _, ok := question(); return ok })
	m, _ := question()
	return m
}

func has(m message, button string) bool { return slices.Contains(m.buttons(), button) }

// now is a message as it is shown at this moment.
func (w *world) now(m message) message {
	w.Helper()
	found, _ := first(w.state("#support"), func(other message) bool { return other.TS == m.TS })
	return found
}

// ends waits until the status of a run says how it ended.
func (w *world) ends(thread, words string) {
	w.Helper()
	w.sees("the end", func(m message) bool { return m.TS == thread && strings.Contains(m.shown(), words) })
	w.sees("the last message", func(m message) bool { return m.Thread == thread && strings.Contains(m.shown(), words) })
}

// sees waits for a message. What Slack delivers again after a minute is not waited for: the clock is moved on.
func (w *world) sees(what string, fits func(message) bool) message {
	w.Helper()
	var found message
	w.eventually(what, func() (ok bool) {
		found, ok = first(w.state("#support"), func(m message) bool { return m.EphemeralTo == "" && fits(m) })
		return ok
	})
	return found
}

// retryAfter is how long nothing happens before the clock is moved on to the next delivery.
const retryAfter = 10 * time.Second

func (w *world) eventually(what string, done func() bool) {
	w.Helper()
	moved := time.Now()
	for limit := moved.Add(2 * patience); !done(); {
		if time.Now().After(limit) {
			w.Fatalf("never saw %s. The channel shows:\n%s", what, transcript(w.state("#support")))
		}
		if time.Since(moved) > retryAfter {
			w.post("clock", fields{"advance": "61s"})
			moved = time.Now()
		}
		w.get(fmt.Sprintf("events?after=%d&wait=500ms", w.get("clock").Seq))
	}
}

// tries does what a person does, again while Slack says that the app did not answer; false when there is nothing to press any more.
func (w *world) tries(path string, body fields) (answer, bool) {
	w.Helper()
	for range 20 {
		a, err := w.call(http.MethodPost, path, body)
		switch {
		case err != nil:
			w.Fatal(err)
		case a.OK || a.ResponseAction == "errors":
			return a, true
		case a.Error == "no_such_action", a.Error == "view_not_found":
			return a, false
		case a.Error != "dispatch_failed" && a.Error != "operation_timeout":
			w.Fatalf("%s %v: %s %s", path, body, a.Error, a.Detail)
		}
	}
	w.Fatalf("%s %v: the app never answers", path, body)
	return answer{}, false
}

// insists presses a button until the message shows what came of it.
func (w *world) insists(user string, m message, label, words string) message {
	w.Helper()
	e, ok := m.button(label)
	if !ok {
		w.Fatalf("there is no button %q in:\n%s", label, m.shown())
	}
	w.tries("action", press(user, m, e))
	return w.sees(words, func(now message) bool { return now.TS == m.TS && strings.Contains(now.shown(), words) })
}

// sendsUnderFaults opens the form of a button and sends it, until what it is for is done. A form that did not open has a button in a private line.
func (w *world) sendsUnderFaults(user string, m message, label string, values fields, done func() bool) {
	w.Helper()
	filled := fields{}
	for name, v := range values {
		filled[name] = fields{"value": v}
	}
	e, _ := m.button(label)
	pressed, _ := w.tries("action", press(user, m, e))
	for open := false; !open && !done(); { // a press that was made twice opens another form over this one: that one is filled in then
		view, ok := w.formOnTop(user, m, e, values, pressed, done)
		if !ok {
			return
		}
		var a answer
		if a, open = w.tries("submit", fields{"user": user, "view_id": view.ID, "values": filled}); open && a.ResponseAction != "close" {
			w.Fatalf("the form is answered %s %v", a.ResponseAction, a.Errors)
		}
	}
	w.eventually("what the form is for", done)
}

// formOnTop waits until somebody who has pressed a button sees a form with these fields, or what the form is for is done.
func (w *world) formOnTop(user string, m message, e element, values fields, pressed answer, done func() bool) (view modal, open bool) {
	w.Helper()
	w.eventually("a form", func() bool {
		if open = false; done() {
			return true
		}
		if views := w.get("views?user=" + user).Views; len(views) > 0 {
			view = views[len(views)-1]
			if view.Title == "Something broke" { // it could not be made: they close it and press again
				w.tries("close_view", fields{"user": user, "view_id": view.ID})
				pressed, _ = w.tries("action", press(user, m, e))
			}
			open = view.asks(values) // at first it may say that the form is being made
			return open
		}
		again, ok := first(w.state(m.Channel), func(one message) bool {
			return one.EphemeralTo == w.id(user) && one.Seq > pressed.Seq && has(one, "Open the form…")
		})
		if ok {
			e, _ := again.button("Open the form…")
			pressed, _ = w.tries("action", press(user, again, e))
		}
		return false
	})
	return view, open
}

// asks says whether a modal has the fields that somebody wants to fill in.
func (m modal) asks(values fields) bool {
	n := 0
	for _, b := range m.Blocks {
		if values[b.ID] != nil {
			n++
		}
	}
	return n == len(values)
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
	told := func(s setup, plan string) (*world, string) {
		w := newWorld(t, s)
		w.post("plan", fields{"plan": plan})
		faultStory(w)
		return w, w.finalState()
	}
	_, want := told(setup{}, "")
	begun := time.Now()
	w, got := told(s, plan)
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
	if a, err := w.call(http.MethodPost, "submit", lost); err != nil || a.Error != "operation_timeout" {
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
