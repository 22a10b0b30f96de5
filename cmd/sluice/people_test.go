package main

import (
	"slices"
	"strings"
	"testing"
)

// peopleSeed has every sort of person in one shared channel, and channels that the bot is not in.
const peopleSeed = `
users:
  - {name: ana, tz: Europe/Berlin}
  - {name: bob, tz: Europe/Berlin}
  - {name: fin, tz: Europe/Berlin}
  - {name: gus, guest: true}
  - {name: max, multi_guest: true}
  - {name: sam, team: T0OTHER}
groups:
  - {handle: finance, members: [fin]}
channels:
  - {name: general, members: [ana, bob, fin, gus, max, sam, sluice]}
  - {name: support, members: [ana, bob, fin, gus, max, sam, sluice]}
  - {name: quiet, members: [ana, bob]}
`

// TestGuestsAndPeopleOfOtherTeamsDoNothing: on the wire, in a flow's home channel that they are members of.
func TestGuestsAndPeopleOfOtherTeamsDoNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: peopleSeed})
	status, card := waitingRefund(w)
	for _, user := range []string{"gus", "max", "sam"} {
		want := "Guests of this workspace can answer questions that name them"
		if user == "sam" {
			want = "I work for the people of this workspace alone"
		}
		for _, text := range []string{
			"run refund order_id=A-1002", "schedule refund \"* * * * *\" order_id=A-1003", "export refund", "try refund order_id=A-1", "cancel refund-1",
			"show refund", "list", "help", "new mine: 1. get the order", "fork refund-1 pay", "no such word",
		} {
			if said := w.ask(user, "#support", text).shown(); !strings.Contains(said, want) {
				t.Errorf("%s says %q and is answered:\n%s", user, text, said)
			}
		}
		at := w.click(user, card, "Approve").Seq
		if said := w.private(user, "#support", at).shown(); strings.Contains(said, "finance") || !strings.Contains(said, "no such") && !strings.Contains(said, want) {
			t.Errorf("%s clicks Approve and is answered:\n%s", user, said)
		}
		at = w.click(user, status, "Cancel").Seq
		if said := w.private(user, "#support", at).shown(); !strings.Contains(said, want) {
			t.Errorf("%s clicks Cancel and is answered:\n%s", user, said)
		}
	}
	if n := len(w.arrivals("POST")); n != 0 {
		t.Errorf("the shop got %d calls", n)
	}
	w.click("fin", card, "Approve")
	settled(w, status)
}

// TestACommandWhereTheBotIsNoMemberIsKept: the answer says what to do, and the button makes the draft, once.
func TestACommandWhereTheBotIsNoMemberIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: peopleSeed})
	said := w.ask("ana", "#quiet", "new peek: 1. get the order from the shop  2. tell #general")
	if text := said.shown(); !strings.Contains(text, "/invite @Sluice") || !strings.Contains(text, "new peek") || !slices.Contains(said.buttons(), "Try again") {
		t.Fatalf("ana is answered:\n%s", text)
	}
	at := w.click("ana", said, "Try again").Seq
	if again := w.private("ana", "#quiet", at); !slices.Contains(again.buttons(), "Try again") {
		t.Errorf("without an invitation it is answered:\n%s", again.shown())
	}
	w.post("join", fields{"user": "@Sluice", "channel": "#quiet"})
	w.click("ana", said, "Try again")
	card := w.untilMessage("#quiet", "the draft's card", func(m message) bool { return slices.Contains(m.buttons(), "Approve") })
	at = w.click("ana", said, "Try again").Seq
	if again := w.private("ana", "#quiet", at).shown(); !strings.Contains(again, "done already") {
		t.Errorf("the second click is answered:\n%s", again)
	}
	w.click("ana", card, "Approve")
	w.untilMessage("#quiet", "the approved card", func(m message) bool { return strings.Contains(m.shown(), "Approved as version 1") })
}
