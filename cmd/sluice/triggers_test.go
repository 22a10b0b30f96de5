package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/storage"
	"sluice/storage/pgtest"
)

// townSeed has a guest and somebody of another workspace; eve is not in #support.
const townSeed = `
users:
  - {name: ana, tz: Europe/Berlin, admin: true}
  - {name: bob, tz: Europe/Berlin}
  - {name: fin, tz: Europe/Berlin}
  - {name: eve, tz: Europe/Berlin}
  - {name: gus, tz: Europe/Berlin, guest: true}
  - {name: stranger, tz: Europe/Berlin, team: TOTHER}
groups:
  - {handle: finance, members: [fin]}
channels:
  - {name: general, members: [ana, bob, fin, eve, gus, stranger, sluice]}
  - {name: support, members: [ana, bob, fin, gus, stranger, sluice]}
  - {name: finance, members: [ana, fin]}
`

// answering is the example of a refund, with what starts it. It tells #general, in words that would start it again if the bot heard
// itself.
func answering(t *testing.T, triggers string) string {
	t.Helper()
	src := exampleFlow(t, "refund/flow.yaml")
	src = strings.Replace(src, `channel: "#support"`, `channel: "#general"`, 1)
	src = strings.Replace(src, "Refunded {{refund.result.amount}} EUR for order {{inputs.order_id}}", "It is done by a {{event.type}} of {{event.payload.from}}: refund {{inputs.order_id}}", 1)
	return strings.Replace(src, "\nflow:\n", "\ntriggers:\n"+triggers+"\nflow:\n", 1)
}

const (
	onMessage  = `  - message: {channel: "#general", match: "(?i)refund (?P<order_id>A-[0-9]+)(?P<about>.*)"}` + "\n"
	onReaction = `  - reaction: {emoji: moneybag}` + "\n"
)

// approved approves a card and waits for the revision.
func approved(w *world, user string, card message, revision int) message {
	w.Helper()
	w.click(user, card, "Approve")
	return w.untilMessage("#support", "the approved card", func(m message) bool {
		return m.TS == card.TS && strings.Contains(m.shown(), fmt.Sprint("Approved as version ", revision))
	})
}

// react puts an emoji on a message or takes it away.
func (w *world) react(user, channel, ts, emoji string, remove bool) {
	w.Helper()
	w.post("reaction", fields{"user": user, "channel": channel, "ts": ts, "name": emoji, "remove": remove})
}

// runsOf lists the runs of the refund, oldest first.
func runsOf(w *world) []storage.Run {
	w.Helper()
	var all []storage.Run
	w.look(func(ctx context.Context, s storage.Store) (err error) {
		all, err = s.Runs(ctx, storage.RunQuery{Flow: "refund"})
		return err
	})
	slices.Reverse(all)
	return all
}

// heardOut waits until the bot has worked on what was said or done at a message, and checks that there are still so many runs.
func heardOut(w *world, channel, ts, what string, runs int) {
	w.Helper()
	a := w.write("ana", channel, ts, "@Sluice list")
	w.private("ana", channel, a.Seq)
	if all := runsOf(w); len(all) != runs {
		w.Errorf("%s: there are %d runs instead of %d: %+v", what, len(all), runs, all)
	}
}

// statusIn waits for the status message of a run in somebody's thread, as it looks when the run is in a state.
func statusIn(w *world, channel, thread, state string) message {
	w.Helper()
	return w.untilMessage(channel, "a run in the thread that is "+state, func(m message) bool {
		tasks := slices.ContainsFunc(m.Blocks, func(b block) bool { return len(b.Tasks) > 0 })
		return m.Bot && m.Thread == thread && m.EphemeralTo == "" && tasks && strings.Contains(m.shown(), "*"+state+"*")
	})
}

