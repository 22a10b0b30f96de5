package main

import (
	"html"
	"strings"
	"testing"
)

const trackActions = `
  - name: tickets.open
    description: Open a ticket
    words: [open a ticket]
    method: POST
    url: "http://SHOP/tickets"
    params: {type: object, properties: {link: {type: string}}, required: [link]}
    effects: idempotent
`

const trackedWithin = `
name: within
inputs: {order_id: {type: string, required: true}}
flow:
  entry: tell
  nodes:
    - {id: tell, type: say, message: "within at {{run.url}}", routes: [{to: end}]}
`

// tracked names its address in its first step, in a message, and in a run within it.
const tracked = `
name: track
inputs: {order_id: {type: string, required: true}}
triggers: [{message: {channel: "#support", match: "^track (?P<order_id>\\S+)$"}}]
flow:
  entry: ticket
  nodes:
    - {id: ticket, type: tool, tool: tickets.open, params: {link: "{{run.url}}"}, on_error: [{default: true, to: tell}], routes: [{to: tell}]}
    - {id: tell, type: say, message: "{{inputs.order_id}} at {{run.url}}", routes: [{to: ask}]}
    - {id: ask, type: subflow, flow: within, inputs: {order_id: "{{inputs.order_id}}"}, routes: [{to: end}]}
`

// TestARunKnowsTheLinkToItsThread: run.url leads to the run's messages, in the body of a request, in a message, and in a run within it.
func TestARunKnowsTheLinkToItsThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{tools: devActions + trackActions})
	w.write("ana", "#support", "", "hello")
	fromFile(w, trackedWithin)
	card := w.put("ana", "", "track.yaml", tracked)
	w.click("ana", card, "Approve")
	w.untilShown(card, "Approved as version 1")

	w.flow("ana", "#support", "run track order_id=A-1001")
	told := w.untilMessage("#support", "the address", func(m message) bool { return m.Bot && strings.HasPrefix(m.Text, "A-1001 at ") })
	status := theStatus(w)
	link := w.url("/archives/" + status.Channel + "/p" + strings.ReplaceAll(status.TS, ".", ""))
	within := func(m message) bool { return m.Bot && m.Thread == status.TS && strings.HasPrefix(m.Text, "within at ") }
	if inner := w.untilMessage("#support", "the address of the run within", within); !strings.Contains(inner.shown(), link) {
		t.Errorf("the run within says %q, not %s", inner.shown(), link)
	}
	if told.Thread != status.TS || !strings.Contains(told.shown(), link) || strings.Contains(told.shown(), "cid=") {
		t.Errorf("it says %q in %s, not %s", told.shown(), told.Thread, link)
	}
	if posted := w.untilArrivals("POST /tickets", 1); !strings.Contains(posted[0].Body, `"`+link+`"`) {
		t.Errorf("the first step sent %s, not %s", posted[0].Body, link)
	}

	asked := w.write("ana", "#support", "", "track A-1002")
	told = w.untilMessage("#support", "the address", func(m message) bool { return m.Bot && strings.HasPrefix(m.Text, "A-1002 at ") })
	link = w.url("/archives/" + status.Channel + "/p" + strings.ReplaceAll(asked.TS, ".", "") + "?thread_ts=" + asked.TS + "&cid=" + status.Channel)
	if told.Thread != asked.TS || !strings.Contains(html.UnescapeString(told.shown()), link) {
		t.Errorf("a run that answers a message says %q in %s, not %s", told.shown(), told.Thread, link)
	}
	if posted := w.untilArrivals("POST /tickets", 2); !strings.Contains(posted[1].Body, strings.ReplaceAll(link, "&", `\u0026`)) {
		t.Errorf("its first step sent %s, not %s", posted[1].Body, link)
	}
}
