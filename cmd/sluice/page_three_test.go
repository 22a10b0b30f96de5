package main

import (
	"testing"

	"sluice/storage/pgtest"
)

// TestPageOfThreeServe watches in the browser how one of three bots is killed in the middle of a call: the card and the thread go on where
// they were, nothing is there twice, and the processes that are left answer.
func TestPageOfThreeServe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true, database: pgtest.URL(t), tools: shopActions("idempotent")})
	bots := serveThree(w)
	drafts(w)
	s := openPage(t, w, "fin/support")

	s.flow("ana", "#support", "run refund order_id=A-1001")
	s.click("thread of the run", `inChannel('Refund A-1001').querySelector('[data-testid="replies"]')`)
	s.until("gate", `shown(runStatus()) && button(gate(), 'Approve')`)
	s.fault(fields{"target": "shop", "kind": "hold", "method": "POST", "path": "/refunds", "after": "before_booking", "times": 1})
	s.click("Approve", `button(gate(), 'Approve')`)
	s.untilArrivals("POST /refunds", 1)
	s.until("refund under way", `/Running/.test(runStatus().innerText) && /Approve by @Fin/.test(gate().innerText)`)
	s.shot("before the kill")

	killHolder(w, bots)
	s.untilArrivals("POST /refunds", 2)
	s.release()
	s.until("status message done", `/Done/.test(runStatus().innerText) && !button(runStatus(), 'Cancel')`)
	s.until("what was interrupted", `/no finished step was repeated/.test(runStatus().innerText)`)
	s.until("last picture", `shown(runStatus()) && /Done/.test(messages('thread').at(-1).innerText)`)
	s.until("nothing twice", `messages('thread').length === 3 && messages('channel').filter((one) => one.querySelector('[data-task-id]')).length === 1 &&
		messages('channel').filter((one) => /amount 250/.test(one.innerText)).length === 1`)
	s.shot("after the kill")

	s.flow("ana", "#support", "run refund order_id=A-1002")
	s.click("thread of the second run", `messages('channel').findLast((one) => one.innerText.includes('Refund A-1002'))?.querySelector('[data-testid="replies"]')`)
	s.until("second gate", `/A-1002/.test(gate().innerText) && shown(runStatus()) && button(gate(), 'Approve')`)
	s.click("Approve", `button(gate(), 'Approve')`)
	s.until("second run done", `/A-1002/.test(runStatus().innerText) && /Done/.test(runStatus().innerText)`)
	s.until("its last picture", `shown(runStatus()) && messages('thread').length === 3`)
	s.shot("answered by another one")
	if n := s.bookings(); n != 2 {
		t.Errorf("the shop has booked %d refunds, want 2", n)
	}
}
