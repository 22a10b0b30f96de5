package slacksim_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slack-go/slack"

	"sluice/bot/slacksim"
)

func TestMessagesAreEditedAndDeleted(t *testing.T) {
	t.Parallel()
	w := open(t)
	support := w.id("support")
	section := slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", "*first*", false, false), nil, nil)
	channel, ts, err := w.api.PostMessage(support, slack.MsgOptionText("first <you>", true), slack.MsgOptionBlocks(section))
	if err != nil || channel != support {
		t.Fatalf("posted to %s: %v", channel, err)
	}
	if _, _, _, err := w.api.UpdateMessage(support, ts, slack.MsgOptionText("second", true)); err != nil {
		t.Fatal(err)
	}
	m := w.get("state", "channel=support").Messages[0]
	if m.Text != "second" || !m.Edited || !strings.Contains(string(m.Blocks), "*first*") {
		t.Errorf("text alone must leave the blocks: %+v", m)
	}
	if _, _, _, err := w.api.UpdateMessage(support, ts, slack.MsgOptionBlocks()); err != nil {
		t.Fatal(err)
	}
	if m := w.get("state", "channel=support").Messages[0]; m.Text != "second" || string(m.Blocks) != "[]" {
		t.Errorf("an empty list must take the blocks away: %+v", m)
	}
	if _, _, err := w.api.DeleteMessage(support, ts); err != nil {
		t.Fatal(err)
	}
	if m := w.get("state", "channel=support").Messages[0]; !m.Deleted || m.Text != "" {
		t.Errorf("deleted: %+v", m)
	}
	if _, _, _, err := w.api.UpdateMessage(support, ts, slack.MsgOptionText("third", true)); !isError(err, "message_not_found") {
		t.Errorf("editing a deleted message: %v", err)
	}
}

func isError(err error, code string) bool {
	refused, ok := errors.AsType[slack.SlackErrorResponse](err)
	return ok && refused.Err == code
}

