package main

import (
	"strings"
	"testing"
)

// privateSeed has a channel that eve is not in, and a guest.
const privateSeed = `
users:
  - {name: ana, tz: Europe/Berlin}
  - {name: bob, tz: Europe/Berlin}
  - {name: fin, tz: Europe/Berlin}
  - {name: eve, tz: Europe/Berlin}
groups:
  - {handle: finance, members: [fin]}
channels:
  - {name: general, members: [ana, bob, fin, eve, sluice]}
  - {name: support, private: true, members: [ana, bob, fin, sluice]}
`

// TestReading: who is not in a flow's home channel learns as much of it as of a flow that does not exist.
func TestReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: privateSeed})
	drafts(w)
	w.flow("ana", "#support", "run refund order_id=A-1001")
	status := theStatus(w)
	question(w, status)
	run := runName(status)
	elsewhere := w.ask("bob", "#general", "run refund order_id=A-1002").shown()
	if !strings.Contains(elsewhere, "started in <#") {
		t.Errorf("a run that is started elsewhere is announced as: %s", elsewhere)
	}
	for _, text := range []string{
		"run refund order_id=A-1003", "show refund", "schedule refund \"* * * * *\" order_id=A-1003", "approve refund", "runs refund",
		"show " + run, "cancel " + run, "answer " + run + " approve", "pause refund",
	} {
		hidden := w.ask("eve", "#general", text).shown()
		missing := w.ask("eve", "#general", strings.NewReplacer("refund-1", "nobody-1", "refund", "nobody").Replace(text)).shown()
		if hidden != strings.NewReplacer("nobody-1", run, "nobody", "refund").Replace(missing) || strings.Contains(hidden, "250") || strings.Contains(hidden, "A-1001") {
			t.Errorf("%s is answered:\n%s\nand for what does not exist:\n%s", text, hidden, missing)
		}
	}
	for _, text := range []string{"list", "runs", "schedules", "approvals"} {
		if line := w.ask("eve", "#general", text).shown(); strings.Contains(line, "refund-1") || strings.Contains(line, "*refund*") {
			t.Errorf("%s shows eve:\n%s", text, line)
		}
	}
	for _, m := range w.state("#general") {
		if m.EphemeralTo == "" && m.Bot {
			t.Errorf("#general was told:\n%s", m.shown())
		}
	}
	if line := w.ask("bob", "#general", "show "+run).shown(); !strings.Contains(line, "Refund A-1001") {
		t.Errorf("bob, who is in the channel, sees:\n%s", line)
	}
	if n := len(w.arrivals("POST")); n != 0 {
		t.Errorf("the shop got %d calls", n)
	}
}

// TestDirectMessage: a flow that is made in a direct message is its owner's alone, and needs no mention of the bot.
func TestDirectMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	w.write("ana", "@ana", "", "new peek: 1. get the order from the shop  2. tell #general")
	card := w.untilMessage("@ana", "a draft's card", func(m message) bool { _, ok := m.button("Approve"); return ok })
	w.click("ana", card, "Approve")
	w.untilMessage("@ana", "the approved card", func(m message) bool { return strings.Contains(m.shown(), "Approved as version 1") })
	for _, text := range []string{"run peek order_id=A-1002", "show peek"} {
		if line := w.ask("bob", "#support", text).shown(); !strings.Contains(line, "no such") {
			t.Errorf("%s is answered to bob: %s", text, line)
		}
	}
	if line := w.ask("ana", "#support", "run peek order_id=A-1002").shown(); !strings.Contains(line, "*peek-1* started in <#") {
		t.Errorf("ana is told: %s", line)
	}
	w.untilMessage("@ana", "the run's end", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "*Done*") })
	w.untilMessage("#general", "what the run tells", func(m message) bool { return strings.Contains(m.Text, "amount 150") })
	w.write("ana", "@ana", "", "run peek order_id=A-1003")
	w.untilMessage("@ana", "the second run's end", func(m message) bool {
		return isStatus(m) && strings.Contains(m.shown(), "peek-2") && strings.Contains(m.shown(), "*Done*")
	})
	w.write("ana", "@ana", "", "hello")
	w.untilMessage("@ana", "help", func(m message) bool { return strings.Contains(m.shown(), "*Commands*") })
	for _, m := range w.state("#support") {
		if m.Bot && m.EphemeralTo == "" {
			t.Errorf("#support was told:\n%s", m.shown())
		}
	}
}
