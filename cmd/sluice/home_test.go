package main

import (
	"slices"
	"strings"
	"testing"
)

// homeView is what the bot published in a person's Home.
type homeView struct {
	ID     string  `json:"id"`
	Blocks []block `json:"blocks"`
}

// home is what a person's Home shows, as a message in no channel.
func (w *world) home(person string) message {
	w.Helper()
	a := w.get("home?user=" + person)
	if a.View == nil {
		return message{}
	}
	return message{Blocks: a.View.Blocks, view: a.View.ID}
}

// visits opens a person's Home and waits until it shows what is looked for.
func visits(w *world, person, what string, fits func(string) bool) message {
	w.Helper()
	w.post("open_home", fields{"user": person})
	return untilHome(w, person, what, fits)
}

// untilHome waits until a person's Home shows what is looked for.
func untilHome(w *world, person, what string, fits func(string) bool) message {
	w.Helper()
	return poll(w, what+" in the Home of "+person, func() (message, bool) {
		m := w.home(person)
		return m, fits(m.shown())
	})
}

func showing(parts ...string) func(string) bool {
	return func(text string) bool {
		for _, part := range parts {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	}
}

// TestHome: a person's Home is useful at its first opening, follows what happens, and its buttons are those of the cards.
func TestHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	first := visits(w, "bob", "a welcome", showing("Welcome", "/invite @Sluice", "Nothing waits for you.", "[Vacation request]"))
	w.click("bob", first, "Vacation request")
	draft := w.untilMessage("@bob", "the draft of the starting point", func(m message) bool { return strings.Contains(m.shown(), "Vacation, draft 1") })
	if draft.Thread != "" || draft.EphemeralTo != "" {
		t.Errorf("the draft is not a message of its own:\n%s", draft.shown())
	}

	approved(w, "ana", w.put("ana", "", "vacation.yaml", vacationFlow), 1)
	visits(w, "ana", "the flow", showing("Your flows", "*vacation*  in <#", "[Run now…] [Show]"))
	untilHome(w, "bob", "the flow", showing("Your flows", "[Run now…] [Show]"))
	fills(w, "ana", opens(w, "ana", w.home("ana"), "Run now…"), fields{"from": "Monday"})
	running := untilHome(w, "ana", "the run", showing("Your runs", ":raised_hand: *Vacation from Monday*", "`vacation-1` · <http", "|Open its thread>"))
	if !strings.Contains(running.shown(), "/archives/") {
		t.Errorf("no link leads to the run:\n%s", running.shown())
	}
	asked := untilHome(w, "bob", "the question", showing("Waiting for you", "Vacation from Monday", "[Approve] [Reject…] [With a note…]"))
	if strings.Contains(running.shown(), "[Approve]") || strings.Contains(asked.shown(), "Your runs") {
		t.Errorf("ana sees\n%s\nbob sees\n%s", running.shown(), asked.shown())
	}

	fills(w, "bob", opens(w, "bob", asked, "Reject…"), fields{"reason": "too late"})
	untilHome(w, "bob", "that nothing waits", showing("Nothing waits for you."))
	untilHome(w, "ana", "the outcome", showing("*Vacation from Monday*\nRejected, "))
	approve, _ := asked.button("Approve")
	w.post("action", stale(press("bob", asked, approve)))
	w.untilMessage("@bob", "what became of an old button", func(m message) bool {
		return m.EphemeralTo == "" && strings.Contains(m.shown(), "This was decided already: *reject*, by <@"+w.id("bob")+">")
	})
	w.click("ana", w.home("ana"), "Show")
	w.untilMessage("@ana", "the run", func(m message) bool {
		return m.EphemeralTo == "" && strings.Contains(m.shown(), "*Rejected* by <@"+w.id("bob")+">")
	})
}

const shakyFlow = `
name: shaky
description: Gets an order that is not there
triggers: [{schedule: {cron: "0 9 * * 1", timezone: Europe/Berlin}}]
flow:
  entry: get
  nodes:
    - {id: get, type: tool, tool: shop.get_order, params: {order_id: "Z-9999"}, routes: [{to: end}]}
`

// TestHomeOfFailures: a failed run stands in the Home of a person who may decide what becomes of it, with the buttons of its card, and what
// the clock starts next for everybody who may read it. Nobody else sees either.
func TestHomeOfFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: `
users: [{name: ana, admin: true}, {name: bob}]
channels: [{name: general, members: [ana, bob, sluice]}, {name: hidden, private: true, members: [ana, sluice]}]
`})
	root := w.drop("ana", "#hidden", "", "@Sluice", "shaky.yaml", shakyFlow)
	draft := w.untilMessage("#hidden", "the draft", func(m message) bool { return m.Thread == root.TS && slices.Contains(m.buttons(), "Approve") })
	w.click("ana", draft, "Approve")
	next := visits(w, "ana", "the next start", showing("Next", "*shaky*", "<!date^", "[Run now] [Show]"))
	w.click("ana", next, "Run now")
	failed := untilHome(w, "ana", "the failure", showing("Failed", "A step failed", "[Retry]", "|Open its thread>"))
	if strings.Contains(failed.shown(), "Your runs\n:x:") {
		t.Errorf("the failed run is shown twice:\n%s", failed.shown())
	}
	if other := visits(w, "bob", "his Home", showing("Welcome", "Nothing waits")).shown(); strings.Contains(other, "shaky") {
		t.Errorf("bob sees what is hidden from him:\n%s", other)
	}
	w.click("ana", failed, "Abort")
	untilHome(w, "ana", "the end", func(text string) bool {
		return !strings.Contains(text, "Failed\n") && strings.Contains(text, "Stopped, ")
	})
}

// TestHomeOfALongQuestion: nobody decides in a Home on a question that is too long for it; a link leads to the card of the question.
func TestHomeOfALongQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	long := strings.Replace(vacationFlow, `message: "{{input.days}}`, `message: "`+strings.Repeat("read this, ", 500)+`{{input.days}}`, 1)
	approved(w, "ana", w.put("ana", "", "vacation.yaml", long), 1)
	w.flow("ana", "#support", "run vacation from=Monday")
	home := visits(w, "bob", "the way to the question", showing("Waiting for you", "*Vacation from Monday* asks more than there is room for here", "|Open its thread>"))
	if len(home.buttons()) == 0 || slices.Contains(home.buttons(), "Approve") {
		t.Errorf("the buttons are %q in\n%s", home.buttons(), home.shown())
	}
}
