package main

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageReaction starts a run by an emoji from the picker, which narrows down while one types.
func TestPageReaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	approved(w, "ana", w.put("ana", "", "refund.yaml", answering(t, onMessage+onReaction)), 1)
	w.write("bob", "#support", "", "please refund A-1003")
	s := openPage(t, w, "ana/support")
	s.until("the message", `inChannel('please refund A-1003') !== none`)
	s.click("the message", `inChannel('please refund A-1003')`) // the mouse stays on it, which shows its tools
	s.click("Add a reaction", `inChannel('please refund A-1003').querySelector('.toolbar [aria-label="Add a reaction"]')`)
	s.until("the picker with its text field", `document.activeElement.matches('.menu-grid .menu-narrow') && document.querySelectorAll('.menu-item').length > 100`)
	s.shot("all emoji")
	s.do("narrow down", chromedp.SendKeys(chromedp.CSS(".menu-narrow"), "moneyb", chromedp.NodeVisible))
	s.until("one emoji", `document.querySelectorAll('.menu-item').length === 1 && document.querySelector('.menu-item[data-value="moneybag"]')`)
	s.shot("one emoji")
	s.press("Enter", 13)
	s.until("the reaction", `inChannel('please refund A-1003').querySelector('[data-reaction="moneybag"]')`)
	s.click("thread of the message", `inChannel('please refund A-1003').querySelector('[data-testid="replies"]')`)
	s.until("the run in the thread", `/Done/.test(inThread('Refund A-1003').innerText)`)
	s.shot("run in the thread")
}
