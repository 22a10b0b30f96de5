package main

import (
	"slices"
	"strings"
	"testing"
)

// TestSomebodyElseIsAsked: those who may answer ask each other, and nobody else; the one who is asked hears of it, and everybody sees who asked.
func TestSomebodyElseIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: elsewhereSeed})
	own := strings.Replace(spendFlow, `who: {groups: ["@finance"]}`, `who: {groups: ["@finance"], self_approval: false}`, 1)
	approved(w, "ana", w.put("ana", "", "spend.yaml", own), 1)
	w.flow("bob", "#support", "run spend amount=12")
	card := w.untilMessage("#support", "the question", asks("Ask somebody else…"))
	fin := w.direct("fin", "a copy", asks("Ask somebody else…"))
	for _, person := range []string{"ana", "bob"} { // ana is not in the group, and bob has asked for the run
		if got := opens(w, person, card, "Ask somebody else…").shown(); !strings.Contains(got, "This cannot be done") || strings.Contains(got, "Whom") {
			t.Errorf("%s, who may not answer, sees\n%s", person, got)
		}
	}
	m := opens(w, "fin", fin, "Ask somebody else…")
	for _, person := range []string{"ana", "bob", "eve", "fin"} {
		if a := fills(w, "fin", m, fields{".person": w.id(person)}); a.Errors[".person"] == "" {
			t.Errorf("fin can ask %s", person)
		}
	}
	if a := fills(w, "fin", m, fields{".person": w.id("gil")}); a.ResponseAction != "close" {
		t.Fatalf("gil is asked: %+v", a)
	}
	w.direct("gil", "that he is asked", func(m message) bool { return strings.Contains(m.shown(), "<@"+w.id("fin")+"> asks you to answer") })
	for _, c := range []message{card, fin} {
		w.untilIn(c, "<@"+w.id("fin")+"> has asked <@"+w.id("gil")+"> to answer")
	}
	if text := transcript(w.state("#support")); strings.Contains(text, "Still open") {
		t.Errorf("everybody is reminded because one person is asked:\n%s", text)
	}
	w.click("gil", w.direct("gil", "the copy", asks("Approve")), "Approve")
	w.untilIn(card, "*Approve* by <@"+w.id("gil"))
	w.untilIn(fin, "*Approve* by <@"+w.id("gil"))
}

// sizesFlow has a choice for each way, one of which ends the run, and a deadline with an outcome.
const sizesFlow = `
name: sizes
flow:
  entry: gate
  nodes:
    - id: gate
      type: approval
      message: "Which size?"
      choices: [small, medium, large, none]
      deadline: {after: 2h, escalate: {after: 1h, to: "@fin"}}
      routes: [{when: "approvals.gate == 'small'", to: one}, {when: "approvals.gate == 'medium'", to: two}, {when: "approvals.gate == 'large'", to: three}, {when: "approvals.gate == 'timeout'", to: late}, {default: true, to: end}]
    - {id: one, type: approval, message: "One?", routes: [{to: end}]}
    - {id: two, type: approval, message: "Two?", routes: [{to: end}]}
    - {id: three, type: approval, message: "Three?", routes: [{to: end}]}
    - {id: late, name: Tell that it is too late, type: say, message: "Too late.", routes: [{to: end}]}
`

// TestEachChoiceGoesItsWay: a choice that ends the run says so before it counts; the card says what happens when nobody answers.
func TestEachChoiceGoesItsWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	approved(w, "ana", w.put("ana", "", "sizes.yaml", sizesFlow), 1)
	for _, c := range [][2]string{{"Small", "One?"}, {"Medium", "Two?"}, {"Large", "Three?"}} {
		w.flow("ana", "#support", "run sizes")
		card := w.untilMessage("#support", "the question", asks("None"))
		if text := card.shown(); !strings.Contains(text, "*None* ends the run.") || !strings.Contains(text, "then it goes on without an answer: Tell that it is too late") || !strings.Contains(text, "after 1 hour @fin may answer, too") {
			t.Errorf("the question is\n%s", text)
		}
		for _, b := range card.Blocks {
			for _, e := range b.Elements {
				if asked := e.Confirm != nil; e.Type == "button" && asked != (e.Text == "None") {
					t.Errorf("the button %s asks before it counts: %t", e.Text, asked)
				}
			}
		}
		w.click("bob", card, c[0])
		w.untilMessage("#support", "the way of "+c[0], func(m message) bool {
			return strings.Contains(m.shown(), c[1]) && slices.Contains(m.buttons(), "Approve")
		})
		w.untilIn(card, "*"+c[0]+"* by <@"+w.id("bob"))
	}
}

// payTools has a tool that asks before each call.
const payTools = `
actions:
  - name: till.pay
    description: Pay money
    method: POST
    url: "http://SHOP/refunds"
    params: {type: object, properties: {order_id: {type: string}, amount: {type: number}, urgent: {type: boolean}, reason: {type: string, enum: [defect, late]}}, required: [order_id, amount]}
    policy: ask
`

const payFlow = `
name: pay
inputs: {amount: {type: number, default: 5}}
flow:
  entry: pay
  nodes:
    - {id: pay, type: tool, tool: till.pay, params: {order_id: A-1001, amount: "{{input.amount}}", urgent: true}, routes: [{to: end}]}
`

