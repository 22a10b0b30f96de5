package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"sluice/engine/flow"
)

// slackAnswer is what the doctor reads of an answer of Slack's API.
type slackAnswer struct {
	OK      bool   `json:"ok"`
	Error   string `json:"error"`
	Needed  string `json:"needed"`
	Team    string `json:"team"`
	User    string `json:"user"`
	BotID   string `json:"bot_id"`
	Channel struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Archived bool   `json:"is_archived"`
		Member   bool   `json:"is_member"`
		DM       bool   `json:"is_im"`
	} `json:"channel"`
	Channels []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"channels"`
	Metadata struct {
		Next string `json:"next_cursor"`
	} `json:"response_metadata"`

	header http.Header
	took   time.Duration
}

// ask calls a method of Slack's API.
func (d *examination) ask(ctx context.Context, token, method string, params url.Values) (slackAnswer, error) {
	base := strings.TrimSuffix(cmp.Or(d.SlackAPIURL, "https://slack.com/api/"), "/") + "/"
	var a slackAnswer
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+method, strings.NewReader(params.Encode()))
	if err != nil {
		return a, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	began := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	a.header, a.took = res.Header, time.Since(began)
	body, err := io.ReadAll(io.LimitReader(res.Body, 4<<20))
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return a, fmt.Errorf("%s is no answer of Slack's", res.Status)
	}
	return a, nil
}

const checkBot, checkApp = "bot token", "app token"

func (d *examination) botToken(ctx context.Context) {
	const copyIt = "copy the Bot User OAuth Token (xoxb-...) of the app from OAuth & Permissions into SLACK_BOT_TOKEN; reinstall the app when there is none"
	if d.SlackBotToken == "" {
		d.say(Wrong, checkBot, "make the app with the manifest of sluice manifest, install it, and "+copyIt, "SLACK_BOT_TOKEN is not set: nothing can be read from Slack or sent there")
		return
	}
	a, err := d.ask(ctx, d.SlackBotToken, "auth.test", nil)
	switch {
	case err != nil:
		d.say(Wrong, checkBot, "open the way to Slack (HTTPS to slack.com), or correct SLACK_API_URL", "Slack does not answer: %v", err)
		return
	case !a.OK:
		d.say(Wrong, checkBot, copyIt, "Slack does not accept it (%s)", a.Error)
		return
	}
	d.slack = true
	if a.BotID == "" {
		d.say(Wrong, checkBot, copyIt, "it is a person's token (%s), not a bot's", a.User)
		return
	}
	d.say(Fine, checkBot, "", "it is @%s in %s", a.User, a.Team)
	d.scopes(a.header.Get("X-OAuth-Scopes"))
	if at, err := http.ParseTime(a.header.Get("Date")); err == nil {
		d.clock("Slack's", at.Add(time.Second/2).Sub(time.Now().Add(-a.took/2))) // the header has whole seconds
	}
}

// scopes compares what the token may do with what the manifest asks for.
func (d *examination) scopes(granted string) {
	const check = "scopes"
	if granted == "" {
		d.say(Warning, check, "compare OAuth & Permissions of the app with sluice manifest", "Slack does not tell which scopes the bot token has")
		return
	}
	var m struct {
		OAuth struct {
			Scopes struct {
				Bot []string `yaml:"bot"`
			} `yaml:"scopes"`
		} `yaml:"oauth_config"`
	}
	if err := yaml.Unmarshal([]byte(d.Manifest), &m); err != nil {
		d.say(Wrong, check, "", "the manifest cannot be read: %v", err)
		return
	}
	has := map[string]bool{}
	for s := range strings.SplitSeq(granted, ",") {
		has[strings.TrimSpace(s)] = true
	}
	var missing []string
	for _, s := range m.OAuth.Scopes.Bot {
		if !has[s] {
			missing = append(missing, s)
		}
	}
	if len(missing) > 0 {
		d.say(Wrong, check, "add them under OAuth & Permissions (or paste sluice manifest again) and reinstall the app to the workspace",
			"the bot token lacks %s: what needs it fails", strings.Join(missing, ", "))
		return
	}
	d.say(Fine, check, "", "the bot token has all %d that the manifest asks for", len(m.OAuth.Scopes.Bot))
}

func (d *examination) appToken(ctx context.Context) {
	const makeIt = "make an app-level token (xapp-...) with the scope connections:write under Basic Information, and put it into SLACK_APP_TOKEN"
	if d.SlackAppToken == "" {
		d.say(Wrong, checkApp, makeIt, "SLACK_APP_TOKEN is not set: no mention, command or click arrives")
		return
	}
	switch a, err := d.ask(ctx, d.SlackAppToken, "apps.connections.open", nil); {
	case err != nil:
		d.say(Wrong, checkApp, "open the way to Slack (HTTPS to slack.com), or correct SLACK_API_URL", "Slack does not answer: %v", err)
	case !a.OK && a.Error == "missing_scope":
		d.say(Wrong, checkApp, makeIt, "it lacks the scope connections:write")
	case !a.OK:
		d.say(Wrong, checkApp, makeIt+"; switch Socket Mode on", "Slack opens no connection for it (%s): no mention, command or click arrives", a.Error)
	default:
		d.say(Fine, checkApp, "", "Slack offers a connection (Socket Mode)")
	}
}

// events says what cannot be asked of Slack.
func (d *examination) events(context.Context) {
	if d.slack {
		d.say(Fine, "events", "", "Slack does not tell which events and clicks it sends: when mentions or buttons do nothing, compare Event Subscriptions and Interactivity of the app with sluice manifest")
	}
}

// channels looks at the channels that flows live in and post to.
func (d *examination) channels(ctx context.Context) {
	if !d.slack {
		return
	}
	users := map[string][]string{} // by channel, as it is written: flows
	note := func(channel, name string) {
		if channel != "" && !strings.Contains(channel, "{{") && !strings.HasPrefix(channel, "D") && !slices.Contains(users[channel], name) {
			users[channel] = append(users[channel], name)
		}
	}
	for _, row := range d.db.Flows {
		note(row.Channel, row.Name)
	}
	for _, f := range d.flows {
		for i := range f.Nodes {
			if t, ok := f.Nodes[i].Spec.(*flow.ToolSpec); ok && t.Tool == flow.PostMessage {
				channel, _ := t.Params["channel"].(string)
				note(channel, f.Name)
			}
		}
		for _, t := range f.Triggers {
			if in, _ := t.Channel(); in != nil {
				note(*in, f.Name)
			}
		}
	}
	var ids map[string]string
	for _, channel := range slices.Sorted(maps.Keys(users)) {
		id := channel
		if name, named := strings.CutPrefix(channel, "#"); named {
			if ids == nil {
				var err error
				if ids, err = d.channelIDs(ctx); err != nil {
					d.say(Warning, "channels", "", "the channels cannot be listed: %v", err)
					return
				}
			}
			id = ids[name]
		}
		d.channel(ctx, channel, id, strings.Join(users[channel], ", "))
	}
}

func (d *examination) channel(ctx context.Context, written, id, flows string) {
	check := "channel " + written
	if id == "" {
		d.say(Wrong, check, "create it, or invite the bot when it is private: /invite in the channel", "%s uses it, and the bot sees no such channel", flows)
		return
	}
	a, err := d.ask(ctx, d.SlackBotToken, "conversations.info", url.Values{"channel": {id}})
	switch {
	case err != nil:
		d.say(Warning, check, "", "Slack does not answer: %v", err)
	case !a.OK:
		d.say(Wrong, check, "invite the bot to it, or approve the flow in another channel", "%s uses it, and Slack does not show it to the bot (%s)", flows, a.Error)
	case a.Channel.Archived:
		d.say(Wrong, check, "unarchive #"+a.Channel.Name+", or change the flow", "%s uses #%s, which is archived: nothing can be posted there", flows, a.Channel.Name)
	case !a.Channel.Member && !a.Channel.DM:
		d.say(Wrong, check, "invite the bot: /invite in #"+a.Channel.Name, "%s uses #%s, and the bot is no member: nothing can be posted there", flows, a.Channel.Name)
	default:
		d.say(Fine, check, "", "the bot is a member of #%s, which %s uses", a.Channel.Name, flows)
	}
}

// channelIDs lists the channels that the bot sees, by name.
func (d *examination) channelIDs(ctx context.Context) (map[string]string, error) {
	ids := map[string]string{}
	for cursor := ""; ; {
		a, err := d.ask(ctx, d.SlackBotToken, "conversations.list", url.Values{"types": {"public_channel,private_channel"}, "limit": {"1000"}, "cursor": {cursor}})
		if err != nil {
			return nil, err
		}
		if !a.OK {
			return nil, fmt.Errorf("slack refuses conversations.list (%s)", a.Error)
		}
		for _, c := range a.Channels {
			ids[c.Name] = c.ID
		}
		if cursor = a.Metadata.Next; cursor == "" {
			return ids, nil
		}
	}
}
