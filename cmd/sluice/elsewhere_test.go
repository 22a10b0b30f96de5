package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// elsewhereSeed has people who decide and are not in the channel of the runs.
const elsewhereSeed = `
users:
  - {name: ana, tz: Europe/Berlin, admin: true}
  - {name: bob, tz: Europe/Berlin}
  - {name: fin, tz: Europe/Berlin}
  - {name: gil, tz: Europe/Berlin}
  - {name: eve, tz: Europe/Berlin}
groups:
  - {handle: finance, members: [fin, gil, bob]}
channels:
  - {name: general, members: [ana, bob, fin, gil, eve, sluice]}
  - {name: support, members: [ana, bob, sluice], private: true}
`

// spendFlow asks a group, with a reason for a refusal.
const spendFlow = `
name: spend
inputs:
  amount: {type: number, required: true}
  card: {type: string, default: "4711", sensitive: true}
flow:
  entry: gate
  nodes:
    - id: gate
      type: approval
      message: "Spend {{input.amount}}?"
      choices: [approve, reject]
      who: {groups: ["@finance"]}
      show: ["input.card", "input.amount"]
      form: {note: {required_for: [reject]}}
      deadline: {after: 72h, remind: 1h}
      routes: [{when: "approvals.gate == 'approve'", to: yes}, {default: true, to: end}]
    - {id: yes, type: say, message: "Spent.", routes: [{to: end}]}
`

// direct waits for a message to a person that fits.
func (w *world) direct(person, what string, fits func(message) bool) message {
	w.Helper()
	return w.untilMessage("@"+person, what, func(m message) bool { return m.Bot && !m.Deleted && fits(m) })
}

func asks(button string) func(message) bool {
	return func(m message) bool { return slices.Contains(m.buttons(), button) }
}

// TestDecidersElsewhere: those who may decide and are not in the channel are asked in direct messages, with the same buttons and forms; all
// copies say what came of it.
func TestDecidersElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: elsewhereSeed})
	approved(w, "ana", w.put("ana", "", "spend.yaml", spendFlow), 1)
	w.flow("ana", "#support", "run spend amount=12")
	status := theStatus(w)
	card := w.untilMessage("#support", "the question", func(m message) bool { return m.Thread == status.TS && asks("Reject…")(m) })
	fin, gil := w.direct("fin", "a copy", asks("Reject…")), w.direct("gil", "a copy", asks("Reject…"))
	if text := fin.shown(); !strings.Contains(text, "Spend 12?") || !strings.Contains(text, "•••") || strings.Contains(text, "4711") || fin.alt() != "" {
		t.Errorf("fin is shown\n%s", text)
	}

	// A copy gives no right: gil does not decide while he is not in the group.
	w.post("group", fields{"group": "finance", "members": []string{"fin", "bob"}})
	waits := func(words string) {
		poll(w, words+" for gil", func() (string, bool) { // who is in a group is remembered for a second
			text := w.ask("gil", "@gil", "approvals").shown()
			return text, strings.Contains(text, words)
		})
	}
	waits("Nothing waits for you")
	told := w.private("gil", "@gil", w.click("gil", gil, "Approve").Seq).shown()
	if !strings.Contains(told, "no such") || strings.Contains(told, "finance") {
		t.Errorf("gil, who has left the group, is told\n%s", told)
	}
	w.post("group", fields{"group": "finance", "members": []string{"fin", "gil", "bob"}})
	waits("Spend 12?")

	w.post("clock", fields{"advance": "61m"})
	for _, person := range []string{"fin", "gil"} {
		w.direct(person, "a reminder", func(m message) bool { return strings.Contains(m.shown(), "Still open since") })
	}

	late := opens(w, "gil", gil, "With a note…")
	m := opens(w, "fin", fin, "Reject…")
	if a := fills(w, "fin", m, fields{}); a.Errors["note"] == "" {
		t.Errorf("a refusal without its note is answered %+v", a)
	}
	fills(w, "fin", m, fields{"note": "too much, sorry"})
	for _, c := range []message{card, fin, gil} {
		after := w.untilIn(c, "*Reject* by <@"+w.id("fin"))
		if len(after.buttons()) != 0 || !strings.Contains(after.shown(), "too much, sorry") {
			t.Errorf("the decided question is\n%s", after.shown())
		}
	}
	fills(w, "gil", late, fields{".choice": "approve"})
	w.untilMessage("@gil", "what a late answer is told", func(m message) bool {
		return m.EphemeralTo == w.id("gil") && strings.Contains(m.shown(), "decided already")
	})
	for _, person := range []string{"fin", "gil"} {
		if n := len(filter(w.state("@"+person), func(m message) bool { return m.EphemeralTo == "" && strings.Contains(m.shown(), "*Spend 12?*") })); n != 1 {
			t.Errorf("%s has %d copies:\n%s", person, n, transcript(w.state("@"+person)))
		}
	}
	if all := w.state("@ana"); len(all) != 0 {
		t.Errorf("ana got\n%s", transcript(all))
	}
}

