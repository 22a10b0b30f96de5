package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageForms starts a run with inputs entered in a modal and rejects its question with a reason, as people do it in a browser.
func TestPageForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	approved(w, "ana", w.put("ana", "", "vacation.yaml", vacationFlow), 1)
	s := openPage(t, w, "ana/support")

	s.write("composer", "/flow run vacation")
	s.press("Enter", 13)
	s.until("an offer of a form", `button(privateTo('channel'), 'Fill in a form…')`)
	s.click("Fill in a form", `button(privateTo('channel'), 'Fill in a form…')`)
	s.until("the form of the inputs", `openModal() && field('from')`)
	s.both("form of the inputs")
	s.click("Start without a first day", `openModal().querySelector('[data-testid="modal-submit"]')`)
	s.until("a problem beside the field", `openModal().querySelector('.input-wrong')`)
	s.both("form with a problem")
	s.fill("from", "Monday, 7 December")
	s.click("Start", `openModal().querySelector('[data-testid="modal-submit"]')`)
	s.until("the run", `!openModal() && inChannel('Vacation from Monday, 7 December')`)

	s.click("thread of the run", `inChannel('Vacation from Monday').querySelector('[data-testid="replies"]')`)
	s.click("bob", `document.querySelector('[data-user="bob"]')`)
	s.until("the question", `button(gate(), 'Reject…')`)
	s.both("question with a form")
	s.click("Reject", `button(gate(), 'Reject…')`)
	s.until("the form of a rejection", `openModal() && field('reason')`)
	s.fill("reason", "Too late, the shop is open that day")
	s.both("form of a rejection")
	s.click("Reject it", `openModal().querySelector('[data-testid="modal-submit"]')`)
	s.until("the decision with its reason", `!openModal() && /Too late, the shop is open that day/.test(gate().innerText) && !button(gate(), 'Reject…')`)
	s.both("rejected with a reason")
}

// fill types into a field of the open modal.
func (s *screen) fill(name, text string) {
	s.Helper()
	s.until("the field "+name, "field('"+name+"')")
	s.do("type into "+name, chromedp.SendKeys(chromedp.JSPath("("+inPage(fmt.Sprintf("field('%s')", name))+")()"), text, chromedp.NodeVisible))
}
