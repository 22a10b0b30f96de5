package slacksim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"sluice/bot/slacksim"
)

func TestGroupsAndAccountsChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := open(t, in(dir))
	finance := w.get("info", "").Groups[0].ID
	w.post("group", map[string]any{"group": "@finance", "members": []string{"bob", "@ana"}})
	w.post("user", map[string]any{"user": "fin", "deleted": true})
	if a := w.try("message", map[string]any{"user": "fin", "channel": "support", "text": "x"}); a.Error != "user_not_found" {
		t.Errorf("a deactivated person wrote: %+v", a)
	}
	if a := w.try("group", map[string]any{"group": "cooks"}); a.Error != "group_not_found" {
		t.Errorf("an unknown group: %+v", a)
	}
	w.abandon()
	again := open(t, in(dir))
	members, err := again.api.GetUserGroupMembers(finance)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{again.id("bob"), again.id("ana")}, members); diff != "" {
		t.Error(diff)
	}
	fin, err := again.api.GetUserInfo(again.id("fin"))
	if err != nil || !fin.Deleted {
		t.Errorf("fin is %+v: %v", fin, err)
	}
	again.post("reset", nil)
	if fin, err := again.api.GetUserInfo(again.id("fin")); err != nil || fin.Deleted {
		t.Errorf("after a reset fin is %+v: %v", fin, err)
	}
}

func TestPeopleOfAnotherWorkspaceHaveItsID(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) {
		o.Seed = slacksim.DefaultSeed()
		o.Seed.Users = append(o.Seed.Users, slacksim.SeedUser{Name: "guest", TZ: "UTC", Team: "T0OTHER"})
		o.Seed.Channels[1].Members = append(o.Seed.Channels[1].Members, "guest")
	})
	a := w.connect(nil)
	_, ts, err := w.api.PostMessage(w.id("support"), slack.MsgOptionText("go", true),
		slack.MsgOptionBlocks(slack.NewActionBlock("b", slack.NewButtonBlockElement("go", "v", text("Go")))))
	if err != nil {
		t.Fatal(err)
	}
	w.post("action", map[string]any{
		"user": "guest", "container": map[string]any{"channel": "support", "message_ts": ts}, "action_id": "go",
	})
	if e := a.nextInteraction(t, slack.InteractionTypeBlockActions); e.User.TeamID != "T0OTHER" {
		t.Errorf("the clicker's team is %q", e.User.TeamID)
	}
	who, err := w.api.AuthTest()
	if err != nil || who.TeamID == "T0OTHER" {
		t.Errorf("our team is %+v: %v", who, err)
	}
}

// TestWaitingAfterAClickFindsItsOutcome: the answer to a click comes when the bot has acked, so the seq in it must be one
// from before.
func TestWaitingAfterAClickFindsItsOutcome(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.connect(func(c *socketmode.Client, e socketmode.Event) {
		if e.Type == socketmode.EventTypeSlashCommand {
			if err := w.say(t.Context(), "done before the ack"); err != nil {
				t.Error(err)
			}
		}
		_ = c.Ack(*e.Request)
	})
	ran := w.post("command", command("ana", "go"))
	if ran.Seq >= w.get("info", "").Seq {
		t.Errorf("the command was answered with the seq %d of after its outcome", ran.Seq)
	}
	if m := w.get("state", "channel=support&wait=60s&after="+itoa(ran.Seq)).Messages; !contains(m, "done before") {
		t.Errorf("the state is %+v", m)
	}
}
