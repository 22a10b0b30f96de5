package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/trigger"
	"sluice/engine/usererror"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
)

// channels is a workspace whose names with # are channels; the bot is in those that it hears.
type channels struct {
	*town
	heard []string
}

func newChannels() channels {
	r := channels{town: newTown(), heard: []string{"#refunds", "#quiet"}}
	r.groups["#refunds"], r.groups["#quiet"], r.groups["#far"] = []string{"ana", "fin"}, []string{"fin"}, []string{"ana"}
	return r
}

func (r channels) Resolve(ctx context.Context, name string) (people.Principal, error) {
	p, err := r.town.Resolve(ctx, name)
	if strings.HasPrefix(name, "#") {
		p.Kind = "channel"
	}
	return p, err
}

func (r channels) Hears(_ context.Context, channel string) (bool, error) {
	return slices.Contains(r.heard, channel), nil
}

func byMessage(channel, match string) flow.Trigger {
	return flow.Trigger{Message: &flow.MessageTrigger{Channel: channel, Match: match}}
}

func byReaction(emoji, channel string) flow.Trigger {
	return flow.Trigger{Reaction: &flow.ReactionTrigger{Emoji: emoji, Channel: channel}}
}

func byWebhook(path string) flow.Trigger {
	return flow.Trigger{Webhook: &flow.WebhookTrigger{Path: path}}
}

// answering is a flow of which a revision answers to events.
func (w *world) answering(name string, revision int, triggers ...flow.Trigger) ([]storage.Trigger, error) {
	w.t.Helper()
	put, gone, err := w.engine.TriggerRows(w.t.Context(), &flow.Flow{Name: name, Triggers: triggers}, revision, "ana", "C1")
	if err == nil {
		w.write(&storage.Batch{Triggers: put, NoTrigger: gone})
	}
	return put, err
}

// The triggers of a flow are those of its newest revision; schedules are kept elsewhere.
func TestTriggersFollowTheRevision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.directory = newChannels()
	w.open()
	t.Cleanup(w.close)
	if _, err := w.answering("refund", 1, byCron("@daily"), byMessage("#refunds", "a(?P<x>b)"), byReaction("moneybag", ""), byWebhook("orders"), byReaction("bug", "#refunds")); err != nil {
		t.Fatal(err)
	}
	rows, err := w.store.TriggersOf(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		if r.Owner != "ana" || r.Channel != map[bool]string{true: "#refunds", false: "C1"}[r.Subject == "bug"] || r.Revision != 1 {
			t.Errorf("a row %+v", r)
		}
		got = append(got, r.Kind+" "+r.Subject)
	}
	if diff := cmp.Diff([]string{"message #refunds", "reaction moneybag", "webhook orders", "reaction bug"}, got); diff != "" {
		t.Error(diff)
	}
	if back, err := trigger.Decode(rows[0]); err != nil || back.Message.Match != "a(?P<x>b)" {
		t.Errorf("read back as %+v: %v", back.Message, err)
	}
	if _, err := w.answering("refund", 2, byWebhook("orders")); err != nil {
		t.Fatal(err)
	}
	if rows, err = w.store.TriggersOf(t.Context(), "refund"); err != nil || len(rows) != 1 || rows[0].Kind != trigger.Webhook || rows[0].Revision != 2 {
		t.Errorf("the next revision has %+v: %v", rows, err)
	}
}

// What nobody would hear, and a webhook that another flow has, is refused when it is approved.
func TestTriggersThatCannotBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := newChannels()
	w.directory = r
	w.open()
	t.Cleanup(w.close)
	if _, err := w.answering("other", 1, byWebhook("orders")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, code, says string
		trigger          flow.Trigger
	}{
		{"a channel that is not there", "unheard", "#nowhere", byMessage("#nowhere", "x")},
		{"a group", "unheard", "@finance", byMessage("@finance", "x")},
		{"a channel without the bot", "unheard", "#far", byMessage("#far", "x")},
		{"a channel without the approver", "unheard", "#quiet", byMessage("#quiet", "x")},
		{"reactions in a channel that is not there", "unheard", "starts by reactions in #nowhere", byReaction("x", "#nowhere")},
		{"reactions in a channel without the bot", "unheard", "#far", byReaction("x", "#far")},
		{"the webhook of another flow", "path_taken", "path is not free", byWebhook("orders")},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.answering("refund", 1, byMessage("#refunds", "x"), c.trigger)
			var ue *usererror.Error
			if !errors.As(err, &ue) || ue.Code != c.code || !strings.Contains(ue.Text, c.says) {
				t.Errorf("the answer is %v", err)
			}
		})
	}
	r.set(func() { r.away = "name" })
	_, err := w.answering("refund", 1, byMessage("#refunds", "x"))
	var ue *usererror.Error
	if err == nil || errors.As(err, &ue) {
		t.Errorf("a directory that is away: %v", err)
	}
	if rows, err := w.store.TriggersOf(t.Context(), "refund"); err != nil || len(rows) != 0 {
		t.Errorf("of what was refused there is %v: %v", rows, err)
	}
}

func TestMatchMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		match, text string
		want        map[string]any // nil = no match
	}{
		{`(?i)refund (?P<order_id>A-\d+)`, "please REFUND A-17 today", map[string]any{"order_id": "A-17"}},
		{`(?i)refund (?P<order_id>A-\d+)`, "refund it", nil},
		{``, "anything", map[string]any{}},
		{`^go$`, "go\nthen", nil},
		{`(?P<a>x)?(?P<b>y)`, "y", map[string]any{"b": "y"}},
		{`(?P<a>x*)y`, "y", map[string]any{"a": ""}},
	} {
		body, err := json.Marshal(byMessage("#refunds", c.match))
		if err != nil {
			t.Fatal(err)
		}
		got, ok, err := trigger.MatchMessage(storage.Trigger{Body: body}, c.text)
		if err != nil || ok != (c.want != nil) || !cmp.Equal(got, c.want) {
			t.Errorf("%q in %q gives %v, %v: %v", c.match, c.text, got, ok, err)
		}
	}
}

func message(key string, values map[string]any) engine.Occurrence {
	return engine.Occurrence{
		Key: key, Values: values, Payload: map[string]any{"message": "refund A-1", "from": "bob"}, Channel: "C7", Thread: "1.0",
		Actor: history.Actor{User: "bob", Via: history.ViaMessage},
	}
}

// An occurrence starts one run, however often it is told and by whom, and the run knows what it was.
func TestARunStartsByATriggerOnce(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if database == "postgres" {
				address := pgtest.URL(t)
				w.database = func(ctx context.Context) (storage.Store, error) { return postgres.Open(ctx, address) }
			}
			w.serve()
			w.save(quick)
			rows, err := w.answering("quick", 1, byWebhook("quick"))
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			got := make([]engine.Started, 6)
			for i := range got {
				wg.Go(func() {
					s, err := w.engine.StartByTrigger(t.Context(), rows[0], message("C7/1.0", map[string]any{"who": "ana", "other": 1}))
					if err != nil {
						t.Error(err)
					}
					got[i] = s
				})
			}
			wg.Wait()
			fresh := 0
			for _, s := range got {
				if s.Run.ID != got[0].Run.ID || s.Duplicate {
					t.Errorf("it started %+v and %+v", got[0].Run, s.Run)
				}
				if !s.Seen {
					fresh++
				}
			}
			if fresh != 1 {
				t.Errorf("%d of them started it", fresh)
			}
			v := w.ended(got[0].Run.ID, history.Succeeded)
			if r := v.Run; r.By != "bob" || r.Channel != "C7" || r.Thread != "1.0" {
				t.Errorf("the run is %+v", r)
			}
			start, err := w.engine.StartOf(t.Context(), got[0].Run.ID)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"type": "webhook", "payload": map[string]any{"message": "refund A-1", "from": "bob"}}
			if diff := cmp.Diff(want, start.Event); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(map[string]any{"who": "ana"}, start.Inputs); diff != "" {
				t.Error(diff)
			}
			again, err := w.engine.StartByTrigger(t.Context(), rows[0], message("C7/2.0", map[string]any{"who": "ana"}))
			if err != nil || again.Seen || again.Run.ID == got[0].Run.ID {
				t.Errorf("the next one started %+v: %v", again, err)
			}
		})
	}
}

// A start by a trigger follows the rules of every start.
func TestStartsByATriggerThatAreRefused(t *testing.T) {
	t.Parallel()
	w := refunds(t)
	rows, err := w.answering("refund", 1, byWebhook("refunds"))
	if err != nil {
		t.Fatal(err)
	}
	order := map[string]any{"order_id": "A-1"}
	refused := func(code string, key string, values map[string]any) {
		t.Helper()
		_, err := w.engine.StartByTrigger(t.Context(), rows[0], message(key, values))
		var ue *usererror.Error
		if !errors.As(err, &ue) || ue.Code != code {
			t.Errorf("instead of %s: %v", code, err)
		}
	}
	refused("bad_inputs", "C7/1", nil)
	if _, err := w.engine.PauseFlow(t.Context(), "", history.Actor{User: "ana"}, "", nil); err != nil {
		t.Fatal(err)
	}
	refused("paused", "C7/1", order)
	if _, err := w.engine.ResumeFlow(t.Context(), "", history.Actor{User: "ana"}, "", nil); err != nil {
		t.Fatal(err)
	}
	first, err := w.engine.StartByTrigger(t.Context(), rows[0], message("C7/1", order))
	if err != nil || first.Seen || first.Duplicate {
		t.Fatalf("%+v: %v", first, err)
	}
	same, err := w.engine.StartByTrigger(t.Context(), rows[0], message("C7/2", order))
	if err != nil || !same.Duplicate || same.Run.ID != first.Run.ID {
		t.Errorf("a taken key gives %+v: %v", same, err)
	}
	gone := rows[0]
	gone.Revision = 0
	if _, err := w.engine.StartByTrigger(t.Context(), gone, message("C7/3", order)); !errors.Is(err, engine.ErrTriggerGone) {
		t.Errorf("a trigger of another revision: %v", err)
	}
}
