package slack

import (
	"slices"
	"strings"
	"testing"

	"sluice/storage"
)

const judged = `
name: judged
run: {title: "Judged"}
flow:
  entry: first
  nodes:
    - {id: first, type: say, message: "say it first", routes: [{to: gate}]}
    - {id: gate, type: approval, message: "Go on?", routes: [{when: "approvals.gate == 'approve'", to: last}, {when: default, to: end}]}
    - {id: last, type: say, message: "say it last", routes: [{to: end}]}
`

// TestAnOutcomeIsShownAlike ends runs in several ways: status message, steps, picture and list say the same, and who it was.
func TestAnOutcomeIsShownAlike(t *testing.T) {
	t.Parallel()
	for outcome, tt := range map[string]struct {
		fails   bool // the first step
		end     func(*chat, storage.Run)
		status  []string
		picture []string
	}{
		"rejected": {
			end:     func(c *chat, r storage.Run) { c.choose(r, 1, "reject", "fin") },
			status:  []string{"Rejected: Judged", "*Rejected* by ", "@fin", `"error","task_id":"gate","title":"2. Gate (reject by fin`, "Not taken: Last"},
			picture: []string{"Live flowchart, rejected: Judged.", "Gate (by a person): rejected, reject by fin", "End: rejected", "Last (end): skipped"},
		},
		"stopped": {
			end:     func(c *chat, _ storage.Run) { c.say("fin", "", "cancel judged-1") },
			status:  []string{"Stopped: Judged", "*Stopped* by ", "@fin", `"title":"2. Gate (cancelled)"`},
			picture: []string{"Live flowchart, stopped: Judged.", "Gate (by a person): cancelled"},
		},
		"done": {
			fails: true,
			end: func(c *chat, r storage.Run) {
				c.choose(r, 1, "skip", "bob")
				c.until("#support", "Go on?", "gate.choose")
				c.choose(r, 2, "approve", "fin")
			},
			status:  []string{"Done: Judged", "*Done* in ", `"pending","task_id":"first","title":"1. First (skipped by bob`},
			picture: []string{"Live flowchart, done: Judged.", "First (input / output): skipped by hand, skipped by bob", "Last (end): complete"},
		},
	} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			c := newChat(t)
			c.approve(judged)
			if tt.fails {
				c.control("fault", map[string]any{"target": "api", "method": "chat.postMessage", "contains": "say it first", "kind": "refuse", "error": "msg_too_long", "times": 2})
			}
			c.serve()
			r := c.start("judged")
			c.until("#support", "gate.choose", r.Name)
			tt.end(c, r)
			for i, word := range tt.status {
				if word == "@fin" {
					tt.status[i] = c.user("fin")
				}
			}
			c.until("#support", slices.Concat(tt.status, []string{`"key":"status-`})...)
			c.until("#support", slices.Concat(tt.picture, []string{`"key":"status-`})...)
			c.until("#support", tt.status[1], `"key":"picture-`)
			c.say("bob", "", "runs judged "+outcome)
			c.until("#support", "*judged-1*", `"ephemeral_to":"`+c.user("bob"), ": "+outcome)
			for _, other := range []string{"rejected", "failed", "stopped", "done", "timed out"} {
				if other != outcome {
					c.say("fin", "", "runs judged "+other)
				}
			}
			c.settled()
			for _, m := range c.messages("#support") {
				if m.EphemeralTo == c.user("fin") && hasAll(m.shown(), []string{"judged-1", "asked for by"}) {
					t.Errorf("the run is listed under another outcome: %s", m.shown())
				}
			}
		})
	}
}

// TestANoIsNoRejection: a run that ends because somebody answered a question with no is not called rejected.
func TestANoIsNoRejection(t *testing.T) {
	t.Parallel()
	c := newChat(t)
	c.approve(strings.Replace(judged, `message: "Go on?", routes: [{when: "approvals.gate == 'approve'"`, `message: "Go on?", choices: ["yes", "no"], routes: [{when: "approvals.gate == 'yes'"`, 1))
	c.serve()
	r := c.start("judged")
	c.until("#support", "gate.choose", r.Name)
	c.choose(r, 1, "no", "fin")
	c.until("#support", "Ended: Judged", "*Ended*: ", c.user("fin"), "answered “no”.")
}