// startOf reads how a run began.
func startOf(w *world, run storage.Run) (inputs, event map[string]any, via string) {
	w.Helper()
	w.look(func(ctx context.Context, s storage.Store) error {
		facts, err := s.FactsBySeq(ctx, run.ID, []int64{1})
		if err != nil {
			return err
		}
		var start struct{ Inputs, Event map[string]any }
		var actor struct{ Via string }
		if err := json.Unmarshal(facts[0].Actor, &actor); err != nil {
			return err
		}
		inputs, event, via = start.Inputs, start.Event, actor.Via
		err = json.Unmarshal(facts[0].Body, &start)
		inputs, event = start.Inputs, start.Event
		return err
	})
	return inputs, event, via
}

// TestTriggers tells how a message and a reaction start runs of an approved flow, and what starts none.
func TestTriggers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s setup) {
		s.secondPerson, s.seed = true, townSeed
		w := newWorld(t, s)
		card := w.put("ana", "", "refund.yaml", answering(t, onMessage+onReaction))
		for _, part := range []string{"A message in #general that says", "The reaction :moneybag:", "a second person must approve it"} {
			if !strings.Contains(card.shown(), part) {
				t.Errorf("the draft does not say %q:\n%s", part, card.shown())
			}
		}
		early := w.write("bob", "#general", "", "refund A-1003")
		heardOut(w, "#general", early.TS, "nothing is approved", 0)
		a := w.click("ana", card, "Approve")
		if line := w.private("ana", "#support", a.Seq).shown(); !strings.Contains(line, "a second person must approve it") {
			t.Errorf("ana's own approval is answered: %s", line)
		}
		approved(w, "fin", card, 1)
		messagesStart(w)
		reactionsStart(w)
		triggersRest(w)
	})
}

// messagesStart: what matches starts a run in the thread of the message; nothing else does.
func messagesStart(w *world) {
	w.Helper()
	w.fault(fields{"target": "socket", "kind": "duplicate", "method": "message"})
	said := w.write("bob", "#general", "", "please *refund* A-1003, or rather: refund A-1003 now & here, @ana")
	statusIn(w, "#general", said.TS, "Done")
	w.untilMessage("#general", "what the flow tells", func(m message) bool {
		return m.Bot && strings.Contains(m.Text, "It is done by a message of "+w.id("bob")+": refund A-1003")
	})
	heardOut(w, "#general", said.TS, "it was heard twice", 1)
	all := runsOf(w)
	if r := all[0]; r.By != w.id("bob") || r.Channel != said.Channel || r.Thread != said.TS {
		w.Errorf("the run is %+v", r)
	}
	inputs, event, via := startOf(w, all[0])
	wantEvent := map[string]any{"type": "message", "payload": map[string]any{
		"message": "please *refund* A-1003, or rather: refund A-1003 now & here, @ana", "from": w.id("bob"), "channel": said.Channel, "thread": said.TS, "ts": said.TS,
	}}
	if diff := cmp.Diff(wantEvent, event); diff != "" || via != "message" {
		w.Errorf("the run began via %s by another event: %s", via, diff)
	}
	if diff := cmp.Diff(map[string]any{"order_id": "A-1003", "reason": "other"}, inputs); diff != "" {
		w.Error(diff)
	}

	for _, c := range []struct{ user, channel, thread, text string }{
		{"bob", "#general", "", "I want my money back"},
		{"gus", "#general", "", "refund A-1002"},
		{"stranger", "#general", "", "refund A-1002"},
		{"bob", "#support", "", "refund A-1002"},
		{"bob", "#general", said.TS, "refund A-1002"},
	} {
		a := w.write(c.user, c.channel, c.thread, c.text)
		thread := c.thread
		if thread == "" {
			thread = a.TS
		}
		heardOut(w, c.channel, thread, c.user+" says "+c.text+" in "+c.channel, 1)
	}
	edited := w.write("bob", "#general", "", "nothing")
	w.post("edit", fields{"user": "bob", "channel": "#general", "ts": edited.TS, "text": "refund A-1002"})
	heardOut(w, "#general", edited.TS, "an edited message", 1)

	same := w.write("ana", "#general", "", "refund A-1003")
	if line := w.private("ana", "#general", same.Seq); !strings.Contains(line.shown(), "is the same thing (A-1003)") || !slices.Contains(line.buttons(), "Show refund-1") {
		w.Errorf("the same order is answered: %s", line.shown())
	}
	hidden := w.write("eve", "#general", "", "refund A-1003")
	if line := w.private("eve", "#general", hidden.Seq).shown(); !strings.Contains(line, "started for the same thing already") || strings.Contains(line, "ana") || strings.Contains(line, "bob") {
		w.Errorf("eve, who may not see the run, is told: %s", line)
	}
	heardOut(w, "#general", hidden.TS, "the same order again", 1)
}

