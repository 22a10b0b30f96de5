package slacksim_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
)

func text(s string) *slack.TextBlockObject {
	return slack.NewTextBlockObject("plain_text", s, false, false)
}

// noteModal asks for a note, a person and how urgent it is.
func noteModal(title string) slack.ModalViewRequest {
	note := slack.NewPlainTextInputBlockElement(text("why"), "note")
	note.MaxLength = 10
	who := slack.NewOptionsSelectBlockElement(slack.OptTypeUser, text("who"), "who")
	urgent := slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, text("how"), "urgent",
		slack.NewOptionBlockObject("low", text("Low"), nil), slack.NewOptionBlockObject("high", text("High"), nil))
	return slack.ModalViewRequest{
		Type: slack.VTModal, Title: text(title), Submit: text("Send"), CallbackID: "note", PrivateMetadata: "run-1",
		NotifyOnClose: true,
		Blocks: slack.Blocks{BlockSet: []slack.Block{
			slack.NewInputBlock("note", text("Note"), nil, note),
			slack.NewInputBlock("who", text("Who"), nil, who).WithOptional(true),
			slack.NewInputBlock("urgent", text("Urgent"), nil, urgent).WithOptional(true),
		}},
	}
}

// submissions answers a submission by its note: what to do with the modal.
var submissions = map[string]*slack.ViewSubmissionResponse{
	"wrong":  slack.NewErrorsViewSubmissionResponse(map[string]string{"note": "not like this"}),
	"update": slack.NewUpdateViewSubmissionResponse(new(noteModal("Updated"))),
	"push":   slack.NewPushViewSubmissionResponse(new(noteModal("Pushed"))),
	"clear":  slack.NewClearViewSubmissionResponse(),
}

// modalApp opens a modal at every command and answers submissions.
func modalApp(t *testing.T, w *workspace) *app {
	return w.connect(func(c *socketmode.Client, e socketmode.Event) {
		switch data := e.Data.(type) {
		case slack.SlashCommand:
			if _, err := w.api.OpenView(data.TriggerID, noteModal("A note")); err != nil {
				t.Error(err)
			}
			_ = c.Ack(*e.Request)
		case slack.InteractionCallback:
			if data.Type != slack.InteractionTypeViewSubmission {
				_ = c.Ack(*e.Request)
				return
			}
			note := data.View.State.Values["note"]["note"].Value
			if answer := submissions[note]; answer != nil {
				_ = c.Ack(*e.Request, answer)
				return
			}
			_ = c.Ack(*e.Request)
		}
	})
}

func submission(viewID, note string) map[string]any {
	return map[string]any{
		"user": "ana", "view_id": viewID, "values": map[string]any{
			"note": map[string]any{"note": note}, "who": map[string]any{"who": "@bob"}, "urgent": map[string]any{"urgent": "high"},
		},
	}
}

func (w *workspace) openModal() view {
	w.t.Helper()
	w.post("command", map[string]any{"user": "ana", "channel": "support", "command": "/flow", "text": "note"})
	views := w.get("views", "user=ana").Views
	if len(views) != 1 {
		w.t.Fatalf("ana sees %d modals", len(views))
	}
	return views[0]
}

