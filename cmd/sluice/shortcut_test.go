package main

import (
	"strings"
	"testing"
)

// uses has somebody use a shortcut of the app, on a message unless that is empty.
func (w *world) uses(person, shortcut, channel, ts string) answer {
	w.Helper()
	return w.post("shortcut", fields{"user": person, "callback_id": shortcut, "channel": channel, "message_ts": ts})
}

// TestShortcuts: a flow is drafted of a message, in its thread, and of words in a modal, where the person says.
func TestShortcuts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	root := w.write("bob", "#support", "", "every Monday at 9 ask @bob for the numbers, then tell #general")
	w.uses("ana", "flow_from_message", "#support", root.TS)
	w.untilMessage("#support", "the draft of the message", func(m message) bool {
		return m.Thread == root.TS && strings.Contains(m.shown(), ", draft 1") && strings.Contains(m.shown(), "Ask @bob")
	})

	unread := w.write("bob", "#support", "", "see you tomorrow")
	pressed := w.uses("ana", "flow_from_message", "#support", unread.TS)
	line := w.private("ana", "#support", pressed.Seq)
	m := opens(w, "ana", line, "Change the words…")
	if got := m.shown(); !strings.Contains(got, "New workflow\nWhat should happen?*\nWhere*") || m.field(".text") != "see you tomorrow" {
		t.Errorf("the form shows %q in\n%s", m.field(".text"), got)
	}
	if a := fills(w, "ana", m, fields{".text": "see you"}); a.ResponseAction != "errors" || !strings.Contains(a.Errors[".text"], "I cannot read") {
		t.Errorf("words that cannot be read: %+v", a)
	}
	fills(w, "ana", m, fields{".text": "new greeting: 1. tell #general hello", ".channel": "#general"})
	w.untilMessage("#general", "the draft", func(m message) bool { return strings.Contains(m.shown(), "Greeting, draft 1") })

	m = opened(w, "bob", "", func() int64 { return w.uses("bob", "flow_new", "", "").Seq })
	if got := m.shown(); got != "New workflow\nWhat should happen?*\nWhere" {
		t.Errorf("the form shows\n%s", got)
	}
	fills(w, "bob", m, fields{".text": "new salute: 1. tell #general good day"})
	w.untilMessage("@bob", "the draft", func(m message) bool { return strings.Contains(m.shown(), "Salute, draft 1") })
}

// TestShortcutsThatCannot: where the bot is not, and when Slack opens no modal in time.
func TestShortcutsThatCannot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: `
users: [{name: ana, admin: true}, {name: bob}]
channels: [{name: general, members: [ana, bob, sluice]}, {name: support, members: [ana, bob, sluice]}, {name: private, private: true, members: [ana, bob]}]
`})
	said := w.write("bob", "#private", "", "1. tell #general hello")
	pressed := w.uses("ana", "flow_from_message", "#private", said.TS)
	line := w.private("ana", "#private", pressed.Seq)
	if !strings.Contains(line.shown(), "I am not in this conversation") {
		t.Fatalf("the answer is\n%s", line.shown())
	}
	m := opens(w, "ana", line, "Choose where…")
	if m.field(".text") != "1. tell #general hello" {
		t.Errorf("the form holds %q", m.field(".text"))
	}
	if a := fills(w, "ana", m, fields{".text": "1. tell #general hello", ".channel": "#private"}); a.ResponseAction != "errors" || !strings.Contains(a.Errors[".channel"], "I am not in this channel") {
		t.Errorf("a channel without the bot: %+v", a)
	}
	fills(w, "ana", m, fields{".text": "1. tell #general hello", ".channel": "#general"})
	w.untilMessage("#general", "the draft", func(m message) bool { return strings.Contains(m.shown(), ", draft 1") })

	w.fault(fields{"target": "api", "kind": "refuse", "method": "views.open", "error": "expired_trigger_id", "times": 1})
	w.uses("bob", "flow_new", "", "")
	late := w.untilMessage("@bob", "a button for the form", func(m message) bool { return strings.Contains(m.shown(), "too little time to open the form") })
	fills(w, "bob", opens(w, "bob", late, "Open the form…"), fields{".text": "1. tell #general good day"})
	w.untilMessage("@bob", "the draft", func(m message) bool { return strings.Contains(m.shown(), ", draft 1") })
}
