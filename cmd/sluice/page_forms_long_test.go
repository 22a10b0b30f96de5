//go:build chaos

package main

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageOfEveryForm keeps screenshots of the cards and forms that other tests of the page do not come to: a failure with what mends it, a
// schedule, another run for the same thing, runs that wait on an older version, questions of a draft, and a full Home.
func TestPageOfEveryForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	root := w.write("ana", "#support", "", outline)
	card := approved(w, "ana", drafted(w, root), 1)
	w.fault(fields{"target": "shop", "kind": "500", "method": "POST", "path": "/refunds", "times": 1})
	w.flow("ana", "#support", "run refund order_id=A-1001")
	status := theStatus(w)
	w.click("fin", asked(w, status, "Approve"), "Approve")
	asked(w, status, "Edit and continue…")
	s := openPage(t, w, "ana/support")

	const failure = `find('thread', 'A step failed')`
	s.click("thread of the run", `inChannel('Refund A-1001').querySelector('[data-testid="replies"]')`)
	s.until("the failure", `button(`+failure+`, 'Skip with a value…')`)
	s.both("failure")
	s.form("Skip with a value…", failure, "form of a skip")
	s.form("Edit and continue…", failure, "form of an edit")

	w.flow("ana", "#support", "run refund order_id=A-1001")
	s.until("the run that exists already", `button(privateTo('channel'), 'Run anyway…')`)
	s.both("same run again in both sizes")
	s.form("Run anyway…", `privateTo('channel')`, "form of a reason")

	s.click("thread of the draft", `inChannel('@Sluice new refund').querySelector('[data-testid="replies"]')`)
	const flow = `inThread('Refund, version 1')`
	s.until("the approved card", `button(`+flow+`, 'Schedule…')`)
	s.both("approved flow")
	s.click("Schedule", `button(`+flow+`, 'Schedule…')`)
	s.until("the form of a schedule", `openModal() && field('.when')`)
	s.both("form of a schedule")
	s.fill(".when", "every Monday at 9")
	s.fill("order_id", "A-1003")
	s.click("Show the next times", `openModal().querySelector('[data-testid="modal-submit"]')`)
	s.until("the next times", `openModal() && /The next times/.test(openModal().innerText)`)
	s.both("form with the next times")
	s.click("close the form", `openModal().querySelector('[data-testid="modal-close"]')`)

	w.flow("ana", "#support", "run refund order_id=A-1002")
	w.write("ana", "#support", root.TS, "4. tell #general")
	next := w.untilMessage("#support", "the second draft", func(m message) bool { return m.Thread == root.TS && m.TS != card.TS && has(m, "Approve") })
	w.click("ana", next, "Approve")
	const waits = `find('thread', 'Move those that fit')`
	s.until("the runs that wait", `button(`+waits+`, 'Choose…')`)
	s.both("runs that wait")
	s.form("Choose…", waits, "form of moves")

	w.write("ana", "#support", "", "@Sluice new parcel: 1. weigh the parcel  2. ask the packers to send it  3. frob the box  4. polish the crown  5. call the moon")
	s.click("thread of the questions", `inChannel('@Sluice new parcel').querySelector('[data-testid="replies"]')`)
	s.until("the questions", `button(inThread('Parcel, draft 1'), 'Answer…')`)
	s.both("many questions")
	s.form("Answer…", `inThread('Parcel, draft 1')`, "form of questions")

	s.do("go to Home", chromedp.Evaluate[chromedp.Void](`location.hash = '#ana/@sluice/home'; undefined`))
	s.until("a full Home", `inHome('Failed').innerText`)
	s.both("full Home")
}

// form opens a form, keeps screenshots of it and closes it.
func (s *screen) form(label, at, name string) {
	s.Helper()
	s.click(label, `button(`+at+`, '`+label+`')`)
	s.until("the form behind "+label, `openModal()?.querySelector('[data-testid="modal-close"]') && !/being made/.test(openModal().innerText)`)
	s.both(name)
	s.click("close the form", `openModal().querySelector('[data-testid="modal-close"]')`)
	s.until("no form", `!openModal()`)
}