func TestWhatTheWebAPIRefuses(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *slacksim.Options) {
		o.Seed = slacksim.DefaultSeed()
		o.Seed.Channels = append(o.Seed.Channels,
			slacksim.SeedChannel{Name: "elsewhere", Members: []string{"ana"}},
			slacksim.SeedChannel{Name: "secret", Members: []string{"ana"}, Private: true},
			slacksim.SeedChannel{Name: "old", Members: []string{"ana", "sluice"}, Archived: true})
	})
	support, hers := w.id("support"), w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "mine"})
	post := func(channel string, options ...slack.MsgOption) func() error {
		return func() error { _, _, err := w.api.PostMessage(channel, options...); return err }
	}
	update := func(ts string, options ...slack.MsgOption) func() error {
		return func() error { _, _, _, err := w.api.UpdateMessage(support, ts, options...); return err }
	}
	_, own, err := w.api.PostMessage(support, slack.MsgOptionText("own", true))
	if err != nil {
		t.Fatal(err)
	}
	text := slack.MsgOptionText("words", true)
	meta := func(kind string) slack.MsgOption {
		return slack.MsgOptionMetadata(slack.SlackMetadata{EventType: kind, EventPayload: map[string]any{"k": "v"}})
	}
	cases := map[string]struct {
		do   func() error
		want string
	}{
		"an unknown channel":             {post("C0NOWHERE", text), "channel_not_found"},
		"a private channel":              {post(w.id("secret"), text), "channel_not_found"},
		"a channel without the bot":      {post(w.id("elsewhere"), text), "not_in_channel"},
		"an archived channel":            {post(w.id("old"), text), "is_archived"},
		"no text":                        {post(support), "no_text"},
		"blank text":                     {post(support, slack.MsgOptionText("  ", true)), "no_text"},
		"a long text":                    {post(support, slack.MsgOptionText(strings.Repeat("x", 40_001), true)), "msg_too_long"},
		"an unknown thread":              {post(support, text, slack.MsgOptionTS("1.000001")), "thread_not_found"},
		"metadata without a type":        {post(support, text, meta("")), "invalid_metadata_schema"},
		"an edit of a person's message":  {update(hers.TS, text), "cant_update_message"},
		"an edit of nothing":             {update("1.000001", text), "message_not_found"},
		"an edit that is too long":       {update(own, slack.MsgOptionText(strings.Repeat("x", 4001), true)), "msg_too_long"},
		"an edit that empties a message": {update(own, slack.MsgOptionText("", true), slack.MsgOptionBlocks()), "no_text"},
		"deleting a person's message":    {func() error { _, _, err := w.api.DeleteMessage(support, hers.TS); return err }, "cant_delete_message"},
		"a reaction given twice": {func() error {
			item := slack.NewRefToMessage(support, own)
			if err := w.api.AddReaction("eyes", item); err != nil {
				return err
			}
			return w.api.AddReaction("eyes", item)
		}, "already_reacted"},
		"taking back what was never given": {func() error {
			return w.api.RemoveReaction("tada", slack.NewRefToMessage(support, own))
		}, "no_reaction"},
		"an ephemeral message to an outsider": {func() error {
			_, err := w.api.PostEphemeral(w.id("bob"), w.id("ana"), text)
			return err
		}, "user_not_in_channel"},
		"an unknown user":  {func() error { _, err := w.api.GetUserInfo("U0NOBODY"); return err }, "user_not_found"},
		"an unknown group": {func() error { _, err := w.api.GetUserGroupMembers("S0NOBODY"); return err }, "no_such_subteam"},
		"history of a channel without the bot": {func() error {
			_, err := w.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: w.id("elsewhere")})
			return err
		}, "not_in_channel"},
		"a method that there is not": {func() error { _, err := w.api.GetEmoji(); return err }, "unknown_method"},
		"a wrong token": {func() error {
			_, err := slack.New("xoxb-wrong", slack.OptionAPIURL(w.http.URL+"/api/")).AuthTest()
			return err
		}, "invalid_auth"},
		"no token": {func() error {
			_, err := slack.New("", slack.OptionAPIURL(w.http.URL+"/api/")).AuthTest()
			return err
		}, "not_authed"},
		"the app token in place of the bot's": {func() error {
			_, err := slack.New("xapp-dev", slack.OptionAPIURL(w.http.URL+"/api/")).AuthTest()
			return err
		}, "not_allowed_token_type"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if err := c.do(); !isError(err, c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestThreadsAndMetadata(t *testing.T) {
	t.Parallel()
	w := open(t)
	support := w.id("support")
	root := w.post("message", map[string]any{"user": "ana", "channel": "support", "text": "root"})
	for _, key := range []string{"one", "two", "three"} {
		_, _, err := w.api.PostMessage(support, slack.MsgOptionText(key, true), slack.MsgOptionTS(root.TS),
			slack.MsgOptionMetadata(slack.SlackMetadata{EventType: "sluice_key", EventPayload: map[string]any{"key": key}}))
		if err != nil {
			t.Fatal(err)
		}
	}
	var keys []any
	cursor := ""
	for page := range 2 {
		list, more, next, err := w.api.GetConversationReplies(&slack.GetConversationRepliesParameters{
			ChannelID: support, Timestamp: root.TS, IncludeAllMetadata: true, Limit: 2, Cursor: cursor,
		})
		if err != nil {
			t.Fatal(err)
		}
		if list[0].Timestamp != root.TS || list[0].ReplyCount != 3 || more != (page == 0) {
			t.Errorf("page %d starts with %+v, more: %v", page, list[0], more)
		}
		for _, m := range list[1:] {
			keys = append(keys, m.Metadata.EventPayload["key"])
		}
		cursor = next
	}
	if diff := cmp.Diff([]any{"one", "two", "three"}, keys); diff != "" {
		t.Error(diff)
	}
	history, err := w.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: support})
	if err != nil {
		t.Fatal(err)
	}
	if len(history.Messages) != 1 || history.Messages[0].Text != "root" {
		t.Errorf("replies must stay out of the history: %+v", history.Messages)
	}
	list, _, _, err := w.api.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: support, Timestamp: root.TS})
	if err != nil || list[1].Metadata.EventType != "" {
		t.Errorf("metadata must be asked for: %+v, %v", list[1].Metadata, err)
	}
}

