package slacksim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"sluice/bot/slacksim"
)

func command(user, text string) map[string]any {
	return map[string]any{"user": user, "channel": "support", "command": "/flow", "text": text}
}

func TestCommandsHaveEncodedTextAndAreAnswered(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(func(c *socketmode.Client, e socketmode.Event) {
		if data, ok := e.Data.(slack.SlashCommand); ok {
			answer := map[string]any{"text": "you said " + data.Text, "response_type": strings.Fields(data.Text)[0]}
			_ = c.Ack(*e.Request, answer)
			return
		}
		_ = c.Ack(*e.Request)
	})
	w.post("command", command("ana", "ephemeral @bob @finance #general "))
	sent := a.next(t, socketmode.EventTypeSlashCommand).Data.(slack.SlashCommand)
	want := "ephemeral <@" + w.id("bob") + "|bob> <!subteam^" + w.id("finance") + "|@finance> <#" + w.id("general") + "|general>"
	if sent.Text != want || sent.UserName != "ana" || sent.ChannelName != "support" || sent.Command != "/flow" {
		t.Errorf("the app heard %+v", sent)
	}
	m := w.get("state", "channel=support").Messages
	if len(m) != 1 || m[0].EphemeralTo != w.id("ana") || m[0].Text != "you said "+want {
		t.Errorf("ana sees %+v", m)
	}
	w.post("command", command("ana", "in_channel"))
	if m := w.get("state", "channel=support").Messages; len(m) != 2 || m[1].EphemeralTo != "" {
		t.Errorf("everybody sees %+v", m)
	}
}

func TestCommandsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) { o.AckTimeout = 30 * time.Millisecond })
	root := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "root"})
	inThread := command("ana", "list")
	inThread["thread_ts"] = root.TS
	if a := w.try("command", inThread); a.Error != "not_in_thread" {
		t.Errorf("in a thread: %+v", a)
	}
	unknown := command("ana", "")
	unknown["command"] = "/frob"
	if a := w.try("command", unknown); a.Error != "unknown_command" {
		t.Errorf("unknown: %+v", a)
	}
	if a := w.try("command", command("ana", "list")); a.Error != "dispatch_failed" || !strings.Contains(a.Text, "did not respond") {
		t.Errorf("without an app: %+v", a)
	}
	w.connect(silent)
	if a := w.try("command", command("ana", "list")); a.Error != "operation_timeout" || !strings.Contains(a.Text, "did not respond") {
		t.Errorf("without an ack: %+v", a)
	}
	m := w.get("state", "channel=support").Messages
	if last := m[len(m)-1]; last.UserName != "slackbot" || last.EphemeralTo != w.id("ana") {
		t.Errorf("ana was told %+v", last)
	}
}

// responseURL runs a command and gives its response_url.
func responseURL(t *testing.T, w *workspace, a *app) string {
	t.Helper()
	w.post("command", command("ana", "list"))
	return a.next(t, socketmode.EventTypeSlashCommand).Data.(slack.SlashCommand).ResponseURL
}

func TestResponseURLsWorkFiveTimesWithinThirtyMinutes(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	address := responseURL(t, w, a)
	say := func(kind string) error {
		_, _, err := w.api.PostMessage("", slack.MsgOptionText("an answer", true), slack.MsgOptionResponseURL(address, kind))
		return err
	}
	for n, kind := range []string{"ephemeral", "in_channel", "ephemeral", "ephemeral", "ephemeral"} {
		if err := say(kind); err != nil {
			t.Fatalf("use %d: %v", n+1, err)
		}
	}
	m := w.get("state", "channel=support").Messages
	if len(m) != 5 || m[0].EphemeralTo != w.id("ana") || m[1].EphemeralTo != "" {
		t.Errorf("the channel shows %+v", m)
	}
	if err := say("ephemeral"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("the sixth use was answered %v", err)
	}
	address = responseURL(t, w, a)
	w.post("clock", map[string]any{"advance": "31m"})
	if err := say("ephemeral"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("after 31 minutes: %v", err)
	}
}

func TestResponseURLsChangeEphemeralMessages(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.connect(nil)
	button := slack.NewActionBlock("b", slack.NewButtonBlockElement("go", "v", text("Go")))
	if _, err := w.api.PostEphemeral(w.id("support"), w.id("ana"), slack.MsgOptionText("for ana", true), slack.MsgOptionBlocks(button)); err != nil {
		t.Fatal(err)
	}
	ts := w.get("state", "channel=support").Messages[0].TS
	at := map[string]any{"channel": "support", "message_ts": ts}
	if got := w.try("action", map[string]any{"user": "bob", "container": at, "action_id": "go"}); got.Error != "message_not_found" {
		t.Errorf("bob clicked what only ana sees: %+v", got)
	}
	w.post("action", map[string]any{"user": "ana", "container": at, "action_id": "go"})
	click := a.nextInteraction(t, slack.InteractionTypeBlockActions)
	if !click.Container.IsEphemeral || click.Message.Timestamp != "" {
		t.Errorf("the app heard %+v, message %+v", click.Container, click.Message)
	}
	_, _, err := w.api.PostMessage("", slack.MsgOptionText("done", true), slack.MsgOptionReplaceOriginal(click.ResponseURL))
	if err != nil {
		t.Fatal(err)
	}
	if m := w.get("state", "channel=support").Messages; len(m) != 1 || m[0].Text != "done" || string(m[0].Blocks) != "[]" {
		t.Errorf("ana sees %+v", m)
	}
	if _, _, err := w.api.PostMessage("", slack.MsgOptionDeleteOriginal(click.ResponseURL)); err != nil {
		t.Fatal(err)
	}
	if m := w.get("state", "channel=support").Messages; !m[0].Deleted {
		t.Errorf("ana still sees %+v", m)
	}
}

func TestClicksWithoutTheAppFail(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) { o.AckTimeout = 30 * time.Millisecond })
	_, ts, err := w.api.PostMessage(w.id("support"), slack.MsgOptionText("go", true),
		slack.MsgOptionBlocks(slack.NewActionBlock("b", slack.NewButtonBlockElement("go", "v", text("Go")))))
	if err != nil {
		t.Fatal(err)
	}
	click := map[string]any{"user": "ana", "container": map[string]any{"channel": "support", "message_ts": ts}, "action_id": "go"}
	if a := w.try("action", click); a.Error != "dispatch_failed" {
		t.Errorf("without an app: %+v", a)
	}
	w.connect(silent)
	if a := w.try("action", click); a.Error != "operation_timeout" {
		t.Errorf("without an ack: %+v", a)
	}
}
