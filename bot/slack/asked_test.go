package slack

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/bot"
	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/tool"
	"sluice/storage"
)

// chat is an office whose bot answers people.
type chat struct {
	*office
	bot *bot.Bot
}

func newChat(t *testing.T) *chat {
	t.Helper()
	o := newOffice(t, newWorld(t))
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	return &chat{o, bot.New(bot.Config{Engine: o.engine, Tools: tools, Directory: o.app.Directory(), Slack: o.app, Cards: o.projector.Cards, Wake: o.projector.Wake})}
}

// say has somebody write to the bot in #support; "" = not in a thread.
func (c *chat) say(user, thread, text string) {
	c.t.Helper()
	in := request.Incoming{Kind: request.KindMention, User: c.user(user), Team: c.app.team, Channel: c.channel("#support"), Thread: thread, TS: "7.1", Text: text}
	if err := c.bot.Handle(c.t.Context(), in); err != nil {
		c.t.Fatal(err)
	}
}

// start starts a run of a flow, asked for by bob.
func (c *chat) start(name string) storage.Run {
	c.t.Helper()
	s, err := c.engine.Start(c.t.Context(), engine.StartRequest{Flow: name, Channel: c.channel("#support"), Actor: history.Actor{User: c.user("bob"), Via: history.ViaCLI}})
	if err != nil {
		c.t.Fatal(err)
	}
	return s.Run
}

// A question that cannot be shown in full fails its step with a named error, and the requester is told. It can be neither skipped nor approved.
func TestAQuestionOverTheLimitIsNotAsked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.ask(&flow.ApprovalSpec{Message: strings.Repeat("Pay the invoice 1. ", run.MaxShown/19+1) + secretEnd}, "Pay")
	all := d.until("buttons", func(m string) bool { return strings.Contains(m, "gate.choose") })
	told := false
	for _, m := range all {
		text := wire(m)
		told = told || strings.Contains(text, "<@U9>: nobody was asked") && strings.Contains(text, fmt.Sprintf("at most %d in full", run.MaxShown))
		for _, button := range []string{`"Approve"`, `"Skip"`} {
			if strings.Contains(text, button) {
				t.Errorf("there is a button %s: %s", button, text)
			}
		}
	}
	if !told {
		t.Errorf("the requester is not told: %v", all)
	}
	v, err := d.engine.View(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if e := v.Latest("gate").Error; e == nil || e.Type != "GateTooLarge" || e.Node != "gate" {
		t.Errorf("the step has the error %+v", e)
	}
}

// Before the whole text of a question is in its thread neither a typed answer nor the list of questions decides; after that they do.
func TestATypedAnswerDecidesNothingBeforeTheQuestionIsThere(t *testing.T) {
	t.Parallel()
	c := newChat(t)
	c.approve("name: long\nflow: {entry: gate, nodes: [{id: gate, type: approval, message: '" + strings.Repeat("Pay the invoice 1. ", 1000) + secretEnd + "', routes: [{to: end}]}]}")
	c.control("fault", map[string]any{"target": "api", "method": "files.completeUploadExternal", "kind": "hold", "times": 1000})
	c.serve()
	r := c.start("long")
	m := c.until("#support", "Pay the invoice 1.", "then there are buttons")
	status := func() string {
		g, err := c.store.Gate(t.Context(), gate.ID(r.ID, 1))
		if err != nil {
			t.Fatal(err)
		}
		return g.Status
	}
	for range 2 {
		c.say("fin", m.ThreadTS, "answer approve")
		c.say("fin", "", "answer "+r.Name+" approve")
	}
	c.until("#support", "has not been shown in full yet")
	c.say("fin", "", "approvals")
	if list := c.until("#support", "Waiting for you"); strings.Contains(list.shown(), "gate.choose") || !strings.Contains(list.shown(), "decide on its card") {
		t.Errorf("the list shows %s", list.shown())
	}
	if now := status(); now != "open" {
		t.Fatalf("the question is %s", now)
	}
	c.control("heal", map[string]any{})
	c.control("release", map[string]any{})
	c.until("#support", "gate.choose", "read it before you decide")
	for deadline := time.Now().Add(patient); ; <-time.After(5 * time.Millisecond) { // that the buttons are there is noted after they are
		if hash, err := surface.ShownAt(t.Context(), c.store, gate.ID(r.ID, 1)); err != nil || hash != "" || time.Now().After(deadline) {
			break
		}
	}
	c.say("fin", m.ThreadTS, "answer approve")
	if now := status(); now == "open" {
		t.Error("the answer did not count")
	}
	c.until("#support", "*Approve* by")
}

// A draft that is too long for its card has Approve when its whole text is in the thread, and not before.
func TestALongDraftIsApprovedWhenItsWholeTextIsThere(t *testing.T) {
	t.Parallel()
	c := newChat(t)
	c.control("fault", map[string]any{"target": "api", "method": "files.completeUploadExternal", "kind": "hold", "times": 1000})
	c.serve()
	var steps []string
	for i := range 60 {
		steps = append(steps, fmt.Sprintf("%d. ask @finance to approve %s", i+1, strings.Repeat("an old invoice ", 15)))
	}
	in := request.Incoming{Kind: request.KindCommand, User: c.user("ana"), Team: c.app.team, Channel: c.channel("#support"), Text: "new long:\n" + strings.Join(steps, "\n")}
	if err := c.bot.Handle(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if m := c.until("#support", "draft.try", "then there are buttons"); strings.Contains(m.shown(), "draft.approve") {
		t.Errorf("it can be approved before its text is there: %s", m.shown())
	}
	c.control("heal", map[string]any{})
	c.control("release", map[string]any{})
	c.until("#support", "draft.approve", "read it before you decide")
	c.until("#support", "The whole draft", `"files"`)
}

// A button whose question would be cut before a click counts is not drawn.
func TestAButtonWhoseConfirmationIsCutIsNotDrawn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct {
		title, text int
		drawn       bool
	}{"all of it": {maxConfirmTitle, maxConfirm, true}, "a long text": {10, maxConfirm + 1, false}, "a long title": {maxConfirmTitle + 1, 10, false}} {
		c := card.Card{Text: said("Pay?"), Buttons: []card.Button{
			{Action: "run.cancel", Label: "Cancel", Value: "1", Confirm: &card.Confirm{Title: strings.Repeat("t", tt.title), Text: strings.Repeat("x", tt.text), Yes: "Yes", No: "No"}},
			{Action: "run.show", Label: "Show", Value: "1"},
		}}
		blocks, text := draw(c, nil, false)
		s := w.surface(name)
		if err := w.app.put(t.Context(), &s, blocks, text); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, m := range w.messages("#support") {
			if m.TS == s.TS {
				found = strings.Contains(m.shown(), "run.cancel")
				if !strings.Contains(m.shown(), "run.show") {
					t.Errorf("%s: the other button is gone", name)
				}
			}
		}
		if found != tt.drawn || w.app.Fits(c) != tt.drawn {
			t.Errorf("%s: drawn %v, fits %v", name, found, w.app.Fits(c))
		}
	}
}
