package slack

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/engine"
)

// directory answers who people are from Slack, and remembers answers for a short while: long enough for a burst of questions,
// short enough that somebody who left a group cannot decide much longer.
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
)

func newDirectory(api *slackgo.Client, team, me string) *directory {
	return &directory{api: api, team: team, me: me, cache: map[string]remembered{}}
}

// cached gives a remembered answer or asks.
func cached[T any](d *directory, key string, age time.Duration, ask func() (T, error)) (T, error) {
	d.mu.Lock()
	r, ok := d.cache[key]
	d.mu.Unlock()
	if ok && time.Since(r.at) < age {
		return r.value.(T), nil
	}
	v, err := ask()
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

// Resolve finds a group, user or channel by "@name", "#name" or id.
func (d *directory) Resolve(ctx context.Context, name string) (engine.Principal, error) {
	bare := strings.TrimLeft(name, "@#")
	if !strings.HasPrefix(name, "#") {
		groups, err := d.groups(ctx)
		if err != nil {
			return engine.Principal{}, err
		}
		for _, g := range groups {
			if g.ID == bare || strings.EqualFold(g.Handle, bare) {
				return engine.Principal{Kind: "group", ID: g.ID, Name: "@" + g.Handle}, nil
			}
		}
		users, err := d.users(ctx)
		if err != nil {
			return engine.Principal{}, err
		}
		for _, u := range users {
			if u.ID == bare || strings.EqualFold(u.Name, bare) {
				return engine.Principal{Kind: "user", ID: u.ID, Name: "@" + u.Name}, nil
			}
		}
	}
	if strings.HasPrefix(name, "D") && bare == strings.ToUpper(bare) {
		return engine.Principal{Kind: "channel", ID: name, Name: "this conversation"}, nil
	}
	channels, err := d.channels(ctx)
	if err != nil {
		return engine.Principal{}, err
	}
	for _, c := range channels {
		if c.ID == bare || strings.EqualFold(c.Name, bare) {
			return engine.Principal{Kind: "channel", ID: c.ID, Name: "#" + c.Name}, nil
		}
	}
	return engine.Principal{}, fmt.Errorf("nobody and nothing here is called %s: %w", name, engine.ErrUnknownName)
}

func (d *directory) groups(ctx context.Context) ([]slackgo.UserGroup, error) {
	return cached(d, "groups", nameAge, func() ([]slackgo.UserGroup, error) {
		g, err := d.api.GetUserGroupsContext(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the user groups: %w", err)
		}
		return g, nil
	})
}

func (d *directory) users(ctx context.Context) ([]slackgo.User, error) {
	return cached(d, "users", peopleAge, func() ([]slackgo.User, error) {
		u, err := d.api.GetUsersContext(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the users: %w", err)
		}
		return u, nil
	})
}

func (d *directory) channels(ctx context.Context) ([]slackgo.Channel, error) {
	return cached(d, "channels", nameAge, func() ([]slackgo.Channel, error) {
		var all []slackgo.Channel
		q := &slackgo.GetConversationsParameters{Types: []string{"public_channel", "private_channel"}, ExcludeArchived: true, Limit: 1000}
		for {
			page, next, err := d.api.GetConversationsContext(ctx, q)
			if err != nil {
				return nil, fmt.Errorf("list the channels: %w", err)
			}
			all = append(all, page...)
			if next == "" {
				return all, nil
			}
			q.Cursor = next
		}
	})
}

// Members lists the user ids of a group or channel; of a user, that user.
func (d *directory) Members(ctx context.Context, p engine.Principal) ([]string, error) {
	switch p.Kind {
	case "user":
		return []string{p.ID}, nil
	case "group":
		return cached(d, "group:"+p.ID, memberAge, func() ([]string, error) {
			m, err := d.api.GetUserGroupMembersContext(ctx, p.ID)
			if err != nil {
				return nil, fmt.Errorf("list the members of %s: %w", p.Name, err)
			}
			return m, nil
		})
	}
	return cached(d, "channel:"+p.ID, memberAge, func() ([]string, error) {
		var all []string
		q := &slackgo.GetUsersInConversationParameters{ChannelID: p.ID, Limit: 1000}
		for {
			page, next, err := d.api.GetUsersInConversationContext(ctx, q)
			if err != nil {
				return nil, fmt.Errorf("list the members of %s: %w", p.ID, err)
			}
			all = append(all, page...)
			if next == "" {
				return all, nil
			}
			q.Cursor = next
		}
	})
}

// Hears says whether the bot is a member of a channel.
func (d *directory) Hears(ctx context.Context, channel string) (bool, error) {
	members, err := d.Members(ctx, engine.Principal{Kind: "channel", ID: channel})
	return slices.Contains(members, d.me), err
}

// Person describes a user.
func (d *directory) Person(ctx context.Context, id string) (engine.Person, error) {
	users, err := d.users(ctx)
	if err != nil {
		return engine.Person{}, err
	}
	i := slices.IndexFunc(users, func(u slackgo.User) bool { return u.ID == id })
	if i < 0 {
		u, err := d.api.GetUserInfoContext(ctx, id) // somebody of another workspace, in a shared channel
		if err != nil {
			return engine.Person{}, fmt.Errorf("look up %s: %w", id, err)
		}
		return person(*u), nil
	}
	return person(users[i]), nil
}

func person(u slackgo.User) engine.Person {
	return engine.Person{
		ID: u.ID, Name: u.Name, Team: u.TeamID, Zone: u.TZ, Active: !u.Deleted, Bot: u.IsBot || u.ID == "USLACKBOT",
		Guest: u.IsRestricted || u.IsUltraRestricted || u.IsStranger, Admin: u.IsAdmin || u.IsOwner,
	}
}
