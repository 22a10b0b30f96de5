package main

import (
	"strings"
	"testing"
)

// approveStormFlow starts a bot of its own, approves stormFlow there, and gives the address that starts runs.
func approveStormFlow(t *testing.T) (w *world, base string) {
	t.Helper()
	address := reserved(t)
	w = newWorld(t, setup{apart: true, settings: []string{"SLUICE_SECRET_HOOK_REFUNDS=" + hookKey, "SLUICE_HTTP_ADDR=" + address}})
	card := w.put("ana", "", "storm.yaml", stormFlow)
	w.click("ana", card, "Approve")
	w.untilShown(card, "Approved as version 1")
	return w, "http://" + address
}

// begin starts a run of that flow.
func begin(w *world, base, n string) {
	w.Helper()
	if status, text, err := deliver(w.Context(), base, "start-"+n, `{"n":"`+n+`"}`); err != nil || status >= 300 {
		w.Fatal(status, text, err)
	}
}

func says(words string) func(message) bool {
	return func(m message) bool { return m.Bot && m.Text == words }
}

// TestAMessageIsThereOnceWheneverTheBotIsKilled kills the bot while a message waits, when it has arrived and nobody knows it, and when it has
// been noted: the message is there once, and the run goes on.
func TestAMessageIsThereOnceWheneverTheBotIsKilled(t *testing.T) {
	t.Parallel()
	there := func(w *world) { w.untilMessage("#support", "the message", says("first of 7")) }
	for name, c := range map[string]struct {
		fault fields
		until func(*world)
	}{
		"while it waits": {fields{"kind": "429", "after": "2s", "times": 1000}, func(w *world) {
			w.untilMessage("#support", "a card that says it waits", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "for Slack since") })
		}},
		"before its answer": {fields{"kind": "hold", "after": "after_act", "times": 1}, there},
		"its answer lost":   {fields{"kind": "drop", "after": "after_act", "times": 1}, there},
		"after its answer":  {nil, there},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, base := approveStormFlow(t)
			if c.fault != nil {
				w.faultPost("first of 7", c.fault)
			}
			begin(w, base, "7")
			c.until(w)
			w.bot.kill()
			w.post("heal", fields{})
			w.startBot()
			gate := w.untilMessage("#support", "the question after it", func(m message) bool { return strings.Contains(m.shown(), "Go on with 7") })
			w.click("fin", gate, "Approve")
			w.untilMessage("#support", "the last message", says("last of 7"))
			if n := len(filter(w.state("#support"), says("first of 7"))); n != 1 {
				t.Errorf("the message is there %d times", n)
			}
		})
	}
}

// TestAMessageThatWaitsIsTakenBack cancels a run whose message waits for Slack: cards say that it waits, and it is never posted.
func TestAMessageThatWaitsIsTakenBack(t *testing.T) {
	t.Parallel()
	w, base := approveStormFlow(t)
	w.faultPost("first of 8", fields{"kind": "429", "after": "2s", "times": 1000})
	begin(w, base, "8")
	status := w.untilMessage("#support", "a card that says it waits", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "for Slack since") })
	w.click("ana", status, "Cancel")
	w.untilMessage("#support", "the end", func(m message) bool { return m.TS == status.TS && strings.Contains(m.shown(), "*Stopped*") })
	w.post("heal", fields{})
	begin(w, base, "9") // what comes after it is posted
	w.untilMessage("#support", "another run's message", says("first of 9"))
	if n := len(filter(w.state("#support"), says("first of 8"))); n != 0 {
		t.Errorf("the message of the run that was cancelled is there %d times", n)
	}
}

// TestAMessageThatSlackNeverTakesFailsItsStep: that is an error, with the words of Slack.
func TestAMessageThatSlackNeverTakesFailsItsStep(t *testing.T) {
	t.Parallel()
	w, base := approveStormFlow(t)
	w.faultPost("first of 6", fields{"kind": "refuse", "error": "msg_too_long", "times": 2})
	begin(w, base, "6")
	w.untilMessage("#support", "the question about the failure", func(m message) bool {
		_, retry := m.button("Retry")
		return retry && strings.Contains(m.shown(), "msg_too_long")
	})
}
