package slack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/engine/people"
)

// directory looks up people in Slack, and caches the answers for a short while: long enough for a burst of questions, short enough that a person
// who left a group cannot decide much longer.
type directory struct {
	api  *slackgo.Client
	team string
	me   string // the bot's user id

	mu    sync.Mutex
	cache map[string]remembered
}

type remembered struct {
	at    time.Time
	value any
}

const (
	memberAge = time.Second // who belongs to a group or channel: asked anew for practically every click
	peopleAge = 10 * time.Second
	nameAge   = time.Minute
	cacheMost = 10_000

	// A read is tried again after a passing error of Slack, because a person waits for the result.
	askTries     = 3
	askPause     = 50 * time.Millisecond // doubled each time, when Slack does not say how long
	askPauseMost = time.Second           // of what Slack says
)

func newDirectory(api *slackgo.Client, team, me string) *directory {
	return &directory{api: api, team: team, me: me, cache: map[string]remembered{}}
}

// cached gives a remembered answer or asks.
func cached[T any](ctx context.Context, d *directory, key string, age time.Duration, ask func() (T, error)) (T, error) {
	d.mu.Lock()
	r, ok := d.cache[key]
	d.mu.Unlock()
	if ok && time.Since(r.at) < age {
		return r.value.(T), nil
	}
	v, err := ask()
	for try := range askTries - 1 {
		if err == nil || !pauseFor(ctx, err, askPause<<try) {
			break
		}
		v, err = ask()
	}
	if err != nil {
		return v, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.cache) >= cacheMost {
		clear(d.cache)
	}
	d.cache[key] = remembered{time.Now(), v}
	return v, nil
}

// forget drops every answer: Slack says that people have changed.
func (d *directory) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.cache)
}