func TestSubmittedModals(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := modalApp(t, w)
	cases := []struct {
		note, action string
		titles       []string // of the stack afterwards
	}{
		{"fine", "close", nil},
		{"wrong", "errors", []string{"A note"}},
		{"update", "update", []string{"Updated"}},
		{"push", "push", []string{"A note", "Pushed"}},
		{"clear", "clear", nil},
	}
	for _, c := range cases {
		opened := w.openModal()
		got := w.post("submit", submission(opened.ID, c.note))
		if got.ResponseAction != c.action {
			t.Errorf("%s: response_action %q", c.note, got.ResponseAction)
		}
		if c.action == "errors" && got.Errors["note"] != "not like this" {
			t.Errorf("errors: %v", got.Errors)
		}
		var titles []string
		for _, v := range w.get("views", "user=ana").Views {
			titles = append(titles, v.Title.Text)
		}
		if diff := cmp.Diff(c.titles, titles); diff != "" {
			t.Errorf("%s: %s", c.note, diff)
		}
	}
	sent := a.nextInteraction(t, slack.InteractionTypeViewSubmission)
	values := sent.View.State.Values
	if sent.View.PrivateMetadata != "run-1" || values["who"]["who"].SelectedUser != w.id("bob") ||
		values["urgent"]["urgent"].SelectedOption.Value != "high" || sent.User.ID != w.id("ana") {
		t.Errorf("the app heard %+v", sent.View)
	}
}

// nextInteraction waits for a click, submission or the like.
func (a *app) nextInteraction(t *testing.T, kind slack.InteractionType) slack.InteractionCallback {
	t.Helper()
	for {
		e := a.next(t, socketmode.EventTypeInteractive).Data.(slack.InteractionCallback)
		if e.Type == kind {
			return e
		}
	}
}

