package main

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageHome lives with a Home in a browser: its first opening, a flow of words in a modal, a run, a question, and a flow of a message.
func TestPageHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	s := openPage(t, w, "bob/@sluice/home")
	s.until("the welcome", `inHome('Welcome') && button(inHome('New'), 'New workflow…')`)
	s.both("first opening of a Home")
	s.click("New workflow", `button(inHome('New'), 'New workflow…')`)
	s.until("the form of a new flow", `openModal() && field('.text')`)
	s.fill(".text", "see you tomorrow")
	s.click("Draft what cannot be read", `openModal().querySelector('[data-testid="modal-submit"]')`)
	s.until("a problem beside the words", `openModal().querySelector('.input-wrong')`)
	s.both("form of a new flow")
	s.do("close the modal", chromedp.Click(chromedp.CSS(`[data-testid="modal-close"]`), chromedp.NodeVisible))
	s.until("no modal", `!openModal()`)

	approved(w, "ana", w.put("ana", "", "vacation.yaml", vacationFlow), 1)
	s.until("the flow", `button(inHome('Your flows'), 'Run now…')`)
	s.click("ana", `document.querySelector('[data-user="ana"]')`)
	s.until("the Home of ana", `document.querySelector('[data-user="ana"][aria-checked="true"]') && button(inHome('Your flows'), 'Run now…')`)
	s.click("Run now", `button(inHome('Your flows'), 'Run now…')`)
	s.fill("from", "Monday, 7 December")
	s.click("Start", `openModal().querySelector('[data-testid="modal-submit"]')`)
	s.until("the run", `!openModal() && /Vacation from Monday/.test(inHome('Your runs').innerText)`)
	s.both("Home with a run")
	s.click("bob", `document.querySelector('[data-user="bob"]')`)
	s.until("the question", `document.querySelector('[data-user="bob"][aria-checked="true"]') && button(inHome('Waiting for you'), 'Approve')`)
	s.both("Home with a question")
	s.click("Approve", `button(inHome('Waiting for you'), 'Approve')`)
	s.until("the next question", `button(inHome('Waiting for you'), 'Answer…')`)

	w.write("ana", "#general", "", "every Monday at 9 ask @bob for the numbers, then tell #general")
	s.click("#general in the sidebar", `document.querySelector('[data-channel="general"]')`)
	s.until("the message", `inChannel('every Monday at 9') !== none`)
	s.do("go to the message", chromedp.Evaluate[chromedp.Void]("("+inPage(`inChannel('every Monday at 9').focus()`)+")(); undefined"))
	s.click("actions of the message", `inChannel('every Monday at 9').querySelector('[data-testid="message-actions"]')`)
	s.until("the shortcut", `document.querySelector('[data-value="flow_from_message"]')`)
	s.shot("shortcut of a message")
	s.click("Make a workflow of this", `document.querySelector('[data-value="flow_from_message"]')`)
	s.until("the draft in its thread", `inChannel('every Monday at 9').querySelector('[data-testid="replies"]')`)
}
