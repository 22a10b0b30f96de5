package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageQuestions drafts words with two questions, answers one with a button and one with a select, approves and runs what comes of it;
// then it begins with one of the starting points.
func TestPageQuestions(t *testing.T) {
	t.Parallel()
	s := openPage(t, newWorld(t, setup{}), "ana/support")

	s.write("composer", "@Sluice new parcel: 1. get the order from the shop  2. weigh the parcel  3. ask the packers to send it  4. tell #support")
	s.press("Enter", 13)
	s.click("thread of the request", `inChannel('@Sluice new parcel').querySelector('[data-testid="replies"]')`)
	s.until("two questions and no Approve", `selects(inThread('Parcel, draft 1')) > 1 && button(inThread('Parcel, draft 1'), 'Leave it out') && !button(inThread('Parcel, draft 1'), 'Approve')`)
	s.both("draft with questions")
	s.click("Leave it out", `button(inThread('Parcel, draft 1'), 'Leave it out')`)
	s.until("one question", `!button(inThread('Parcel, draft 1'), 'Leave it out') && selects(inThread('Parcel, draft 1')) === 1`)
	s.click("the select", `selectIn(inThread('Parcel, draft 1'))`)
	s.until("its choices", `document.querySelector('[data-testid="menu"] [data-value="@fin"]')`)
	s.shot("choices of a question")
	s.click("@fin", `document.querySelector('[data-testid="menu"] [data-value="@fin"]')`)
	s.until("no question and Approve", `selects(inThread('Parcel, draft 1')) === 0 && button(inThread('Parcel, draft 1'), 'Approve') && shown(inThread('Parcel, draft 1'))`)
	s.both("draft without questions")
	s.click("Try it", `button(inThread('Parcel, draft 1'), 'Try it')`)
	s.until("what a run is given is asked", `button(privateTo('thread'), 'Try with made-up values')`)
	s.both("inputs of a trial")
	s.click("Try with made-up values", `button(privateTo('thread'), 'Try with made-up values')`)
	s.until("the trial", `/With order id A-1001 it would/.test(privateTo('thread').innerText) && shown(privateTo('thread'))`)
	s.both("trial")
	s.click("Approve", `button(inThread('Parcel, draft 1'), 'Approve')`)
	s.until("approval", `/Approved as version 1/.test(inThread('Parcel, version 1').innerText)`)

	s.flow("ana", "#support", "run parcel order_id=A-1001")
	s.click("thread of the run", `inChannel('Parcel A-1001').querySelector('[data-testid="replies"]')`)
	s.click("fin", `document.querySelector('[data-user="fin"]')`)
	s.click("Done as fin", `button(gate(), 'Done')`)
	s.until("the run's end", `/Done/.test(runStatus().innerText) && !button(runStatus(), 'Cancel')`)
	s.both("run done")

	s.click("close the thread", `document.querySelector('[data-testid="thread-close"]')`)
	s.write("composer", "/flow new")
	s.press("Enter", 13)
	s.until("starting points", `button(privateTo('channel'), 'Vacation request') && button(privateTo('channel'), 'Reviews in parallel')`)
	s.both("starting points")
	s.click("Incident", `button(privateTo('channel'), 'Incident')`)
	s.until("its draft", `shown(inChannel('Incident, draft 1')) && selects(inChannel('Incident, draft 1')) === 2`)
	s.both("draft of a starting point")
}

// TestPageComparison drafts prose: the sentences stand beside the steps that they became, and there is no Approve before somebody has compared
// them.
func TestPageComparison(t *testing.T) {
	t.Parallel()
	s := openPage(t, newWorld(t, setup{}), "ana/support")
	s.write("composer", "@Sluice new trip: ask @fin to approve the trip. if it is approved tell #support that we go and that everybody should pack, otherwise tell #support that we stay here for the week")
	s.press("Enter", 13)
	s.click("thread of the request", `inChannel('@Sluice new trip').querySelector('[data-testid="replies"]')`)
	s.until("the comparison and no Approve", `button(inThread('Trip, draft 1'), 'Yes, that is what I mean') && /became steps 1, 1a and 1b/.test(inThread('Trip, draft 1').innerText) && !button(inThread('Trip, draft 1'), 'Approve') && shown(inThread('Trip, draft 1'))`)
	s.both("prose to compare")
	s.click("Yes, that is what I mean", `button(inThread('Trip, draft 1'), 'Yes, that is what I mean')`)
	s.until("Approve", `!button(inThread('Trip, draft 1'), 'Yes, that is what I mean') && button(inThread('Trip, draft 1'), 'Approve')`)
}

// both keeps screenshots of a wide window and of a narrow one.
func (s *screen) both(name string) {
	s.Helper()
	s.shot(name)
	s.resize(400, 900)
	s.shot(name + " narrow")
	s.resize(1440, 1000)
}

func (s *screen) resize(width, height int64) {
	s.Helper()
	s.do(fmt.Sprintf("make the window %d wide", width), chromedp.EmulateViewport(width, height))
}