func TestModalsRefuseBadInputWithoutAskingTheApp(t *testing.T) {
	t.Parallel()
	w := open(t)
	modalApp(t, w)
	id := w.openModal().ID
	cases := map[string]struct {
		values map[string]any
		want   string
	}{
		"a missing note":    {map[string]any{}, "invalid_input"},
		"a note too long":   {map[string]any{"note": map[string]any{"note": "far too many words"}}, "invalid_input"},
		"an unknown person": {map[string]any{"note": map[string]any{"note": "x"}, "who": map[string]any{"who": "eve"}}, "invalid_input"},
		"no such option":    {map[string]any{"note": map[string]any{"note": "x"}, "urgent": map[string]any{"urgent": "medium"}}, "invalid_input"},
		"no such block":     {map[string]any{"colour": map[string]any{"colour": "red"}}, "no_such_input"},
	}
	for name, c := range cases {
		if a := w.try("submit", map[string]any{"user": "ana", "view_id": id, "values": c.values}); a.Error != c.want {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := w.try("submit", submission("V0NONE", "x")); a.Error != "view_not_found" {
		t.Errorf("an unknown view was answered %+v", a)
	}
}

func TestClosedModalsTellTheApp(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := modalApp(t, w)
	w.post("close_view", map[string]any{"user": "ana", "view_id": w.openModal().ID})
	if e := a.nextInteraction(t, slack.InteractionTypeViewClosed); e.View.CallbackID != "note" || e.IsCleared {
		t.Errorf("the app heard %+v", e)
	}
	if views := w.get("views", "user=ana").Views; len(views) != 0 {
		t.Errorf("ana still sees %+v", views)
	}
}

func TestTriggersOpenOneModalWithinThreeSeconds(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	trigger := func() string {
		w.post("command", map[string]any{"user": "ana", "channel": "support", "command": "/flow", "text": ""})
		return a.next(t, socketmode.EventTypeSlashCommand).Data.(slack.SlashCommand).TriggerID
	}
	first := trigger()
	opened, err := w.api.OpenView(first, noteModal("A note"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.OpenView(first, noteModal("Again")); !isError(err, "exchanged_trigger_id") {
		t.Errorf("a used trigger was answered %v", err)
	}
	if _, err := w.api.OpenView("none", noteModal("Never")); !isError(err, "invalid_trigger_id") {
		t.Errorf("an unknown trigger was answered %v", err)
	}
	late := trigger()
	w.post("clock", map[string]any{"advance": "3100ms"})
	if _, err := w.api.OpenView(late, noteModal("Late")); !isError(err, "expired_trigger_id") {
		t.Errorf("an old trigger was answered %v", err)
	}
	if _, err := w.api.UpdateView(noteModal("Changed"), "", "0.OLD", opened.ID); !isError(err, "hash_conflict") {
		t.Errorf("an old hash was answered %v", err)
	}
	if _, err := w.api.UpdateView(noteModal("Changed"), "", opened.Hash, opened.ID); err != nil {
		t.Error(err)
	}
	if views := w.get("views", "user=ana").Views; views[0].Title.Text != "Changed" {
		t.Errorf("ana sees %+v", views)
	}
}

func TestTypedTextSurvivesAnUpdateOfTheModal(t *testing.T) {
	t.Parallel()
	w := open(t)
	modalApp(t, w)
	id := w.openModal().ID
	typed := w.post("action", map[string]any{
		"user": "ana", "container": map[string]any{"view_id": id}, "action_id": "note", "selected": "because",
	})
	if typed.Dispatched {
		t.Error("typing into an input without dispatch_action reached the app")
	}
	if _, err := w.api.UpdateView(noteModal("Changed"), "", "", id); err != nil {
		t.Fatal(err)
	}
	if v := w.get("views", "user=ana").Views[0]; !strings.Contains(string(v.State), "because") {
		t.Errorf("the state is %s", v.State)
	}
}

func TestHomeIsPublishedAndClicked(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	w.post("open_home", map[string]any{"user": "bob"})
	e := a.next(t, socketmode.EventTypeEventsAPI)
	var opened struct {
		Event struct{ Type, Tab, User string }
	}
	if err := json.Unmarshal(e.Request.Payload, &opened); err != nil {
		t.Fatal(err)
	}
	if opened.Event.Type != "app_home_opened" || opened.Event.Tab != "home" || opened.Event.User != w.id("bob") {
		t.Errorf("heard %+v", opened)
	}
	if v := w.get("home", "user=bob").View; v != nil {
		t.Errorf("an unpublished Home shows %+v", v)
	}
	home := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: []slack.Block{
		slack.NewActionBlock("waiting", slack.NewButtonBlockElement("show", "run-1", text("Show"))),
	}}}
	if _, err := w.api.PublishView(w.id("bob"), home, ""); err != nil {
		t.Fatal(err)
	}
	v := w.get("home", "user=bob").View
	w.post("action", map[string]any{"user": "bob", "container": map[string]any{"view_id": v.ID}, "action_id": "show"})
	click := a.nextInteraction(t, slack.InteractionTypeBlockActions)
	if click.View.Type != slack.VTHomeTab || click.ActionCallback.BlockActions[0].Value != "run-1" || click.TriggerID == "" {
		t.Errorf("the app heard %+v", click)
	}
}

func TestShortcuts(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	m := w.post("message", map[string]any{"user": "bob", "channel": "support", "text": "1. get the order"})
	w.post("shortcut", map[string]any{"user": "ana", "callback_id": "flow_new"})
	if e := a.nextInteraction(t, slack.InteractionTypeShortcut); e.CallbackID != "flow_new" || e.TriggerID == "" {
		t.Errorf("heard %+v", e)
	}
	w.post("shortcut", map[string]any{
		"user": "ana", "callback_id": "flow_from_message", "channel": "support", "message_ts": m.TS,
	})
	e := a.nextInteraction(t, slack.InteractionTypeMessageAction)
	if e.Message.Text != "1. get the order" || e.Channel.ID != m.Channel || e.ResponseURL == "" {
		t.Errorf("heard %+v", e)
	}
	if got := w.try("shortcut", map[string]any{"user": "ana", "callback_id": "none"}); got.Error != "unknown_shortcut" {
		t.Errorf("an unknown shortcut was answered %+v", got)
	}
}

func TestMenusInMessages(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	menu := slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, text("pick"), "pick",
		slack.NewOptionBlockObject("one", text("One"), nil), slack.NewOptionBlockObject("two", text("Two"), nil))
	day := slack.NewDatePickerBlockElement("day")
	_, ts, err := w.api.PostMessage(w.id("support"), slack.MsgOptionText("pick", true), slack.MsgOptionBlocks(
		slack.NewActionBlock("menus", menu, day, slack.NewButtonBlockElement("go", "", text("Go")))))
	if err != nil {
		t.Fatal(err)
	}
	act := func(action string, selected any) map[string]any {
		return map[string]any{
			"user": "ana", "container": map[string]any{"channel": "support", "message_ts": ts},
			"action_id": action, "selected": selected,
		}
	}
	if got := w.try("action", act("pick", "three")); got.Error != "invalid_selection" {
		t.Errorf("an option that there is not was answered %+v", got)
	}
	w.post("action", act("pick", "two"))
	w.post("action", act("day", "2026-01-31"))
	w.post("action", act("go", nil))
	if e := a.nextInteraction(t, slack.InteractionTypeBlockActions); e.ActionCallback.BlockActions[0].SelectedOption.Value != "two" {
		t.Errorf("heard %+v", e.ActionCallback.BlockActions[0])
	}
	if e := a.nextInteraction(t, slack.InteractionTypeBlockActions); e.ActionCallback.BlockActions[0].SelectedDate != "2026-01-31" {
		t.Errorf("heard %+v", e.ActionCallback.BlockActions[0])
	}
	values := a.nextInteraction(t, slack.InteractionTypeBlockActions).BlockActionState.Values["menus"]
	if values["pick"].SelectedOption.Value != "two" || values["day"].SelectedDate != "2026-01-31" {
		t.Errorf("the button carries %+v", values)
	}
}

// TestPickedWhileTheMessageWasEdited: an edit makes up other ids for blocks that have none, under the menus that people have open.
func TestPickedWhileTheMessageWasEdited(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	menu := func(name string) *slack.SelectBlockElement {
		return slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, text("who"), name, slack.NewOptionBlockObject("fin", text("Fin"), nil))
	}
	_, ts, err := w.api.PostMessage(w.id("support"), slack.MsgOptionText("who", true), slack.MsgOptionBlocks(
		slack.NewActionBlock("", menu("asked")), slack.NewActionBlock("", menu("one of two")), slack.NewActionBlock("", menu("one of two"))))
	if err != nil {
		t.Fatal(err)
	}
	ids := func() (out []string) {
		var blocks []struct {
			ID string `json:"block_id"`
		}
		if err := json.Unmarshal(w.get("state", "channel=support").Messages[0].Blocks, &blocks); err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			out = append(out, b.ID)
		}
		return out
	}
	before := ids()
	if _, _, _, err := w.api.UpdateMessage(w.id("support"), ts, slack.MsgOptionText("who", true), slack.MsgOptionBlocks(
		slack.NewDividerBlock(), slack.NewActionBlock("", menu("asked")), slack.NewActionBlock("", menu("one of two")), slack.NewActionBlock("", menu("one of two")))); err != nil {
		t.Fatal(err)
	}
	after := ids()
	pick := func(block, action string) map[string]any {
		return map[string]any{
			"user": "ana", "container": map[string]any{"channel": "support", "message_ts": ts}, "block_id": block, "action_id": action, "selected": "fin",
		}
	}
	w.post("action", pick(before[0], "asked"))
	if e := a.nextInteraction(t, slack.InteractionTypeBlockActions).ActionCallback.BlockActions[0]; e.BlockID != after[1] || e.SelectedOption.Value != "fin" {
		t.Errorf("heard %+v, want block %s of %s", e, after[1], after)
	}
	if got := w.try("action", pick(before[1], "one of two")); got.Error != "no_such_action" {
		t.Errorf("a choice from one of two menus that are alike was answered %+v", got)
	}
	w.post("action", pick(after[3], "one of two"))
	if e := a.nextInteraction(t, slack.InteractionTypeBlockActions).ActionCallback.BlockActions[0]; e.BlockID != after[3] {
		t.Errorf("heard %+v, want block %s of %s", e, after[3], after)
	}
}
