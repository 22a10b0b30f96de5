package bot

import (
	"strings"
	"testing"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
)

// list is what a dry run's card lists.
func list(all []card.Card) string {
	var out []string
	for _, c := range all {
		out = append(out, c.Title, c.Text.String())
		for _, s := range c.Sections {
			out = append(out, s.Text.String())
		}
		out = append(out, card.Join("\n", c.Context...).String())
	}
	return strings.Join(out, "\n")
}

// A draft can be tried by its button and by words; a name is that of an input or of a step.
func TestADraftIsTriedByButtonAndByWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, d := w.draft("ana", refundWords)
	asked := list(w.hear(request.Incoming{Kind: request.KindClick, User: "bob", Thread: thread, Action: "draft.try", Value: draft.Value(d)}))
	for _, part := range []string{"Refund: try it", "What is the *order id*?", "@Sluice try order_id=…"} {
		if !strings.Contains(asked, part) {
			t.Errorf("what a run is given is not asked for with %q:\n%s", part, asked)
		}
	}
	got := w.hear(request.Incoming{Kind: request.KindClick, User: "bob", Thread: thread, Action: "draft.try:any", Value: draft.Value(d)})
	text := list(got)
	for _, part := range []string{"Refund, tried", "Nothing was called", "As it is, it would get the order", "ask @finance “", "reply for example `try order_id=…"} {
		if !strings.Contains(text, part) {
			t.Errorf("the dry run does not say %q:\n%s", part, text)
		}
	}
	if len(got) != 1 || got[0].Picture == nil || !got[0].Picture.Overlay.Dry || got[0].Picture.Key == "" {
		t.Errorf("the dry run has no picture: %+v", got)
	}
	text = list(w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Thread: thread, Text: "try order_id=A-7"}))
	if !strings.Contains(text, "With order id A-7 it would get the order") {
		t.Errorf("with an input it says:\n%s", text)
	}
	if reply := list(w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: "order_id=A-7"})); reply != text {
		t.Errorf("a reply with nothing but the value is answered with:\n%s", reply)
	}
	if text := list(w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: "order_id=A-7, the red one"})); !strings.Contains(text, "With order id A-7, the red one it would") {
		t.Errorf("a value of several words is tried as:\n%s", text)
	}
	for words, want := range map[string]string{
		"try orderid=A-7": "Did you mean `order_id`?", "try refund": "no such flow", "try a b": "written name=value", "replay": "no run has finished yet",
	} {
		if got := said(w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Thread: thread, Text: words})); !strings.Contains(got, want) {
			t.Errorf("%q is answered with %q", words, got)
		}
	}
	if got := said(w.hear(request.Incoming{Kind: request.KindCommand, User: "ana", Text: "try"})); !strings.Contains(got, "Which flow?") {
		t.Errorf("outside of a draft's thread: %q", got)
	}
	if rows := w.surfaces(surface.KindStatus); len(rows) != 0 {
		t.Errorf("%d runs were started", len(rows))
	}
}

// A draft of a flow that has a revision can be replayed, an approved flow tried by its name; a person who may not read the flow learns nothing.
func TestReplayAndTryOfAnApprovedFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, d := w.draft("ana", refundWords)
	w.click("ana", "draft.approve", draft.Value(d))
	w.hear(request.Incoming{Kind: request.KindMessage, User: "ana", Thread: thread, Text: "2. ask @fin to approve"})
	next := w.newest(thread)
	if got := w.click("bob", "draft.replay", draft.Value(next)); !strings.Contains(got, "no run has finished yet") {
		t.Errorf("the replay is answered with %q", got)
	}
	if got := w.click("bob", "draft.try", draft.Value(d)); !strings.Contains(got, "approved already") {
		t.Errorf("the old draft's button is answered with %q", got)
	}
	if got := list(w.hear(request.Incoming{Kind: request.KindCommand, User: "bob", Text: "try refund order_id=A-1"})); !strings.Contains(got, "Refund, tried") {
		t.Errorf("the approved flow is answered with %q", got)
	}
	for _, verb := range []string{"try", "replay"} {
		hidden := said(w.hear(request.Incoming{Kind: request.KindCommand, User: "eve", Channel: "C2", Text: verb + " refund"}))
		missing := said(w.hear(request.Incoming{Kind: request.KindCommand, User: "eve", Channel: "C2", Text: verb + " nosuch"}))
		if strings.ReplaceAll(hidden, "refund", "nosuch") != missing {
			t.Errorf("%s: what is hidden is answered with %q, what does not exist with %q", verb, hidden, missing)
		}
		if got := said(w.hear(request.Incoming{Kind: request.KindClick, User: "eve", Channel: "C2", Action: "draft." + verb, Value: draft.Value(next)})); !strings.Contains(got, "no such flow or run") {
			t.Errorf("eve's click on %s is answered with %q", verb, got)
		}
	}
}
