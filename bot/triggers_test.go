package bot

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/drafts"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/triggers"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/trigger"
	"sluice/storage"
)

// wall is what stands in a workspace: messages by channel and time, files by their id.
type wall map[string]triggers.Message

func (w wall) React(context.Context, string, string, string) error { return nil }

func (w wall) File(_ context.Context, f request.File, _ int) ([]byte, error) {
	if m, ok := w[f.ID]; ok {
		return []byte(m.Text), nil
	}
	return nil, drafts.ErrFileGone
}

func (w wall) Message(_ context.Context, channel, ts string) (triggers.Message, error) {
	m, ok := w[channel+"/"+ts]
	if !ok {
		return m, triggers.ErrNoMessage
	}
	return m, nil
}

// listening has two flows that start by a message about an order, or by an emoji on one.
func listening(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, func(c *Config) {
		c.Slack = wall{"C1/7.1": {User: "eve", Thread: "7.0", Text: "refund A-7 please"}, "C1/8.0": {User: "bob", Text: "hello"}, "C2/7.1": {User: "bob", Text: "refund A-7"}}
	})
	for _, words := range []string{refundWords, "new look: 1. get the order"} {
		_, d := w.draft("ana", words)
		w.click("ana", "draft.approve", draft.Value(d))
		f := &flow.Flow{Name: d.Flow, Triggers: []flow.Trigger{
			{Message: &flow.MessageTrigger{Channel: "C1", Match: "never"}},
			{Message: &flow.MessageTrigger{Channel: "C1", Match: `(?P<order_id>A-\d+)`}},
			{Message: &flow.MessageTrigger{Channel: "C1", Match: `A-(?P<order_id>\d+)`}},
			{Reaction: &flow.ReactionTrigger{Emoji: "moneybag"}},
		}}
		rows, _, err := w.bot.Engine.TriggerRows(t.Context(), f, 1, "ana", "C1")
		if err == nil {
			err = w.store.Write(t.Context(), &storage.Batch{Triggers: rows})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// orders lists the runs as "name order thread", oldest first.
func (w *world) orders() string {
	w.Helper()
	rows, err := w.store.Runs(w.Context(), storage.RunQuery{})
	if err != nil {
		w.Fatal(err)
	}
	var out []string
	for i := range rows {
		r := rows[len(rows)-1-i]
		start, err := w.bot.Engine.StartOf(w.Context(), r.ID)
		if err != nil {
			w.Fatal(err)
		}
		out = append(out, fmt.Sprint(r.Name, " ", start.Inputs["order_id"], " ", r.Thread))
	}
	return strings.Join(out, ", ")
}

// One message starts each flow that answers to it, once, by its first trigger that matches; also when it was stopped half way.
func TestSeveralFlowsAnswerOneMessage(t *testing.T) {
	t.Parallel()
	w := listening(t)
	rows, err := w.store.TriggersOf(t.Context(), "look")
	if err != nil {
		t.Fatal(err)
	}
	o := engine.Occurrence{Key: "C1/5.0", Values: map[string]any{"order_id": "A-5"}, Actor: history.Actor{User: "bob"}, Channel: "C1", Thread: "5.0"}
	if _, err := w.bot.Engine.StartByTrigger(t.Context(), rows[1], o); err != nil { // as far as the process came that was killed
		t.Fatal(err)
	}
	in := request.Incoming{Kind: request.KindMessage, User: "bob", TS: "5.0", Text: "refund A-5 please"}
	for range 2 {
		if got := w.hear(in); len(got) != 0 {
			t.Errorf("bob is told %q", said(got))
		}
		if got := w.orders(); got != "look-1 A-5 5.0, refund-1 A-5 5.0" {
			t.Errorf("the runs are %s", got)
		}
	}
	answer := func() string {
		return said(w.hear(request.Incoming{Kind: request.KindMention, User: "fin", Thread: "5.0", Text: "answer approve"}))
	}
	if got := answer(); !strings.Contains(got, "Several runs live in this thread") || !strings.Contains(got, "`look-1`") || !strings.Contains(got, "`refund-1`") {
		t.Errorf("an answer in a thread with two runs is answered %q", got)
	}
	w.command("bob", "cancel look-1")
	if got := answer(); strings.Contains(got, "Several runs") || strings.Contains(got, "Which run") {
		t.Errorf("an answer to the only live run is answered %q", got)
	}
}

// A reply that gets the emoji starts runs in its thread. Another channel's flows, people who are not in the channel, and what is not there
// any more start none.
func TestAReactionStartsTheFlowsOfItsChannel(t *testing.T) {
	t.Parallel()
	w := listening(t)
	react := func(user, channel, ts string) string {
		return said(w.hear(request.Incoming{Kind: request.KindReaction, User: user, Channel: channel, TS: ts, Emoji: "moneybag"}))
	}
	for _, in := range [][3]string{{"eve", "C1", "7.1"}, {"bob", "C2", "7.1"}, {"bob", "C1", "9.9"}} {
		if got := react(in[0], in[1], in[2]); got != "" || w.orders() != "" {
			t.Errorf("the emoji of %v started %q and told %q", in, w.orders(), got)
		}
	}
	if got := react("bob", "C1", "8.0"); strings.Count(got, "Your :moneybag: did not start") != 2 || !strings.Contains(got, "order_id is missing") {
		t.Errorf("the emoji on a greeting is answered %q", got)
	}
	react("bob", "C1", "7.1")
	react("ana", "C1", "7.1")
	if got := w.orders(); got != "look-1 A-7 7.0, refund-1 A-7 7.0" {
		t.Errorf("the runs are %s", got)
	}
}

// A value of a sensitive input is nowhere else in the run. A person whose run was given up is told so.
func TestAMessageWithSomethingSensitive(t *testing.T) {
	t.Parallel()
	w := listening(t)
	rev, err := w.store.Revision(t.Context(), "look", 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := flow.FromJSON(rev.Body)
	if err != nil {
		t.Fatal(err)
	}
	f.Inputs[0].Sensitive = true
	rev.Number, rev.Body = 2, flow.Canonical(f)
	rows, err := w.store.TriggersOf(t.Context(), "look")
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i].Revision = 2
	}
	if err := w.store.Write(t.Context(), &storage.Batch{Flow: &storage.Flow{Name: "look", Head: 2, Channel: "C1", Owner: "ana"}, Revision: &rev, Triggers: rows}); err != nil {
		t.Fatal(err)
	}
	in := request.Incoming{Kind: request.KindMessage, User: "bob", Channel: "C1", TS: "5.0", Text: "A-5, I mean A-5"}
	w.hear(in)
	for name, want := range map[string]string{"look-1": "•••, I mean •••", "refund-1": in.Text} {
		r, err := w.store.RunByName(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		start, err := w.bot.Engine.StartOf(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := start.Event["payload"].(map[string]any)["message"]; got != want || start.Inputs["order_id"] != "A-5" {
			t.Errorf("%s began by %q with %v", name, got, start.Inputs)
		}
	}
	for _, c := range []struct {
		in   request.Incoming
		told bool
	}{
		{in, true},
		{request.Incoming{Kind: request.KindMessage, User: "bob", Channel: "C1", TS: "6.0", Text: "hello"}, false},
		{request.Incoming{Kind: request.KindReaction, User: "bob", Channel: "C1", TS: "6.0", Emoji: "moneybag"}, true},
		{request.Incoming{Kind: request.KindReaction, User: "bob", Channel: "C2", TS: "6.0", Emoji: "moneybag"}, false},
	} {
		before := len(w.surfaces("private"))
		if err := w.bot.GiveUp(t.Context(), c.in); err != nil {
			t.Fatal(err)
		}
		if told := len(w.surfaces("private")) > before; told != c.told {
			t.Errorf("%+v was given up, and told: %v", c.in, told)
		}
	}
}

// A trigger that cannot be read holds up no other, and one of an older revision starts nothing.
func TestTriggersThatDoNotCount(t *testing.T) {
	t.Parallel()
	w := listening(t)
	broken := storage.Trigger{ID: "a/message/0", Flow: "a", Revision: 1, Kind: trigger.Message, Subject: "C1", Body: []byte(`{"message":{"match":"("}}`)}
	old, err := w.store.TriggersOf(t.Context(), "look")
	if err != nil {
		t.Fatal(err)
	}
	old[1].Revision = 7
	if err := w.store.Write(t.Context(), &storage.Batch{Triggers: []storage.Trigger{broken, old[1]}}); err != nil {
		t.Fatal(err)
	}
	if got := w.hear(request.Incoming{Kind: request.KindMessage, User: "bob", TS: "5.0", Text: "refund A-5 please"}); len(got) != 0 {
		t.Errorf("bob is told %q", said(got))
	}
	if got := w.orders(); got != "refund-1 A-5 5.0" {
		t.Errorf("the runs are %s", got)
	}
	if got := w.command("ana", "list"); !strings.Contains(got, "*refund*  version 1, in <#C1>, owner <@ana>, starts by messages in <#C1>, :moneybag:") {
		t.Errorf("the list shows %q", got)
	}
}

// TestAMessageIsGivenByHand: who starts a flow that reads the message which starts it gives that message, and the clock cannot start it.
func TestAMessageIsGivenByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, d := w.draft("ana", `new bugs: when a message in #C1 contains bug, tell #C1 the message`)
	w.click("ana", "draft.approve", draft.Value(d))
	for _, c := range []struct{ command, want string }{
		{"run bugs", "Nothing was started: bugs works with the message that starts it."},
		{`run bugs message=" "`, "Nothing was started"},
		{"schedule bugs every Monday at 9", "the clock gives none"},
	} {
		if got := w.command("ana", c.command); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, not %q", c.command, got, c.want)
		}
	}
	ref := form.Ref{Owner: form.OfRun, Subject: "bugs"}.String()
	for _, words := range []string{"a bug in the shop", "another bug"} { // two messages are no double press
		w.hear(request.Incoming{Kind: request.KindSubmit, User: "ana", Value: ref, Form: map[string]string{trigger.MessageInput: words}})
	}
	rows, err := w.store.Runs(t.Context(), storage.RunQuery{})
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d runs: %v", len(rows), err)
	}
	start, err := w.bot.Engine.StartOf(t.Context(), rows[0].ID)
	if err != nil || !strings.Contains(fmt.Sprint(start.Event), "another bug") {
		t.Errorf("the run was started by %v: %v", start.Event, err)
	}
}