// reactionsStart: an emoji on a message of the home channel starts one run, no matter who puts it there and how often.
func reactionsStart(w *world) {
	w.Helper()
	said := w.write("gus", "#support", "", "please refund A-1001 & be quick")
	w.react("bob", "#support", said.TS, "eyes", false)
	heardOut(w, "#support", said.TS, "another emoji", 1)
	for _, user := range []string{"gus", "stranger"} {
		w.react(user, "#support", said.TS, "moneybag", false)
		heardOut(w, "#support", said.TS, "the emoji of "+user, 1)
	}
	w.fault(fields{"target": "socket", "kind": "duplicate", "method": "reaction_added"})
	w.react("bob", "#support", said.TS, "moneybag", false)
	statusIn(w, "#support", said.TS, "Waiting")
	w.react("fin", "#support", said.TS, "moneybag", false)
	w.react("bob", "#support", said.TS, "moneybag", true)
	w.react("bob", "#support", said.TS, "moneybag", false)
	heardOut(w, "#support", said.TS, "more of the same emoji", 2)
	r := runsOf(w)[1]
	inputs, event, via := startOf(w, r)
	payload, _ := event["payload"].(map[string]any)
	if r.By != w.id("bob") || r.Thread != said.TS || via != "reaction" || event["type"] != "reaction" || inputs["order_id"] != "A-1001" {
		w.Errorf("the run %+v began via %s by %v with %v", r, via, event, inputs)
	}
	if payload["from"] != w.id("gus") || payload["message"] != "please refund A-1001 & be quick" || payload["reaction"] != "moneybag" {
		w.Errorf("the event is %v", payload)
	}
	w.untilMessage("#support", "the gate in the thread", func(m message) bool { return m.Thread == said.TS && slices.Contains(m.buttons(), "Approve") })
	inWords(w, "fin", said.TS, "approve")
	statusIn(w, "#support", said.TS, "Done")

	reply := w.write("bob", "#support", said.TS, "and refund A-1002 too")
	w.react("ana", "#support", reply.TS, "moneybag", false)
	w.untilMessage("#support", "a run for the reply", func(m message) bool {
		return m.Thread == said.TS && m.Bot && strings.Contains(m.shown(), "Refund A-1002")
	})

	vague := w.write("bob", "#support", "", "the usual, please")
	at := w.get("clock").Seq
	w.react("ana", "#support", vague.TS, "moneybag", false)
	line := w.private("ana", "#support", at).shown()
	if !strings.Contains(line, "Your :moneybag: did not start *refund*") || !strings.Contains(line, "order_id is missing") || !strings.Contains(line, "`/flow run refund order_id=A-1001") {
		w.Errorf("a message without an order is answered: %s", line)
	}
	heardOut(w, "#support", vague.TS, "a message without an order", 3)
	elsewhere := w.write("bob", "#general", "", "nothing to see")
	w.react("bob", "#general", elsewhere.TS, "moneybag", false)
	heardOut(w, "#general", elsewhere.TS, "an emoji in another channel", 3)
}

