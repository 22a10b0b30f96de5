package main

import (
	"slices"
	"strings"
	"testing"
)

// fromFile puts a flow file up for approval as a draft of ana's, and approves it.
func fromFile(w *world, src string) {
	w.Helper()
	card := w.put("ana", "", "flow.yaml", src)
	w.click("ana", card, "Approve")
	w.untilShown(card, "Approved as version 1")
}

// untilShown waits until a message shows some words, and gives it as it is then.
func (w *world) untilShown(m message, words string) message {
	w.Helper()
	return w.untilMessage(m.Channel, words, func(now message) bool { return now.TS == m.TS && strings.Contains(now.shown(), words) })
}

// asked waits for an open question in a run's thread.
func asked(w *world, status message, label string, not ...message) message {
	w.Helper()
	return w.untilMessage("#support", "a question with "+label, func(m message) bool {
		return m.Thread == status.TS && slices.Contains(m.buttons(), label) && !slices.ContainsFunc(not, func(old message) bool { return old.TS == m.TS })
	})
}

// saysIn wants a text to have all of some parts.
func (w *world) saysIn(what, text string, parts ...string) {
	w.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			w.Errorf("%s does not say %q:\n%s", what, p, text)
		}
	}
}

// TestTryAndReplayInChat: a draft says what it would do, and what it would have made of the runs before it; nothing is called for that.
func TestTryAndReplayInChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	root := w.write("ana", "#support", "", outline)
	card := drafted(w, root)
	asked := w.private("bob", "#support", w.click("bob", card, "Try it").Seq)
	w.saysIn("the question for the inputs", asked.shown(), "What is the *order id*?", "@Sluice try order_id=A-1001")
	tried := w.private("bob", "#support", w.click("bob", asked, "Try with made-up values").Seq)
	w.saysIn("the dry run", tried.shown(), "Refund, tried", "Nothing was called, posted or asked", "ask @finance “", "If the answer is “approve”: ", "Amount over 100? Otherwise: refund it with amount", "With order id A-1001 it would")
	w.saysIn("its picture", tried.alt(), "Flowchart of a dry run", "would run, possible")
	if line := w.ask("ana", "#support", "try"); !strings.Contains(line.shown(), "Which flow?") {
		t.Errorf("try alone is answered: %s", line.shown())
	}
	w.click("ana", card, "Approve")
	w.untilShown(card, "Approved as version 1")
	for _, order := range []string{"A-1001", "A-1003"} {
		w.flow("ana", "#support", "run refund order_id="+order)
		status := w.untilMessage("#support", "a status message", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), order) })
		if order == "A-1001" {
			w.click("fin", question(w, status), "Approve")
		}
		done(w, status)
	}
	w.saysIn("a dry run with a value", w.ask("ana", "#support", `try refund order_id=A-9 get_order={"amount":5}`).shown(), "With order id A-9 it would", "It would not come to: @finance approves")
	w.saysIn("a name that is none", w.ask("ana", "#support", "try refund get_ordr=5").shown(), "no input and no step called “get_ordr”", "Did you mean `get_order`?")
	before := len(w.get("shop").Arrivals)

	w.write("ana", "#support", root.TS, "2. if the amount is over 20 ask @finance to approve")
	next := w.untilMessage("#support", "the changed draft", func(m message) bool { return m.Thread == root.TS && slices.Contains(m.buttons(), "Replay") })
	w.saysIn("the changed draft", next.shown(), "Refund, draft 1: change to version 1", "*Changed:* Step 2", "*now* 2. If amount is over 20")
	w.saysIn("its picture", w.pictured(next).alt(), "changed")
	replayed := w.private("ana", "#support", w.click("ana", next, "Replay").Seq).shown()
	w.saysIn("the replay", replayed, "1 goes the same way, 1 differs", "refund-2 would now need @finance")
	if now := len(w.get("shop").Arrivals); now != before {
		t.Errorf("the shop was asked %d times by a replay", now-before)
	}
}