// pauseFor waits after an error that may soon be over; false: it is another error.
func pauseFor(ctx context.Context, err error, pause time.Duration) bool {
	if limited, ok := errors.AsType[*slackgo.RateLimitedError](err); ok {
		pause = limited.RetryAfter
	}
	if !IsAway(err) || pause > askPauseMost {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// Resolve finds a group, user or channel by "@name", "#name" or id.
func (d *directory) Resolve(ctx context.Context, name string) (people.Principal, error) {
	bare := strings.TrimLeft(name, "@#")
	if !strings.HasPrefix(name, "#") {
		groups, err := d.groups(ctx)
		if err != nil {
			return people.Principal{}, err
		}
		for _, g := range groups {
			if g.ID == bare || strings.EqualFold(g.Handle, bare) {
				return people.Principal{Kind: "group", ID: g.ID, Name: "@" + g.Handle}, nil
			}
		}
		users, err := d.users(ctx)
		if err != nil {
			return people.Principal{}, err
		}
		if i := d.called(users, bare); i >= 0 {
			return people.Principal{Kind: "user", ID: users[i].ID, Name: "@" + users[i].Name}, nil
		}
	}
	if strings.HasPrefix(name, "D") && bare == strings.ToUpper(bare) {
		return people.Principal{Kind: "channel", ID: name, Name: "this conversation"}, nil
	}
	channels, err := d.channels(ctx)
	if err != nil {
		return people.Principal{}, err
	}
	for _, c := range channels {
		if c.ID == bare || strings.EqualFold(c.Name, bare) {
			return people.Principal{Kind: "channel", ID: c.ID, Name: "#" + c.Name}, nil
		}
	}
	return people.Principal{}, fmt.Errorf("nobody and nothing here is called %s: %w", name, people.ErrUnknownName)
}

// called finds somebody by id or name. Slack lists people of other workspaces beside ours: a name means none of them, or they could
// choose one that a flow asks.
func (d *directory) called(users []slackgo.User, name string) int {
	if i := slices.IndexFunc(users, func(u slackgo.User) bool { return u.ID == name }); i >= 0 {
		return i
	}
	named := func(deleted bool) func(slackgo.User) bool {
		return func(u slackgo.User) bool {
			return u.Deleted == deleted && strings.EqualFold(u.Name, name) && !d.person(u).Foreign
		}
	}
	if i := slices.IndexFunc(users, named(false)); i >= 0 {
		return i
	}
	return slices.IndexFunc(users, named(true))
}

func (d *directory) groups(ctx context.Context) ([]slackgo.UserGroup, error) {
	return cached(ctx, d, "groups", nameAge, func() ([]slackgo.UserGroup, error) {
		g, err := d.api.GetUserGroupsContext(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the user groups: %w", err)
		}
		return g, nil
	})
}

func (d *directory) users(ctx context.Context) ([]slackgo.User, error) {
	return cached(ctx, d, "users", peopleAge, func() ([]slackgo.User, error) {
		u, err := d.api.GetUsersContext(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the users: %w", err)
		}
		return u, nil
	})
}

func (d *directory) channels(ctx context.Context) ([]slackgo.Channel, error) {
	return cached(ctx, d, "channels", nameAge, func() ([]slackgo.Channel, error) {
		return pages("the channels", func(cursor string) ([]slackgo.Channel, string, error) {
			return d.api.GetConversationsContext(ctx, &slackgo.GetConversationsParameters{
				Types: []string{"public_channel", "private_channel"}, ExcludeArchived: true, Limit: 1000, Cursor: cursor,
			})
		})
	})
}

// pages reads a list that Slack gives page by page.
func pages[T any](what string, read func(cursor string) (page []T, next string, err error)) ([]T, error) {
	var all []T
	for cursor := ""; ; {
		page, next, err := read(cursor)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", what, err)
		}
		all = append(all, page...)
		if next == "" {
			return all, nil
		}
		cursor = next
	}
}

// Names lists what a question can offer: groups, active people of this workspace, and public channels. Private channels are not for
// everybody to know.
func (d *directory) Names(ctx context.Context) ([]string, error) {
	groups, err := d.groups(ctx)
	if err != nil {
		return nil, err
	}
	users, err := d.users(ctx)
	if err != nil {
		return nil, err
	}
	channels, err := d.channels(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, g := range groups {
		names = append(names, "@"+g.Handle)
	}
	for _, u := range users {
		if p := d.person(u); p.Active && !p.Bot && !p.Foreign {
			names = append(names, "@"+u.Name)
		}
	}
	for _, c := range channels {
		if !c.IsPrivate {
			names = append(names, "#"+c.Name)
		}
	}
	return names, nil
}

// Members lists the user ids of a group or channel; of a user, that user.
func (d *directory) Members(ctx context.Context, p people.Principal) ([]string, error) {
	switch p.Kind {
	case "user":
		return []string{p.ID}, nil
	case "group":
		return cached(ctx, d, "group:"+p.ID, memberAge, func() ([]string, error) {
			m, err := d.api.GetUserGroupMembersContext(ctx, p.ID)
			if err != nil {
				return nil, fmt.Errorf("list the members of %s: %w", p.Name, err)
			}
			return m, nil
		})
	}
	return cached(ctx, d, "channel:"+p.ID, memberAge, func() ([]string, error) {
		m, err := pages("the members of "+p.ID, func(cursor string) ([]string, string, error) {
			return d.api.GetUsersInConversationContext(ctx, &slackgo.GetUsersInConversationParameters{ChannelID: p.ID, Limit: 1000, Cursor: cursor})
		})
		if hasCode(err, "channel_not_found", "not_in_channel") {
			return nil, fmt.Errorf("%w: %w", people.ErrUnknownName, err)
		}
		return m, err
	})
}

// ChannelsOf lists the channels that a group's settings name and where the bot is a member. Slack adds the members of the group to them.
func (d *directory) ChannelsOf(ctx context.Context, p people.Principal) ([]string, error) {
	groups, err := d.groups(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(groups, func(g slackgo.UserGroup) bool { return g.ID == p.ID })
	if i < 0 {
		return nil, nil
	}
	var out []string
	for _, c := range slices.Concat(groups[i].Prefs.Channels, groups[i].Prefs.Groups) {
		ok, err := d.Hears(ctx, c)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, c)
		}
	}
	return out, nil
}

// direct gives the direct message with somebody.
func (d *directory) direct(ctx context.Context, user string) (string, error) {
	return cached(ctx, d, "direct:"+user, nameAge, func() (string, error) { return d.open(ctx, user) })
}

// open opens the direct message with somebody.
func (d *directory) open(ctx context.Context, user string) (string, error) {
	dm, _, _, err := d.api.OpenConversationContext(ctx, &slackgo.OpenConversationParameters{Users: []string{user}})
	if err != nil {
		return "", called(methodOpen, fmt.Errorf("open a direct message: %w", err))
	}
	return dm.ID, nil
}

// Hears says whether the bot is a member of a channel, at this moment.
func (d *directory) Hears(ctx context.Context, channel string) (bool, error) {
	c, err := d.api.GetConversationInfoContext(ctx, &slackgo.GetConversationInfoInput{ChannelID: channel})
	if hasCode(err, "channel_not_found") { // private, or between other people
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at the channel %s: %w", channel, err)
	}
	return c.IsMember || c.IsIM, nil
}

// Person describes a user.
func (d *directory) Person(ctx context.Context, id string) (people.Person, error) {
	users, err := d.users(ctx)
	if err != nil {
		return people.Person{}, err
	}
	i := slices.IndexFunc(users, func(u slackgo.User) bool { return u.ID == id })
	if i < 0 {
		u, err := d.api.GetUserInfoContext(ctx, id) // somebody of another workspace, in a shared channel
		if hasCode(err, "user_not_found", "user_not_visible", "users_not_found") {
			return people.Person{}, fmt.Errorf("nobody has the id %s: %w", id, people.ErrUnknownName)
		}
		if err != nil {
			return people.Person{}, fmt.Errorf("look up %s: %w", id, err)
		}
		return d.person(*u), nil
	}
	return d.person(users[i]), nil
}

// person reads what Slack says of a user. In an organisation with several workspaces (Enterprise Grid) team_id may be another than ours,
// and enterprise_user.teams lists all that the person is in. is_stranger is only said of people with whom no channel is shared: it is
// missing for most people of other workspaces.
func (d *directory) person(u slackgo.User) people.Person {
	teams := slices.Clone(u.Enterprise.Teams)
	ours := u.TeamID == d.team || slices.Contains(teams, d.team)
	if u.Enterprise.EnterpriseID != "" {
		teams = append(teams, u.Enterprise.EnterpriseID) // some deliveries name the organisation
	}
	return people.Person{
		ID: u.ID, Name: u.Name, Team: u.TeamID, Teams: teams, Zone: u.TZ, Active: !u.Deleted,
		Bot:   u.IsBot || u.IsWorkflowBot || u.IsConnectorBot || u.ID == "USLACKBOT",
		Guest: u.IsRestricted || u.IsUltraRestricted, Foreign: !ours || u.IsStranger, Admin: u.IsAdmin || u.IsOwner,
	}
}