// triggersRest: a flow that is paused starts nothing, and neither does a trigger that the next revision does not have.
func triggersRest(w *world) {
	w.Helper()
	w.ask("ana", "#support", "pause refund because of the audit")
	held := w.write("bob", "#general", "", "refund A-1004")
	if line := w.private("bob", "#general", held.Seq).shown(); !strings.Contains(line, "Your message did not start *refund*") || !strings.Contains(line, "refund is paused by ana") {
		w.Errorf("a paused flow answers: %s", line)
	}
	w.ask("ana", "#support", "resume refund")
	heardOut(w, "#general", held.TS, "a paused flow", 3)

	card := w.put("ana", "", "refund.yaml", answering(w.T, onReaction))
	approved(w, "fin", card, 2)
	gone := w.write("bob", "#general", "", "refund A-1004")
	heardOut(w, "#general", gone.TS, "a trigger that is gone", 3)

	card = w.put("ana", "", "refund.yaml", answering(w.T, `  - message: {channel: "#finance", match: "x"}`+"\n"))
	a := w.click("fin", card, "Approve")
	if line := w.private("fin", "#support", a.Seq).shown(); !strings.Contains(line, "no channel of that name that both you and I are in") || !strings.Contains(line, "/invite") {
		w.Errorf("a channel without the bot is answered: %s", line)
	}
}

// TestKillWhileATriggerStarts kills the bot when it has a message, or a reaction, and nothing has come of it yet: the run starts once.
func TestKillWhileATriggerStarts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s setup) {
		s.apart, s.seed = true, townSeed
		if s.database != "" {
			s.database = pgtest.URL(t)
		}
		w := newWorld(t, s)
		approved(w, "ana", w.put("ana", "", "refund.yaml", answering(t, onMessage+onReaction)), 1)
		said := w.write("bob", "#general", "", "refund A-1003")
		w.bot.kill() // it may have been heard, stored, and acknowledged, or not
		w.startBot()
		statusIn(w, "#general", said.TS, "Done")

		asked := w.write("bob", "#support", "", "refund A-1002")
		w.fault(fields{"target": "api", "kind": "500", "method": "conversations.history", "times": 2})
		w.react("bob", "#support", asked.TS, "moneybag", false)
		poll(w, "the stored reaction", func() (keys []string, ok bool) {
			w.look(func(ctx context.Context, s storage.Store) error {
				rows, err := s.PendingInbox(ctx, 0, 9)
				for _, r := range rows {
					keys = append(keys, r.Key)
				}
				return err
			})
			return keys, slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, "reaction:") })
		})
		w.bot.kill()
		w.startBot()
		statusIn(w, "#support", asked.TS, "Done")
		heardOut(w, "#general", said.TS, "after the kills", 2)
		if n := w.untilBooked(2); n != 2 {
			t.Errorf("%d refunds were booked", n)
		}
	})
}

// TestRepeatedMessages: what Slack repeats after a lost ack starts nothing twice, and a message that it does not show at once is asked
// for again.
func TestRepeatedMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: townSeed})
	approved(w, "ana", w.put("ana", "", "refund.yaml", answering(t, onMessage+onReaction)), 1)
	for i, kind := range []string{"timeout", "drop", "duplicate"} {
		w.fault(fields{"target": "socket", "kind": kind, "method": "message"})
		order := fmt.Sprint("A-200", i)
		said := w.write("bob", "#general", "", "refund "+order)
		statusIn(w, "#general", said.TS, "Done")
		heardOut(w, "#general", said.TS, kind, i+1)
	}
	for i, kind := range []string{"429", "500"} {
		said := w.write("bob", "#support", "", fmt.Sprint("refund A-300", i))
		w.fault(fields{"target": "api", "kind": kind, "method": "conversations.history", "times": 1})
		w.react("bob", "#support", said.TS, "moneybag", false)
		statusIn(w, "#support", said.TS, "Done")
	}
}

