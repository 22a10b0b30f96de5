package main

import (
	"slices"
	"strings"
	"testing"
)

// reacted waits until a message has one reaction.
func (w *world) reacted(m answer, emoji string) {
	w.Helper()
	w.untilMessage("#support", "a message with "+emoji, func(now message) bool {
		return now.TS == m.TS && len(now.Reactions) == 1 && now.Reactions[0].Name == emoji
	})
}

// TestOutcomesOnCards: the status message says first what became of a run, and the message that started it has the mark of that.
func TestOutcomesOnCards(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	fromFile(w, paying)
	said := w.write("ana", "#support", "", "@Sluice run pay order_id=A-1001")
	status := theStatus(w)
	w.reacted(said, "eyes")
	question := asked(w, status, "Reject")
	fills(w, "fin", opens(w, "fin", question, "With a note…"), fields{".choice": "reject", ".note": "too old"})
	over := w.untilShown(status, "Rejected: Pay A-1001\n:no_entry: *Rejected* by <@"+w.id("fin")+">: “too old”.")
	w.saysIn("the rejected run", over.shown(), "2. Finance agrees (reject by fin, “too old”)", "Not taken: 3\n")
	if strings.Contains(over.shown(), "3. Pay it back") || strings.Contains(over.shown(), "Go to the question") {
		t.Errorf("the rejected run shows what it did not come to:\n%s", over.shown())
	}
	w.untilMessage("#support", "the last message", func(m message) bool {
		return m.Thread == status.TS && strings.Contains(m.shown(), ":no_entry: *Rejected* by <@"+w.id("fin")+">: “too old”. *Pay A-1001*")
	})
	w.reacted(said, "no_entry")

	said = w.write("ana", "#support", "", "@Sluice run pay order_id=A-9999")
	status = w.untilMessage("#support", "the second run", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "A-9999") })
	failed := w.untilShown(status, "Failed at step 1, Order: 404 Not Found")
	question = asked(w, status, "Retry")
	w.untilShown(status, "Go to the question")
	w.reacted(said, "x")
	if !slices.Contains(failed.buttons(), "Cancel") {
		t.Errorf("the failed run cannot be cancelled:\n%s", failed.shown())
	}
	w.click("ana", question, "Abort")
	w.untilShown(status, "Stopped: Pay A-9999\n:no_entry_sign: *Stopped* by <@"+w.id("ana")+">")
	w.reacted(said, "no_entry_sign")

	said = w.write("bob", "#support", "", "@Sluice run pay order_id=A-1003")
	status = w.untilMessage("#support", "the third run", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "A-1003") })
	w.click("fin", asked(w, status, "Approve"), "Approve")
	w.untilShown(status, "Done: Pay A-1003\n:white_check_mark: *Done* in")
	w.reacted(said, "white_check_mark")
}

// TestPressedTwice: a second press with the same inputs asks first; one with other inputs does not.
func TestPressedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	card := approved(w, "ana", w.put("ana", "", "vacation.yaml", vacationFlow), 1)
	fills(w, "ana", opens(w, "ana", card, "Run now…"), fields{"from": "Friday", "days": "3"})
	theStatus(w)
	seq := w.get("clock").Seq
	fills(w, "ana", opens(w, "ana", card, "Run now…"), fields{"from": "Friday", "days": "3"})
	line := w.private("ana", "#support", seq)
	w.saysIn("the second press", line.shown(), "Nothing was started yet: *Vacation from Friday* has the same inputs, was asked for by <@"+w.id("ana")+">", "is waiting")
	fills(w, "ana", opens(w, "ana", card, "Run now…"), fields{"from": "Monday", "days": "3"})
	w.untilMessage("#support", "a run with other inputs", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "Vacation from Monday") })
	if all := filter(w.state("#support"), isStatus); len(all) != 2 {
		t.Errorf("there are %d runs:\n%s", len(all), transcript(all))
	}
	w.click("ana", line, "Start another run")
	until(w, "#support", "another run", func(all []message) (message, bool) {
		runs := filter(all, func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "Vacation from Friday") })
		return message{}, len(runs) == 2
	})
}