// TestArgumentsAreChangedInAForm: what is changed is shown, old and new; what was seen before decides nothing; what is called is what was shown.
func TestArgumentsAreChangedInAForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{tools: payTools})
	approved(w, "ana", w.put("ana", "", "pay.yaml", payFlow), 1)
	w.flow("ana", "#support", "run pay")
	card := w.untilMessage("#support", "the question", asks("Change the arguments…"))
	m := opens(w, "bob", card, "Change the arguments…")
	if got := m.shown(); !strings.Contains(got, "Order id*\nAmount*\nReason\nUrgent") {
		t.Errorf("the form shows\n%s", got)
	}
	late := opens(w, "ana", card, "With a note…")
	values := fields{"order_id": "A-1001", "amount": "", "urgent": "yes"}
	if a := fills(w, "bob", m, values); a.Errors["amount"] == "" {
		t.Errorf("without an amount: %+v", a)
	}
	values["amount"], values["reason"] = "3.5", "late"
	if a := fills(w, "bob", m, values); a.ResponseAction != "close" {
		t.Fatalf("the change is answered %+v", a)
	}
	after := w.untilIn(card, "amount: 5 → *3.5*")
	if text := after.shown(); !strings.Contains(text, "reason: nothing → *late*") || !strings.Contains(text, "by <@"+w.id("bob")) || strings.Contains(text, "urgent: ") {
		t.Errorf("the changed question is\n%s", text)
	}
	fills(w, "ana", late, fields{".choice": "yes"})
	w.untilMessage("#support", "that the answer was to something else", func(m message) bool {
		return m.EphemeralTo == w.id("ana") && strings.Contains(m.shown(), "not what is asked any more")
	})
	if n := len(w.arrivals("POST")); n != 0 {
		t.Fatalf("%d calls were made before anybody said yes to them", n)
	}
	w.click("ana", after, "Yes")
	made := w.untilArrivals("POST /refunds", 1)
	if body := made[0].Body; !strings.Contains(body, "3.5") || !strings.Contains(body, "late") {
		t.Errorf("called with %s", body)
	}
	w.untilIn(card, "*Yes* by <@"+w.id("ana"))
}

// TestChangedArgumentsHoldOnAnotherRevision: a call whose arguments were changed is refused, and the run goes on by a version of its own. The
// question shows the changed arguments and who changed them, and they are sent.
func TestChangedArgumentsHoldOnAnotherRevision(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{tools: payTools})
	approved(w, "ana", w.put("ana", "", "pay.yaml", payFlow), 1)
	w.flow("ana", "#support", "run pay")
	status := theStatus(w)
	card := asked(w, status, "Change the arguments…")
	fills(w, "bob", opens(w, "bob", card, "Change the arguments…"), fields{"order_id": "A-1001", "amount": "3.5", "urgent": "yes"})
	w.click("bob", w.untilIn(card, "amount: 5 → *3.5*"), "No")
	failed := asked(w, status, "Edit and continue…")
	if a := fills(w, "ana", opens(w, "ana", failed, "Edit and continue…"), fields{".text": "add after 1: tell #general it is paid"}); a.ResponseAction != "close" {
		t.Fatalf("the change is answered %+v", a)
	}
	draft := w.untilMessage("#support", "the draft for the run", func(m message) bool {
		return m.Thread == status.TS && slices.Contains(m.buttons(), "Edit as file")
	})
	w.click("ana", draft, "Approve")
	again := asked(w, status, "Change the arguments…", card)
	if text := again.shown(); !strings.Contains(text, "amount: 5 → *3.5*") || !strings.Contains(text, "by <@"+w.id("bob")) || strings.Contains(text, "once more") {
		t.Errorf("the question of the other version is\n%s", text)
	}
	w.click("bob", again, "Yes")
	if body := w.untilArrivals("POST /refunds", 1)[0].Body; !strings.Contains(body, "3.5") {
		t.Errorf("called with %s", body)
	}
	w.untilMessage("#general", "the added step", func(m message) bool { return strings.Contains(strings.ToLower(m.Text), "it is paid") })
}

// TestTheRequesterIsToldTheEnd, once: where the run lives when they asked there, else in a direct message; with the reason and by whom.
func TestTheRequesterIsToldTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: elsewhereSeed})
	approved(w, "ana", w.put("ana", "", "spend.yaml", spendFlow), 1)
	for _, where := range []string{"#support", "#general"} {
		w.flow("bob", where, "run spend amount=12")
		copied := w.direct("fin", "the copy", asks("Reject…"))
		fills(w, "fin", opens(w, "fin", copied, "Reject…"), fields{"note": "too much"})
		w.untilIn(copied, "*Reject* by")
	}
	end := func(m message) bool {
		return strings.Contains(m.shown(), "*Rejected* by <@"+w.id("fin")+">: “too much”")
	}
	w.untilMessage("#support", "the end", func(m message) bool { return end(m) && strings.Contains(m.shown(), "*spend-1* · <@"+w.id("bob")) })
	told := w.direct("bob", "the end of the run that he asked for elsewhere", end)
	if text := told.shown(); !strings.Contains(text, "You asked for spend-2") {
		t.Errorf("bob is told\n%s", text)
	}
	last := w.untilMessage("#support", "the end of the other run", func(m message) bool { return m.Thread != "" && end(m) && strings.Contains(m.shown(), "*spend-2*") })
	if strings.Contains(last.shown(), "<@"+w.id("bob")) {
		t.Errorf("bob is told twice:\n%s", last.shown())
	}
	if all := filter(w.state("@bob"), end); len(all) != 1 {
		t.Errorf("bob got\n%s", transcript(w.state("@bob")))
	}
}
