package main

import "testing"

// TestPageDirectQuestion: somebody who is not in the channel is asked in a direct message, asks a colleague, and refuses with a note there.
func TestPageDirectQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: elsewhereSeed})
	approved(w, "ana", w.put("ana", "", "spend.yaml", spendFlow), 1)
	w.flow("ana", "#support", "run spend amount=12")
	w.direct("fin", "a copy", asks("Reject…"))
	s := openPage(t, w, "fin/@sluice/messages")

	const question = `find('channel', 'Spend 12?')`
	s.until("the question", `button(`+question+`, 'Reject…')`)
	s.both("question in a direct message")
	s.click("Ask somebody else", `button(`+question+`, 'Ask somebody else…')`)
	s.until("the form", `openModal()`)
	s.both("form to ask somebody else")
	s.click("close the form", `openModal().querySelector('[data-testid="modal-close"]')`)
	s.until("no form", `!openModal()`)
	s.click("Reject", `button(`+question+`, 'Reject…')`)
	s.until("the form of a rejection", `openModal() && field('note')`)
	s.both("rejection in a direct message")
	s.fill("note", "Too much for this month")
	s.click("Reject it", `openModal().querySelector('[data-testid="modal-submit"]')`)
	s.until("the decision", `!openModal() && /Too much for this month/.test(`+question+`.innerText) && !button(`+question+`, 'Reject…')`)
	s.both("rejected in a direct message")
}

// TestPageArguments: arguments of a call are changed in a form.
func TestPageArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{tools: payTools})
	approved(w, "ana", w.put("ana", "", "pay.yaml", payFlow), 1)
	w.flow("ana", "#support", "run pay")
	w.untilMessage("#support", "the question", asks("Change the arguments…"))
	s := openPage(t, w, "ana/support")
	s.click("thread of the run", `inChannel('Waiting').querySelector('[data-testid="replies"]')`)
	s.until("the question", `button(gate(), 'Change the arguments…')`)
	s.click("Change the arguments", `button(gate(), 'Change the arguments…')`)
	s.until("the form", `openModal() && field('amount')`)
	s.both("form of arguments")
	s.fill("amount", "0")
	s.click("Change", `openModal().querySelector('[data-testid="modal-submit"]')`)
	s.until("old and new", `!openModal() && /5 → /.test(gate().innerText)`)
	s.both("changed arguments")
}
