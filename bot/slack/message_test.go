package slack

import (
	"errors"
	"strings"
	"testing"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/engine/outbox"
)

// A message whose answer was lost is found by its key, also by somebody who does not know that it was tried.
func TestAMessageUnderOneKeyIsPostedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.surface("message-1")
	s.Kind, s.Channel = outbox.Kind, "#support"
	m := card.Message{Text: card.Plain("refunded <!channel> & more"), Key: "post:run/4/1/0"}
	first, err := w.app.Send(t.Context(), s, card.Card{Message: &m})
	if err != nil || first.TS == "" || first.Channel != w.channel("#support") {
		t.Fatal(first, err)
	}
	m.Seek = true
	again := s
	again.ID = "message-2"
	if second, err := w.app.Send(t.Context(), again, card.Card{Message: &m}); err != nil || second.TS != first.TS {
		t.Errorf("the second try gave %v, %v; the first %v", second.TS, err, first.TS)
	}
	m.Key, m.Only = "post:run/5/1/0", true
	if third, err := w.app.Send(t.Context(), s, card.Card{Message: &m}); err != nil || third.TS != "" {
		t.Errorf("a message that nobody wants was posted: %v, %v", third.TS, err)
	}
	m.Only = false
	if third, err := w.app.Send(t.Context(), s, card.Card{Message: &m}); err != nil || third.TS == "" || third.TS == first.TS {
		t.Errorf("another key gave %v, %v", third.TS, err)
	}
	if got := w.messages("#support")[0].Text; got != "refunded &lt;!channel&gt; &amp; more" {
		t.Errorf("text of a tool reached Slack as %q", got)
	}
}

// A message that Slack never takes is refused; on any other fault it waits.
func TestAMessageIsRefusedOrWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		name, channel, fault string
		own, refused         bool
	}{
		{"a channel that never was", "C0NOWHERE", "", false, true},
		{"a name that nobody has", "#nowhere", "", false, true},
		{"the bot was removed where the run lives", "C0NOWHERE", "", true, false},
		{"no channel", "", "", false, true},
		{"too long for Slack", "#support", "msg_too_long", false, true},
		{"archived", "#support", "is_archived", false, false},
		{"the token was revoked", "#support", "token_revoked", false, false},
		{"too many", "#support", "429", false, false},
	} {
		s := w.surface("message-" + strings.ReplaceAll(c.name, " ", "-"))
		s.Kind, s.Channel = outbox.Kind, c.channel
		if c.fault != "" {
			fault := map[string]any{"target": "api", "method": "chat.postMessage", "kind": c.fault, "times": 1}
			if c.fault != "429" {
				fault["kind"], fault["error"] = "refuse", c.fault
			}
			w.control("fault", fault)
		}
		_, err := w.app.Send(t.Context(), s, card.Card{Message: &card.Message{Text: card.Plain("hello"), Key: "post:" + s.ID, Own: c.own}})
		var refused *surface.RefusedError
		if err == nil || errors.As(err, &refused) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// What a model wrote is sent with its marks. Where other words would be read as marks, too, every piece says what it is.
func TestAMessageShowsTheMarksOfAModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	send := func(id, text string, model [][2]int) (string, int) {
		s := w.surface("message-" + id)
		s.Kind, s.Channel = outbox.Kind, "#support"
		m := card.Message{Text: card.Written(text, model), Marks: len(model) > 0, Key: "post:" + id}
		if _, err := w.app.Send(t.Context(), s, card.Card{Message: &m}); err != nil {
			t.Fatal(id, err)
		}
		got := w.messages("#support")
		last := got[len(got)-1]
		return last.Text, len(last.Blocks)
	}
	if text, blocks := send("marks", "Sum: **a** <!channel>", [][2]int{{5, 21}}); text != "Sum: *a* &lt;!channel&gt;" || blocks != 0 {
		t.Errorf("marks are sent as %q with %d blocks", text, blocks)
	}
	if text, blocks := send("others", "*Sum*: **a**", [][2]int{{7, 12}}); strings.Contains(text, "*Sum*") || blocks != 1 {
		t.Errorf("a person's marks are sent as %q with %d blocks", text, blocks)
	}
	if text, blocks := send("none", "*Sum*: **a**", nil); text != "*Sum*: **a**" || blocks != 0 {
		t.Errorf("what no model wrote is sent as %q with %d blocks", text, blocks)
	}
	long := strings.Repeat("**word** and more\n", 3000)
	if text, blocks := send("long", long, [][2]int{{0, len(long)}}); len(text) > 3000 || blocks < 4 {
		t.Errorf("a long text is sent as %d characters with %d blocks", len(text), blocks)
	}
}
