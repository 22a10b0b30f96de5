package slack

import (
	"strings"

	slackgo "github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"sluice/bot/project"
)

// account is the bot's own account in a workspace.
type account struct {
	user string // id of the bot
	team string
	name string // in chat
	home string // address of the workspace, without "/" at the end
}

func newAccount(r *slackgo.AuthTestResponse) account {
	return account{user: r.UserID, team: r.TeamID, name: r.User, home: strings.TrimSuffix(r.URL, "/")}
}

// Name is the bot's name in chat.
func (a account) Name() string { return a.name }

// URL is the address of a message in the workspace, as Slack's *Copy link* gives it; "" without a message.
func (a account) URL(at project.Address) string {
	if at.TS == "" || a.home == "" {
		return ""
	}
	link := a.home + "/archives/" + at.Channel + "/p" + strings.ReplaceAll(at.TS, ".", "")
	if at.Thread != "" {
		link += "?thread_ts=" + at.Thread + "&cid=" + at.Channel
	}
	return link
}

// mention is how Slack writes the bot's name in a text.
func (a account) mention() string { return "<@" + a.user + ">" }

// withoutMention is a text without the first mention of the bot.
func (a account) withoutMention(text string) string {
	return strings.TrimSpace(strings.Replace(text, a.mention(), "", 1))
}

// addressed says whether a message is said to the bot: with a mention, or in a direct message.
func (a account) addressed(m *slackevents.MessageEvent) bool {
	return strings.Contains(m.Text, a.mention()) || strings.HasPrefix(m.Channel, "D")
}
