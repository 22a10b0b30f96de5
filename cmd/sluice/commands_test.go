package main

import (
	"strings"
	"testing"
)

// says fails the test unless a message shows all of these words.
func (w *world) says(what string, m message, words ...string) {
	w.Helper()
	for _, word := range words {
		if !strings.Contains(m.shown(), word) {
			w.Errorf("%s shows no %q:\n%s", what, word, m.shown())
		}
	}
}

// TestScheduleInWords: a schedule in words is shown with its next times and counts after a press; its next start is left out and taken back;
// it rests until a date. By slash command, mention and direct message.
func TestScheduleInWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	drafts(w)
	refused := w.ask("ana", "#support", "schedule refund every friday unless it rains order_id=A-1003")
	w.says("a schedule that cannot be read", refused, "I cannot read “every friday unless it rains” as a schedule", "For example:")
	asked := w.ask("ana", "#support", "schedule refund every second friday at 9 order_id=A-1003")
	w.says("the question", asked, "Shall *refund* start by itself every second week on Friday at 09:00 (Europe/Berlin)?", "Nothing is stored yet")
	if n := strings.Count(asked.shown(), "• <!date^"); n != 5 {
		t.Errorf("%d times are shown:\n%s", n, asked.shown())
	}
	w.untilSchedules(0)
	made := w.private("ana", "#support", w.click("ana", asked, "Start it by the clock").Seq)
	w.says("the schedule", made, "*refund* starts by itself: every second week on Friday at 09:00")
	w.untilSchedules(1)

	skipped := w.ask("ana", "#support", "skip next refund")
	w.says("what is left out", skipped, "leaves out its start on <!date^", "[Undo]")
	w.says("the list", w.ask("bob", "#support", "schedules"), "without those from <!date^")
	back := w.private("ana", "#support", w.click("ana", skipped, "Undo").Seq)
	w.says("the answer to Undo", back, "goes on, next <!date^")
	w.says("a pause by bob", w.ask("bob", "#support", "pause refund schedule until monday"), "Only the schedule's owner and admins")

	root := w.write("ana", "#support", "", "@Sluice pause refund schedule until monday")
	w.says("the answer to a mention", w.private("ana", "#support", root.Seq), "is paused until <!date^")
	w.write("ana", "@ana", "", "pause refund schedule for two weeks")
	w.untilMessage("@ana", "the answer to a direct message", func(m message) bool { return m.Bot && strings.Contains(m.shown(), "is paused until <!date^") })
}

// TestEverydayCommands: everyday words work after the slash command, after a mention in the thread of a run, and in a direct message.
func TestEverydayCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	drafts(w)
	w.flow("ana", "#support", "run refund order_id=A-1001")
	status := theStatus(w)
	question(w, status)
	w.says("what is running", w.ask("ana", "#support", "what is running?"), "refund-1")
	w.says("what waits", w.ask("fin", "#support", "whats waiting for me"), "Waiting for you")
	w.says("a mistyped word", w.ask("ana", "#support", "staus"), "Did you mean `status`?")
	w.write("ana", "@ana", "", "flows")
	w.untilMessage("@ana", "the list", func(m message) bool { return m.Bot && strings.Contains(m.shown(), "*refund*") })
	help := w.ask("ana", "#support", "help")
	w.says("help", help, "*Commands*", "/flow help clock")
	if n := strings.Count(strings.TrimSpace(help.shown()), "\n") + 1; n > 20 {
		t.Errorf("help has %d lines:\n%s", n, help.shown())
	}
	w.says("help about a topic", w.ask("ana", "#support", "help clock"), "/flow schedule", "/flow pause")

	w.write("ana", "#support", status.TS, "@Sluice stop it")
	w.untilMessage("#support", "the end of the run", func(m message) bool { return strings.Contains(m.shown(), "*Stopped* by") })
}

// TestHistoryAndRollback: versions are listed with what they changed, and an earlier one comes back through an approval.
func TestHistoryAndRollback(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	drafts(w)
	w.write("ana", "#support", "", strings.Replace(outline, "100", "50", 1))
	asks := w.untilMessage("#support", "the question whether it is the same flow", func(m message) bool { _, ok := m.button("Change it"); return ok })
	w.click("ana", asks, "Change it")
	changed := w.untilMessage("#support", "the changed draft", func(m message) bool { _, ok := m.button("Approve"); return ok && m.TS == asks.TS })
	w.click(w.approver(), changed, "Approve")
	w.untilMessage("#support", "the second version", func(m message) bool { return strings.Contains(m.shown(), "Approved as version 2") })
	w.says("the versions", w.ask("ana", "#support", "history refund"), "*version 2*, which runs now", "approved by <@"+w.id(w.approver())+">", "*now* 2. If amount is over 50, or there is no amount → 2a.", "*version 1*")
	w.flow("ana", "#support", "rollback refund 1")
	again := w.untilMessage("#support", "the draft of the first version", func(m message) bool {
		_, ok := m.button("Approve")
		return ok && strings.Contains(m.shown(), "back to version 1")
	})
	if !strings.Contains(again.shown(), "from version 1: to change it, reply in your own words") {
		t.Errorf("the draft says\n%s", again.shown())
	}
	w.click(w.approver(), again, "Approve")
	w.untilMessage("#support", "the third version", func(m message) bool { return strings.Contains(m.shown(), "Approved as version 3") })
	w.says("the versions", w.ask("ana", "#support", "versions of refund"), "*version 3*, which runs now", "the same as version 1")
	w.says("what is found", w.ask("fin", "#support", "find refund"), "*refund*  version 3")
	w.says("the audit", w.ask("fin", "#support", "audit refund"), "<@"+w.id(w.approver())+">: approved a version of *refund* (version 3), with a button")

	var table, problems strings.Builder
	if code := program([]string{"audit", "--csv", "--data", w.data}, stdio{strings.NewReader(""), &table, &problems}); code != 0 { // while the bot serves
		t.Fatalf("code %d: %s", code, problems.String())
	}
	if !strings.Contains(table.String(), ",button,revision_approved,refund,") {
		t.Errorf("the table is\n%s", table.String())
	}
}