// TestPauseAndResume: a run, a flow and everything are paused and go on, by words and by the button of the card.
func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	status, card := waitingRefund(w)
	w.saysIn("the pause", w.ask("ana", "#support", "pause refund-1 let me look").shown(), "*refund-1* is paused", "`/flow resume refund-1` lets it go on")
	w.click("fin", card, "Approve") // a question can be answered meanwhile
	w.untilShown(card, "*Approve* by")
	paused := w.untilMessage("#support", "the paused run", func(m message) bool {
		return m.TS == status.TS && strings.Contains(m.shown(), "approve by fin")
	})
	w.saysIn("the paused card", paused.shown(), "*Paused* by <@"+w.id("ana")+">: let me look", "[Resume] [Cancel]")
	if posts := w.arrivals("POST /refunds"); len(posts) != 0 {
		t.Errorf("the paused run went on: %+v", posts)
	}
	refused := w.click("bob", paused, "Resume")
	w.saysIn("bob's click", w.private("bob", "#support", refused.Seq).shown(), "Only who asked for the run")
	w.click("ana", paused, "Resume")
	settled(w, status)

	w.saysIn("the pause of the flow", w.ask("ana", "#support", "pause refund the shop is closed").shown(), "*refund* is paused and holds 0 runs")
	w.saysIn("a start", w.ask("ana", "#support", "run refund order_id=A-1003").shown(), "refund is paused by ana (the shop is closed)")
	w.saysIn("the list", w.ask("bob", "#support", "list").shown(), "*refund*", "paused by <@"+w.id("ana")+">: the shop is closed")
	w.saysIn("the resumption", w.ask("ana", "#support", "resume refund").shown(), "not paused any more")
	w.saysIn("bob's pause", w.ask("bob", "#support", "pause all").shown(), "Only admins")
	w.saysIn("the pause of everything", w.ask("ana", "#support", "pause all").shown(), "Everything is paused")
	w.saysIn("the list", w.ask("bob", "#support", "list").shown(), "Everything is paused by <@"+w.id("ana"))
	w.saysIn("the resumption", w.ask("ana", "#support", "resume all").shown(), "The pause of everything is over")
}

const paying = `
name: pay
run: {title: "Pay {{inputs.order_id}}"}
inputs: {order_id: {type: string, required: true}}
flow:
  entry: order
  nodes:
    - {id: order, type: tool, tool: shop.get_order, params: {order_id: "{{inputs.order_id}}"}, routes: [{to: gate}]}
    - id: gate
      type: approval
      name: Finance agrees
      message: "Pay {{inputs.order_id}}?"
      who: {groups: ["@finance"]}
      deadline: {after: 2h}
      routes: [{when: "approvals.gate == 'approve'", to: pay}, {when: "approvals.gate == 'reject'", to: end}]
    - {id: pay, name: Pay it back, type: tool, tool: shop.refund, params: {order_id: "{{inputs.order_id}}"}, routes: [{to: end}]}
`

