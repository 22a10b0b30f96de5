package main

import (
	"net/http"
	"strings"
	"testing"
)

// asking is a flow with nothing but a question.
const asking = `
name: asking
inputs: {n: {type: string, required: true}}
flow:
  entry: gate
  nodes: [{id: gate, type: approval, message: "Go on with {{inputs.n}}?", routes: [{to: end}]}]
`

// TestReadinessSaysWhatKeepsMessagesBack: while Slack refuses the token the program is not ready. A channel that was archived is listed, and
// is no reason to take the program away. Both are over by themselves when what was wrong is.
func TestReadinessSaysWhatKeepsMessagesBack(t *testing.T) {
	t.Parallel()
	address := reserved(t)
	w := newWorld(t, setup{apart: true, settings: []string{"SLUICE_HTTP_ADDR=" + address}})
	card := w.put("ana", "", "asking.yaml", asking)
	w.click("ana", card, "Approve")
	w.untilShown(card, "Approved as version 1")
	w.untilReady("http://" + address)

	w.post("archive", fields{"user": "ana", "channel": "#support"})
	w.flow("ana", "#general", "run asking n=1")
	w.ready(address, http.StatusOK, "takes no messages in the channel", "is_archived", "Unarchive it")
	w.post("archive", fields{"user": "ana", "channel": "#support", "undo": true})
	w.untilMessage("#support", "the question", func(m message) bool { return m.Bot && strings.Contains(m.shown(), "Go on with 1?") })
	poll(w, "readiness without the channel", func() (string, bool) {
		text := w.ready(address, http.StatusOK)
		return text, !strings.Contains(text, "is_archived")
	})

	w.fault(fields{"target": "api", "method": "chat.postMessage", "kind": "refuse", "error": "token_revoked", "times": 10_000})
	w.flow("ana", "#support", "run asking n=2")
	w.ready(address, http.StatusServiceUnavailable, "my token was revoked", "token_revoked", "SLACK_BOT_TOKEN")
	w.post("heal", fields{})
	w.untilMessage("#support", "the second question", func(m message) bool { return m.Bot && strings.Contains(m.shown(), "Go on with 2?") })
	w.ready(address, http.StatusOK)
}
