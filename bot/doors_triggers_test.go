package bot

import (
	"encoding/json"
	"slices"
	"testing"

	"sluice/bot/request"
	"sluice/bot/triggers"
	"sluice/storage"
)

// triggerRows says who starts a run by what happens, by the name of the field in the flow's trigger.
var triggerRows = map[string][]string{
	"Message":  ours,    // who may write there
	"Reaction": readers, // who may start the flow by a command
	"Webhook":  ours,    // the flow's owner, in whose name the run is
	"Schedule": ours,    // likewise; engine/may_test.go
}

// TestEveryTriggerAsksForEverySortOfPerson: what is not said to the bot starts a run or is met with silence.
func TestEveryTriggerAsksForEverySortOfPerson(t *testing.T) {
	t.Parallel()
	for user := range sorts {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			p := newDoors(t)
			count := func() int {
				rows, err := p.store.Runs(t.Context(), storage.RunQuery{Flow: "ask"})
				if err != nil {
					t.Fatal(err)
				}
				return len(rows)
			}
			check := func(name string, in request.Incoming) {
				before := count()
				in.User = user
				if got := said(p.hear(in)); got != "" {
					t.Errorf("%s is answered %q", name, got)
				}
				if started := count() > before; started != slices.Contains(triggerRows[name], user) {
					t.Errorf("%s started a run: %v", name, started)
				}
			}
			check("Message", request.Incoming{Kind: request.KindMessage, Text: "start ask now"})
			check("Reaction", request.Incoming{Kind: request.KindReaction, Emoji: "ask", TS: "7.1"})
			before := count()
			head, err := p.store.Flow(t.Context(), "ask")
			if err != nil {
				t.Fatal(err)
			}
			head.Owner = user
			if err := p.store.Write(t.Context(), &storage.Batch{Flow: &head}); err != nil {
				t.Fatal(err)
			}
			payload, err := json.Marshal(triggers.Delivery{Path: "ask", Flow: "ask", ID: "1", Body: json.RawMessage(`{}`)})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.bot.Handle(t.Context(), request.Incoming{Kind: request.KindHook, Payload: payload}); err != nil {
				t.Fatal(err)
			}
			if started := count() > before; started != slices.Contains(triggerRows["Webhook"], user) {
				t.Errorf("a webhook of a flow that is theirs started a run: %v", started)
			}
		})
	}
}