// TestCopiesAfterAKill: a kill between the post of a copy and its record makes no second one.
func TestCopiesAfterAKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{apart: true, seed: elsewhereSeed})
	approved(w, "ana", w.put("ana", "", "spend.yaml", spendFlow), 1)
	w.fault(fields{"target": "api", "kind": "hold", "method": "chat.postMessage", "after": "after_act", "contains": "Spend 12?", "times": 3})
	w.flow("ana", "#support", "run spend amount=12")
	poll(w, "two copies", func() (int, bool) {
		n := len(w.state("@fin")) + len(w.state("@gil"))
		return n, n == 2
	})
	w.bot.kill() // the copies are there, and it does not know it
	w.release()
	w.startBot()
	w.click("fin", w.direct("fin", "a copy", asks("Approve")), "Approve")
	for _, person := range []string{"fin", "gil"} {
		w.direct(person, "the decision", func(m message) bool { return strings.Contains(m.shown(), "*Approve* by <@"+w.id("fin")) })
		if all := w.state("@" + person); len(all) != 1 {
			t.Errorf("%s got\n%s", person, transcript(all))
		}
	}
}

// untilIn waits until a message shows words, wherever it is.
func (w *world) untilIn(m message, words string) message {
	w.Helper()
	return w.untilMessage(m.Channel, words, func(now message) bool { return now.TS == m.TS && strings.Contains(now.shown(), words) })
}

// TestALargeGroupIsAskedInItsChannel: of more than ten people elsewhere nobody gets a direct message. Their channel gets one card; where not
// everybody may see the question it does not show it. Without a channel they are told once a day.
func TestALargeGroupIsAskedInItsChannel(t *testing.T) {
	t.Parallel()
	var users, names []string
	for i := range 11 {
		names = append(names, fmt.Sprint("p", i))
		users = append(users, fmt.Sprintf("  - {name: p%d, tz: Europe/Berlin}", i))
	}
	all := strings.Join(names, ", ")
	seed := "users:\n  - {name: ana, tz: Europe/Berlin, admin: true}\n  - {name: bob, tz: Europe/Berlin}\n  - {name: zoe, tz: Europe/Berlin}\n" + strings.Join(users, "\n") + `
groups:
  - {handle: finance, channels: [money], members: [` + all + `]}
  - {handle: buyers, channels: [trade], members: [` + all + `]}
  - {handle: staff, members: [` + all + `]}
channels:
  - {name: support, members: [ana, bob, sluice]}
  - {name: money, members: [` + all + `, sluice]}
  - {name: trade, members: [` + all + `, zoe, sluice]}
`
	w := newWorld(t, setup{seed: seed})
	for _, group := range []string{"finance", "buyers", "staff"} {
		text := strings.NewReplacer("name: spend", "name: "+group, "@finance", "@"+group, "Spend", group, `["input.card", "input.amount"]`, "[input.amount]").Replace(spendFlow)
		approved(w, "ana", w.put("ana", "", group+".yaml", text), 1)
		w.flow("ana", "#support", "run "+group+" amount=3")
	}
	card := w.untilMessage("#money", "the question", asks("Approve"))
	closed := w.untilMessage("#trade", "that a question waits", func(m message) bool { return strings.Contains(m.shown(), "A question of *buyers-1* waits for") })
	w.untilMessage("#support", "the last question", func(m message) bool { return strings.Contains(m.shown(), "*staff 3?*") })
	w.post("clock", fields{"advance": "61m"})
	w.direct("p1", "the daily reminder", func(m message) bool { return strings.Contains(m.shown(), "/flow approvals") })
	w.untilMessage("#money", "a reminder", func(m message) bool { return strings.Contains(m.shown(), "Still open since") })
	w.post("clock", fields{"advance": "61m"})
	poll(w, "the second reminder", func() (int, bool) {
		n := len(filter(w.state("#money"), func(m message) bool { return strings.Contains(m.shown(), "Still open since") }))
		return n, n == 2
	})
	if all := w.state("@p1"); len(all) != 1 {
		t.Errorf("a member of three large groups got\n%s", transcript(all))
	}
	w.click("p3", card, "Approve")
	w.untilIn(card, "*Approve* by <@"+w.id("p3"))
	if text := transcript(w.state("#trade")); strings.Contains(text, "3?") || len(closed.buttons()) != 0 {
		t.Errorf("zoe, who may not see it, sees\n%s", text)
	}
}
