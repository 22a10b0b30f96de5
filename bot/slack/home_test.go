package slack

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/storage"
)

// No field of a Home lets somebody's words notify, link or format, and Slack takes it.
func TestHostileWordsInAHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := card.Card{}
	n := 0
	fill(reflect.ValueOf(&c.Page).Elem(), &n)
	for _, p := range c.Page {
		for _, item := range p.Items {
			for i := range item.Buttons {
				item.Buttons[i].Style, item.Buttons[i].Confirm.Text, item.Buttons[i].Confirm.Title = card.Danger, hostile, "<!channel> *qbold*"
			}
		}
	}
	blocks, _ := drawPage(c.Page)
	var wired []any
	if err := json.Unmarshal([]byte(wire(blocks)), &wired); err != nil {
		t.Fatal(err)
	}
	marks(t, "home", map[string]any{"blocks": wired})
	ana, err := w.app.people.Resolve(t.Context(), "@ana")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.app.Send(t.Context(), storage.Surface{ID: "home", Kind: surface.KindHome, User: ana.ID}, c); err != nil {
		t.Errorf("Slack refuses it: %v", err)
	}
}

// A Home has at most 100 blocks, and an item of which not all is shown has no button that decides.
func TestAHomeIsBounded(t *testing.T) {
	t.Parallel()
	yes := card.Button{Action: "gate.choose:1", Label: "Approve", Value: "g 0", Decides: true}
	show := card.Button{Action: "run.show", Label: "Show", Value: "r"}
	long := card.Item{Text: card.Textf("%s", strings.Repeat("word ", maxItem)), Buttons: []card.Button{yes, show}}
	blocks, short := drawPage([]card.Part{{Title: "Waiting", Items: []card.Item{long}}})
	if got := wire(blocks); !short || strings.Contains(got, "Approve") || !strings.Contains(got, "run.show") {
		t.Errorf("a long item is drawn, short %v: %s", short, got)
	}
	small := card.Item{Text: card.Textf("Approve it?"), Buttons: []card.Button{yes}}
	blocks, short = drawPage([]card.Part{{Items: []card.Item{small}}})
	if s, ok := blocks[0].(*slackgo.SectionBlock); short || len(blocks) != 1 || !ok || s.Accessory == nil {
		t.Errorf("a short item is drawn as %s", wire(blocks))
	}
	var many []card.Item
	for range maxHomeBlocks {
		many = append(many, card.Item{Text: card.Textf("text"), Buttons: []card.Button{yes, show}})
	}
	if blocks, short = drawPage([]card.Part{{Items: many}}); !short || len(blocks) != maxHomeBlocks {
		t.Errorf("%d blocks, short %v", len(blocks), short)
	}
}

// A click in a Home is stored without what the Home shows, and a message's shortcut without what nobody reads of the message.
func TestAClickInAHomeIsStoredSmall(t *testing.T) {
	t.Parallel()
	var e slackgo.InteractionCallback
	shortcut := `{"type":"message_action","user":{"id":"U1","name":"ana"},"message":{"text":"words","ts":"1.1","blocks":[{"text":"secret"}]},"view":{}}`
	if err := json.Unmarshal([]byte(shortcut), &e); err != nil {
		t.Fatal(err)
	}
	row, wanted, err := newWorld(t).app.address(t.Context(), delivery{kind: "interactive", payload: json.RawMessage(shortcut), data: &e})
	if text := string(row.Payload); err != nil || !wanted || strings.Contains(text, "secret") || !strings.Contains(text, `"words"`) || !strings.Contains(text, `"U1"`) {
		t.Errorf("a shortcut is stored as %s, %v (%v)", text, wanted, err)
	}
	got, err := withoutHome(json.RawMessage(`{"type":"block_actions","user":{"id":"U1"},"view":{"id":"V1","type":"home","blocks":[{"text":"secret"}]}}`))
	if err != nil || strings.Contains(string(got), "secret") || !strings.Contains(string(got), `"V1"`) || !strings.Contains(string(got), `"U1"`) {
		t.Errorf("it is stored as %s (%v)", got, err)
	}
}
