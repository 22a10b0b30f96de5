package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// TestPageFields fills in one field of each type in a browser.
func TestPageFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	approved(w, "ana", w.put("ana", "", "moving.yaml", movingFlow), 1)
	s := openPage(t, w, "ana/support")
	s.write("composer", "/flow run moving")
	s.press("Enter", 13)
	s.click("Fill in a form", `button(privateTo('channel'), 'Fill in a form…')`)
	s.until("a field of each type", `field('day')?.type === 'date' && field('begins')?.type === 'datetime-local' && field('plan')?.type === 'file' && field('heavy')?.type === 'radio'`)
	s.until("a channel that stands there at first", `/#support/.test(openModal().querySelector('button[data-block-id="room"]').innerText)`)
	s.set("day", "2026-12-01")
	s.click("the person", `openModal().querySelector('button[data-block-id="helper"]')`)
	s.click("bob", `[...document.querySelectorAll('#menus [role="option"]')].find((one) => /@bob/.test(one.innerText))`)
	s.click("yes", `[...openModal().querySelectorAll('[data-block-id="heavy"] label')].find((one) => /yes/.test(one.innerText))`)
	plan := filepath.Join(t.TempDir(), "plan.txt")
	if err := os.WriteFile(plan, []byte("first the sofa"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.do("attach a file", chromedp.SetUploadFiles(chromedp.JSPath("("+inPage(`field('plan')`)+")()"), []string{plan}))
	s.until("the file", `/plan\.txt/.test(openModal().innerText)`)
	s.both("form with a field of each type")
	s.click("Start", `openModal().querySelector('[data-testid="modal-submit"]')`)
	s.until("the run", `!openModal() && inChannel('moving')`)
	w.untilMessage("#support", "the question with the values", func(m message) bool {
		return strings.Contains(m.shown(), "@bob moves on 2026-12-01") && strings.Contains(m.shown(), "plan.txt")
	})
}

// set gives a value to a field that opens a picker.
func (s *screen) set(name, value string) {
	s.Helper()
	s.do("set "+name, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const at = (%s)();
		at.value = %q;
		at.dispatchEvent(new Event('change', { bubbles: true }));
	}; undefined`, inPage(fmt.Sprintf("field('%s')", name)), value)))
}