// TestAnApprovedFlowOffersWhatCanBeDone: it is scheduled in words after the next times were shown, changed in words, and given as a file.
func TestAnApprovedFlowOffersWhatCanBeDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	root := w.write("ana", "#support", "", outline)
	card := approved(w, "ana", drafted(w, root), 1)
	if want := []string{"Run now…", "Schedule…", "Change…", "Export"}; !slices.Equal(card.buttons(), want) {
		t.Errorf("the approved flow offers %q, not %q", card.buttons(), want)
	}

	m := opens(w, "ana", card, "Schedule…")
	if a := fills(w, "ana", m, fields{".when": "whenever you like", "order_id": "A-1001"}); !strings.Contains(a.Errors[".when"], "I cannot read “whenever you like” as a schedule") {
		t.Errorf("a time that cannot be read is answered %+v", a)
	}
	times := fields{".when": "every Monday at 9", "order_id": "A-1001"}
	if a := fills(w, "ana", m, times); a.ResponseAction != "update" {
		t.Fatalf("a schedule is answered %+v", a)
	}
	shown := w.get("views?user=ana").Views[0].shown()
	w.saysIn("the next times", shown, "every Monday at 09:00", "• Monday, ", "09:00", "Nothing is saved yet")
	if n := strings.Count(shown, "• Monday, "); n != 5 {
		t.Errorf("the form shows %d times:\n%s", n, shown)
	}
	if line := w.ask("ana", "#support", "schedules"); !strings.Contains(line.shown(), "no schedules") {
		t.Errorf("a schedule was saved before it was shown:\n%s", line.shown())
	}
	if a := fills(w, "ana", m, fields{".when": "every Tuesday at 9", "order_id": "A-1001"}); a.ResponseAction != "update" {
		t.Errorf("other times than those that were shown are answered %+v", a)
	}
	seq := w.get("clock").Seq
	if a := fills(w, "ana", m, fields{".when": "every Tuesday at 9", "order_id": "A-1001"}); a.ResponseAction != "close" {
		t.Errorf("the schedule is answered %+v", a)
	}
	w.saysIn("the saved schedule", w.private("ana", "#support", seq).shown(), "*refund* starts by itself: every Tuesday at 09:00")

	m = opens(w, "ana", card, "Change…")
	w.saysIn("the form of a change", m.shown(), "Version 1 of refund:", "1. Get the order", "What should be different?*")
	if a := fills(w, "ana", m, fields{".text": "blue skies"}); !strings.Contains(a.Errors[".text"], "I cannot read this as a change") {
		t.Errorf("words that change nothing are answered %+v", a)
	}
	fills(w, "ana", m, fields{".text": "2. if the amount is over 300 ask @finance to approve"})
	w.untilMessage("#support", "the changed draft", func(m message) bool {
		return m.Thread == root.TS && slices.Contains(m.buttons(), "Approve") && strings.Contains(m.shown(), "draft 1: change to version 1") && strings.Contains(m.shown(), "over 300")
	})

	w.click("ana", card, "Export")
	w.untilMessage("#support", "the file", func(m message) bool {
		return m.Thread == root.TS && len(m.Files) == 1 && strings.HasSuffix(m.Files[0].Name, ".yaml")
	})
}

// TestRunsOnAnEarlierVersion: when a version is approved while runs wait, one message counts them and moves those that fit, those that a person
// chooses, or none.
func TestRunsOnAnEarlierVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	root := w.write("ana", "#support", "", outline)
	approved(w, "ana", drafted(w, root), 1)
	statuses := map[string]message{}
	for _, order := range []string{"A-1001", "A-1002"} {
		w.flow("ana", "#support", "run refund order_id="+order)
		statuses[order] = w.untilMessage("#support", "a run that waits", func(m message) bool {
			return isStatus(m) && strings.Contains(m.shown(), order) && strings.Contains(m.shown(), "*Waiting* at")
		})
	}
	change := func(words string, version int) message {
		a := w.write("ana", "#support", root.TS, words)
		approved(w, "ana", w.cardAfter(root.TS, a.TS), version)
		return w.untilMessage("#support", "the message about the runs", func(m message) bool {
			return m.Thread == root.TS && m.Seq > a.Seq && slices.Contains(m.buttons(), "Move those that fit")
		})
	}
	first := w.untilMessage("#support", "the question of the first run", func(m message) bool {
		return m.Thread == statuses["A-1001"].TS && slices.Contains(m.buttons(), "Approve")
	})
	card := change("4. tell #general", 2)
	w.saysIn("the message about the runs", card.shown(), "2 runs are on version 1, and all of them fit version 2.", "[Move those that fit] [Choose…] [Leave them]")
	w.saysIn("bob's press", w.private("bob", "#support", w.click("bob", card, "Move those that fit").Seq).shown(), "Only the flow's owner, approvers and admins")
	m := opens(w, "ana", card, "Choose…")
	if a := fills(w, "ana", m, fields{".runs": []string{"refund-1 · Refund A-1001"}}); a.ResponseAction != "close" {
		t.Fatalf("the chosen runs are answered %+v", a)
	}
	card = w.untilShown(card, "moved 1 run to version 2")
	w.saysIn("what is left", card.shown(), "1 run is on version 1, and it fits version 2", "[Leave them]")
	w.untilShown(statuses["A-1001"], "refund version 2")
	if old := w.untilShown(first, "*Asked anew below*"); !strings.Contains(old.shown(), "the run goes by version 2 now") || len(old.buttons()) > 0 {
		t.Errorf("the question before the move says\n%s", old.shown())
	}
	w.says("the audit", w.ask("ana", "#support", "audit refund-1"), "<@"+w.id("ana")+">: took back a question of *refund-1* at “@finance approves”, in a form")
	w.click("ana", card, "Leave them")
	if card = w.untilShown(card, "left the other runs on their versions"); len(card.buttons()) > 0 {
		t.Errorf("the settled message has buttons:\n%s", card.shown())
	}

	card = change("4. tell #support", 3)
	w.click("ana", card, "Move those that fit")
	card = w.untilShown(card, "moved 2 runs to version 3")
	w.saysIn("what is left", card.shown(), "No live run of refund is on another version than 3.")
	for order, status := range statuses {
		w.untilShown(status, "refund version 3")
		w.click("fin", w.untilMessage("#support", "its question", func(m message) bool { return m.Thread == status.TS && slices.Contains(m.buttons(), "Approve") }), "Approve")
		w.untilShown(status, "Done: Refund "+order)
	}
}