// TestReopenRetrySkipFork: a question that expired is asked once more, a step that failed is tried again and then skipped; the thread has
// one last message whatever happened before, and a fork says what it is.
func TestReopenRetrySkipFork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	w.write("ana", "#support", "", "hello") // the channel is known
	fromFile(w, paying)
	w.saysIn("a dry run", w.ask("ana", "#support", "try pay").shown(), "gate: without an answer in time the run would stop here")
	w.flow("ana", "#support", "run pay order_id=A-1001")
	status := theStatus(w)
	old := asked(w, status, "Approve")
	w.post("clock", fields{"advance": "3h"})
	expired := w.untilShown(old, "Nobody answered in time")
	failure := asked(w, status, "Abort")
	w.saysIn("the failure", failure.shown(), "*A step failed: Finance agrees.*", "nobody answered in time", "[Retry] [Abort]")
	if strings.Contains(failure.shown(), "Skip with a value") {
		t.Errorf("it offers what is refused:\n%s", failure.shown())
	}
	w.saysIn("bob's click", w.private("bob", "#support", w.click("bob", expired, "Reopen").Seq).shown(), "Only members of @finance")
	w.click("fin", expired, "Reopen")
	w.untilShown(failure, ":white_check_mark: *Reopen* by")
	again := asked(w, status, "Approve", old)
	w.fault(fields{"target": "shop", "kind": "500", "method": "POST", "path": "/refunds", "times": 2})
	w.click("fin", again, "Approve")

	failed := asked(w, status, "Skip")
	w.saysIn("the failure", failed.shown(), "*A step failed: Pay it back.*", "the shop is broken", "[Skip with a value…]")
	w.saysIn("the retry", answered(w, "retry pay-1"), "Answered: *retry*")
	asked(w, status, "Skip", failed)
	w.saysIn("the skip", answered(w, `skip pay-1 value={"refund_id":"by hand"}`), "Answered: *skip*")
	_, end := done(w, status)
	w.saysIn("the status", end.shown(), "Pay it back (skipped by ana)")
	if last := filter(w.state("#support"), func(m message) bool { return m.Thread == status.TS && strings.Contains(m.shown(), ". *Pay A-1001*") }); len(last) != 1 {
		t.Errorf("the end was told %d times:\n%s", len(last), transcript(last))
	}

	w.saysIn("the plan of a fork", w.ask("ana", "#support", "fork pay-1 gate").shown(), "A new run would go on from gate", "`/flow fork pay-1 gate go`")
	w.saysIn("the fork", w.ask("ana", "#support", "fork pay-1 gate go").shown(), "*pay-2* goes on from gate of *pay-1*")
	forked := w.untilMessage("#support", "the fork's status", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "pay-2 · ") })
	w.saysIn("the fork's status", forked.shown(), "Goes on from pay-1, whose finished steps it keeps")
	w.saysIn("the runs", w.ask("ana", "#support", "runs").shown(), "asked for by <@"+w.id("ana")+">")
	w.ask("ana", "#support", "cancel pay-2")
	w.untilShown(forked, "*Stopped* by")
}

const checking = `
name: check
inputs: {order_id: {type: string, required: true}}
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "Is {{inputs.order_id}} fine?", who: {groups: ["@finance"]}, routes: [{to: tell}]}
    - {id: tell, type: emit, event: "checked/{{inputs.order_id}}", routes: [{to: end}]}
`

const shipping = `
name: ship
run: {title: "Ship {{inputs.order_id}}"}
inputs: {order_id: {type: string, required: true}}
flow:
  entry: both
  nodes:
    - {id: both, name: At once, type: parallel, branches: [{to: ask}, {to: hear}], routes: [{to: tell}]}
    - {id: ask, name: Check the order, type: subflow, flow: check, inputs: {order_id: "{{inputs.order_id}}"}, routes: [{to: end}]}
    - {id: hear, name: Wait for the check, type: wait, event: "checked/{{inputs.order_id}}", routes: [{to: end}]}
    - {id: tell, type: say, message: "{{inputs.order_id}} can go", routes: [{to: end}]}
`

// TestARunWithinARun: one thread holds the run, the question of the run within it, and its end.
func TestARunWithinARun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	w.write("ana", "#support", "", "hello")
	fromFile(w, checking)
	fromFile(w, shipping)
	w.flow("ana", "#support", "run ship order_id=A-1001")
	status := theStatus(w)
	card := asked(w, status, "Approve")
	waiting := w.untilShown(status, "*Waiting* at Check the order, Wait for the check")
	w.saysIn("the question", card.shown(), "Is A-1001 fine?", "check-1")
	w.ask("ana", "#support", "pause ship-1")
	w.untilShown(waiting, "*Paused* by")
	w.click("fin", card, "Approve")
	w.untilShown(card, "*Approve* by")
	w.saysIn("the resumption", w.ask("ana", "#support", "resume ship-1").shown(), "*ship-1* goes on")
	done(w, status)
	all := w.state("#support")
	told := filter(all, func(m message) bool { return strings.Contains(m.shown(), "A-1001 can go") && m.Bot })
	if shown := filter(all, isStatus); len(shown) != 1 || len(told) != 1 {
		t.Errorf("%d status messages, told %d times:\n%s", len(shown), len(told), transcript(all))
	}
	if line := w.ask("ana", "#support", "runs").shown(); strings.Contains(line, "check-1") || !strings.Contains(line, "*ship-1*") {
		t.Errorf("the runs are: %s", line)
	}
}