// TestTriggersInWords drafts a flow whose words say what starts it.
func TestTriggersInWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: townSeed})
	root := w.write("ana", "#support", "", `@Sluice refund: when a message in #general says “refund <order_id>” or somebody reacts with :moneybag:, get the order from the shop, refund it`)
	card := drafted(w, root)
	for _, part := range []string{"A message in #general that says “refund &lt;order_id&gt;” starts it, and gives order id.", "The reaction :moneybag:"} {
		if !strings.Contains(card.shown(), part) {
			t.Errorf("the draft does not say %q:\n%s", part, card.shown())
		}
	}
	if strings.Contains(card.shown(), ":warning:") {
		t.Errorf("the draft warns of something:\n%s", card.shown())
	}
	approved(w, "ana", card, 1)
	said := w.write("eve", "#general", "", "Refund A-1003, please")
	statusIn(w, "#general", said.TS, "Done")
	wished := w.write("bob", "#support", "", "(refund A-1001)")
	w.react("bob", "#support", wished.TS, "moneybag", false)
	statusIn(w, "#support", wished.TS, "Done")
	if line := w.ask("ana", "#support", "list").shown(); !strings.Contains(line, "starts by messages in <#"+said.Channel+">, :moneybag:") {
		t.Errorf("the list shows: %s", line)
	}
	if line := w.ask("ana", "#support", "show refund").shown(); !strings.Contains(line, "The reaction :moneybag:") {
		t.Errorf("the flow is shown without what starts it:\n%s", line)
	}
}

// TestReactionInANamedChannel drafts a flow that a reaction in another channel starts: it starts there, by its members, and nowhere else.
func TestReactionInANamedChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{seed: townSeed})
	root := w.write("ana", "#support", "", `@Sluice bugs: as soon as somebody adds :bug: to a message in #general, tell #support "a bug"`)
	card := drafted(w, root)
	if !strings.Contains(card.shown(), "The reaction :bug: to a message in #general starts it.") || strings.Contains(card.shown(), ":warning:") {
		t.Errorf("the draft says:\n%s", card.shown())
	}
	approved(w, "ana", card, 1)
	runs := func() (all []storage.Run) {
		w.look(func(ctx context.Context, s storage.Store) (err error) {
			all, err = s.Runs(ctx, storage.RunQuery{Flow: "bugs"})
			return err
		})
		return all
	}
	for _, c := range []struct{ user, channel, emoji string }{
		{"ana", "#support", "bug"}, {"ana", "#general", "eyes"}, {"gus", "#general", "bug"}, {"stranger", "#general", "bug"},
	} {
		said := w.write("bob", c.channel, "", "it does not work")
		w.react(c.user, c.channel, said.TS, c.emoji, false)
		a := w.write("ana", c.channel, said.TS, "@Sluice list")
		w.private("ana", c.channel, a.Seq)
		if all := runs(); len(all) > 0 {
			t.Errorf("the :%s: of %s in %s started %+v", c.emoji, c.user, c.channel, all)
		}
	}
	said := w.write("bob", "#general", "", "it does not work")
	w.react("eve", "#general", said.TS, "bug", false) // she is not in #support, where the flow lives
	statusIn(w, "#general", said.TS, "Done")
	if all := runs(); len(all) != 1 || all[0].By != w.id("eve") || all[0].Channel != said.Channel || all[0].Thread != said.TS {
		t.Errorf("the runs are %+v", all)
	}
	if line := w.ask("ana", "#support", "list").shown(); !strings.Contains(line, "starts by :bug: in <#"+said.Channel+">") {
		t.Errorf("the list shows: %s", line)
	}
	a := w.write("ana", "#support", "", "@Sluice change bugs: use #finance instead of #general")
	next := w.untilMessage("#support", "the revised draft", func(m message) bool {
		return m.Bot && m.Seq > a.Seq && strings.Contains(m.shown(), "The reaction :bug: to a message in #finance starts it.")
	})
	refused := w.click("ana", next, "Approve")
	if line := w.private("ana", "#support", refused.Seq).shown(); !strings.Contains(line, "bugs starts by reactions in #finance, but there is no channel of that name that both you and I are in") {
		t.Errorf("a channel without the bot is answered: %s", line)
	}
}