// TestEditAndContinue: a run whose step has failed gets a revision of its own, which is approved like every other, and goes on by it from that
// step. The flow and its other runs stay as they are.
func TestEditAndContinue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	root := w.write("ana", "#support", "", outline)
	approved(w, "ana", drafted(w, root), 1)
	w.fault(fields{"target": "shop", "kind": "500", "method": "POST", "path": "/refunds", "times": 1})
	w.flow("ana", "#support", "run refund order_id=A-1001")
	status := theStatus(w)
	w.click("fin", asked(w, status, "Approve"), "Approve")
	failed := asked(w, status, "Edit and continue…")
	w.saysIn("the failure", failed.shown(), "*A step failed: Refund it.*", "order id: *A-1001*", "[Retry] [Skip] [Abort] [Skip with a value…] [Edit and continue…]")
	if got := opens(w, "bob", failed, "Edit and continue…").shown(); !strings.Contains(got, "This cannot be done") {
		t.Errorf("somebody who may not say what becomes of the step sees\n%s", got)
	}
	m := opens(w, "ana", failed, "Edit and continue…")
	w.saysIn("the form", m.shown(), "counts for refund-1 alone", "3. Refund it", "What should be different?*")
	if a := fills(w, "ana", m, fields{".text": "remove 3"}); !strings.Contains(a.Errors[".text"], "refund-1 could not go on by this: it stands at") {
		t.Errorf("a change that does not fit is answered %+v", a)
	}
	if a := fills(w, "ana", m, fields{".text": "4. tell #general"}); a.ResponseAction != "close" {
		t.Fatalf("the change is answered %+v", a)
	}
	draft := w.untilMessage("#support", "the draft for the run", func(m message) bool {
		return m.Thread == status.TS && slices.Contains(m.buttons(), "Edit as file")
	})
	w.saysIn("the draft for the run", draft.shown(), "it changes *refund-1* alone", "Tell #general", "[Approve]")
	w.post("heal", fields{})
	w.click("ana", draft, "Approve")
	w.untilShown(draft, "Approved for *refund-1* alone by <@"+w.id("ana")+">")
	w.untilShown(failed, "Not asked any more")
	w.untilShown(status, "Done: Refund A-1001")
	w.untilShown(status, "refund a version of its own")
	w.untilMessage("#general", "the changed step", func(m message) bool { return strings.HasPrefix(m.Text, "Refund A-1001: amount") })
	if n := w.bookings(); n != 1 {
		t.Errorf("the shop has booked %d refunds", n)
	}

	if line := w.ask("ana", "#support", "list").shown(); !strings.Contains(line, "version 1") {
		t.Errorf("the flow has changed:\n%s", line)
	}
	w.flow("ana", "#support", "run refund order_id=A-1002")
	other := w.untilMessage("#support", "another run", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "A-1002") })
	w.click("fin", asked(w, other, "Approve"), "Approve")
	w.untilShown(other, "Done: Refund A-1002")
	w.untilShown(other, "refund version 1")
}
