package slacksim_test

import (
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"
)

func TestMentionReachesTheAppTwice(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	sent := w.post("message", map[string]any{
		"user": "ana", "channel": "#support", "text": "@Sluice if 2 > 1 ask @finance and @bob in #general",
	})
	wantText := "<@" + w.id("sluice") + "> if 2 &gt; 1 ask <!subteam^" + w.id("finance") + "|@finance> and <@" +
		w.id("bob") + "> in <#" + w.id("general") + "|general>"
	kinds := map[string]bool{}
	for range 2 {
		e := a.next(t, socketmode.EventTypeEventsAPI).Data.(slackevents.EventsAPIEvent)
		kinds[e.InnerEvent.Type] = true
		switch inner := e.InnerEvent.Data.(type) {
		case *slackevents.AppMentionEvent:
			if inner.Text != wantText || inner.TimeStamp != sent.TS || inner.User != w.id("ana") {
				t.Errorf("mention: %+v", inner)
			}
		case *slackevents.MessageEvent:
			if inner.Text != wantText || inner.ChannelType != "channel" || inner.BotID != "" {
				t.Errorf("message: %+v", inner)
			}
		}
	}
	if !kinds["app_mention"] || !kinds["message"] {
		t.Errorf("heard %v, want app_mention and message", kinds)
	}
}

func TestClickReachesTheAppAndTheAnswerIsSeen(t *testing.T) {
	t.Parallel()
	w := open(t)
	answered := make(chan error, 2) // the answer is seen before its call returns, and the test must not end in between
	w.connect(func(c *socketmode.Client, e socketmode.Event) {
		_ = c.Ack(*e.Request)
		if e.Type != socketmode.EventTypeInteractive {
			return
		}
		click := e.Data.(slack.InteractionCallback)
		text := click.User.Name + " chose " + click.ActionCallback.BlockActions[0].Value
		_, _, _, err := w.api.UpdateMessage(click.Channel.ID, click.Message.Timestamp,
			slack.MsgOptionText(text, true), slack.MsgOptionBlocks())
		answered <- err
	})
	button := slack.NewButtonBlockElement("gate_approve", "run-1:gate-1", slack.NewTextBlockObject("plain_text", "Approve", false, false))
	_, ts, err := w.api.PostMessage(w.id("support"), slack.MsgOptionText("A gate", true),
		slack.MsgOptionBlocks(slack.NewActionBlock("gate", button.WithStyle(slack.StylePrimary))))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]any{"channel": "support", "message_ts": ts}
	if a := w.try("action", map[string]any{"user": "bob", "container": at, "action_id": "nothing"}); a.Error != "no_such_action" {
		t.Errorf("a missing button answered %+v", a)
	}
	w.post("action", map[string]any{"user": "bob", "container": at, "action_id": "gate_approve"})
	w.until("support", func(m []message) bool { return contains(m, "bob chose run-1:gate-1") })
	if a := w.try("action", map[string]any{"user": "bob", "container": at, "action_id": "gate_approve"}); a.Error != "no_such_action" {
		t.Errorf("a click on the gone button answered %+v", a)
	}
	w.post("action", map[string]any{
		"user": "bob", "container": at, "action_id": "gate_approve", "value": "late", "stale": true,
	})
	w.until("support", func(m []message) bool { return contains(m, "bob chose late") })
	for range 2 {
		if err := <-answered; err != nil {
			t.Error(err)
		}
	}
}

// TestChangesOfPeopleAndChannelsAreEvents: what an admin does reaches the app, also when the app itself is removed.
func TestChangesOfPeopleAndChannelsAreEvents(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	next := func(want string) any {
		t.Helper()
		e := a.next(t, socketmode.EventTypeEventsAPI).Data.(slackevents.EventsAPIEvent)
		if e.InnerEvent.Type != want {
			t.Fatalf("heard %s, want %s", e.InnerEvent.Type, want)
		}
		return e.InnerEvent.Data
	}
	w.post("user", map[string]any{"user": "bob", "deleted": true, "real_name": "Bob Gone", "tz": "Asia/Tokyo"})
	if e := next("user_change").(*slackevents.UserChangeEvent); e.User.ID != w.id("bob") || !e.User.Deleted || e.User.RealName != "Bob Gone" || e.User.TZ != "Asia/Tokyo" {
		t.Errorf("a changed user: %+v", e.User)
	}
	w.post("group", map[string]any{"group": "finance", "members": []string{"ana"}})
	if e := next("subteam_members_changed").(*slackevents.SubteamMembersChangedEvent); e.RemovedUsersCount != 1 || len(e.AddedUsers) != 1 || e.AddedUsers[0] != w.id("ana") {
		t.Errorf("a changed group: %+v", e)
	}
	w.post("leave", map[string]any{"user": "fin", "channel": "finance"})
	next("member_left_channel")
	w.post("leave", map[string]any{"user": "sluice", "channel": "finance"})
	if e := next("channel_left").(*slackevents.ChannelLeftEvent); !strings.HasPrefix(e.Channel, "C0FINAN") {
		t.Errorf("the app was removed from %s", e.Channel)
	}
	w.post("join", map[string]any{"user": "sluice", "channel": "finance"})
	next("member_joined_channel")
	if err := w.say(t.Context(), "before"); err != nil {
		t.Fatal(err)
	}
	next("message")
	w.post("archive", map[string]any{"user": "ana", "channel": "support"})
	next("channel_archive")
	_, _, _, err := w.api.UpdateMessage(w.id("support"), w.get("state", "channel=support").Messages[0].TS, slack.MsgOptionText("after", true))
	if err == nil || err.Error() != "is_inactive" {
		t.Errorf("an edit in an archived channel: %v", err)
	}
}