func TestEphemeralMessagesAreSeenByOnePersonAndByNoMethod(t *testing.T) {
	t.Parallel()
	w := open(t)
	support := w.id("support")
	if _, err := w.api.PostEphemeral(support, w.id("bob"), slack.MsgOptionText("for bob", true)); err != nil {
		t.Fatal(err)
	}
	m := w.get("state", "channel=support").Messages[0]
	if m.EphemeralTo != w.id("bob") {
		t.Errorf("ephemeral to %q", m.EphemeralTo)
	}
	history, err := w.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: support})
	if err != nil || len(history.Messages) != 0 {
		t.Errorf("history: %+v, %v", history, err)
	}
	if _, _, _, err := w.api.UpdateMessage(support, m.TS, slack.MsgOptionText("changed", true)); !isError(err, "message_not_found") {
		t.Errorf("editing an ephemeral message: %v", err)
	}
}

func TestDirectMessages(t *testing.T) {
	t.Parallel()
	w := open(t)
	channel, ts, err := w.api.PostMessage(w.id("ana"), slack.MsgOptionText("hello", true))
	if err != nil || !strings.HasPrefix(channel, "D") {
		t.Fatalf("posted to %s: %v", channel, err)
	}
	opened, _, already, err := w.api.OpenConversation(&slack.OpenConversationParameters{Users: []string{w.id("ana")}, ReturnIM: true})
	if err != nil || opened.ID != channel || !already || opened.User != w.id("ana") {
		t.Errorf("opened %+v, already %v: %v", opened, already, err)
	}
	if m := w.get("state", "channel=@ana").Messages; len(m) != 1 || m[0].TS != ts {
		t.Errorf("her direct message shows %+v", m)
	}
	if a := w.try("message", map[string]any{"user": "bob", "channel": "@ana", "text": "psst"}); a.Error != "not_in_channel" {
		t.Errorf("bob wrote into ana's direct message: %+v", a)
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	w := open(t)
	groups, err := w.api.GetUserGroups(slack.GetUserGroupsOptionIncludeUsers(true))
	if err != nil || len(groups) != 4 || groups[0].Handle != "finance" {
		t.Fatalf("groups %+v: %v", groups, err)
	}
	members, err := w.api.GetUserGroupMembers(groups[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{w.id("fin")}, members); diff != "" {
		t.Error(diff)
	}
	ana, err := w.api.GetUserInfo(w.id("ana"))
	if err != nil || ana.TZ != "Europe/Berlin" || !ana.IsAdmin || ana.IsBot {
		t.Errorf("ana is %+v: %v", ana, err)
	}
	users, err := w.api.GetUsers()
	if err != nil || len(users) != 4 {
		t.Errorf("%d users: %v", len(users), err)
	}
	byMail, err := w.api.GetUserByEmail("bob@example.com")
	if err != nil || byMail.ID != w.id("bob") {
		t.Errorf("by mail: %+v, %v", byMail, err)
	}
	channels, _, err := w.api.GetConversations(&slack.GetConversationsParameters{Types: []string{"public_channel"}})
	if err != nil || len(channels) != 3 {
		t.Errorf("%d channels: %v", len(channels), err)
	}
	in, _, err := w.api.GetUsersInConversation(&slack.GetUsersInConversationParameters{ChannelID: channels[1].ID, Limit: 2})
	if err != nil || len(in) != 2 {
		t.Errorf("members of %s: %v, %v", channels[1].Name, in, err)
	}
	info, err := w.api.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: channels[1].ID})
	if err != nil || info.Name != "support" || !info.IsMember {
		t.Errorf("support is %+v: %v", info, err)
	}
	who, err := w.api.AuthTest()
	if err != nil || who.UserID != w.id("sluice") || who.TeamID == "" || who.BotID == "" {
		t.Errorf("we are %+v: %v", who, err)
	}
	if _, err := w.api.GetTeamInfo(); err != nil {
		t.Error(err)
	}
	if bot, err := w.api.GetBotInfo(slack.GetBotInfoParameters{Bot: who.BotID}); err != nil || bot.UserID != who.UserID {
		t.Errorf("the bot is %+v: %v", bot, err)
	}
}
