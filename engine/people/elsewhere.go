package people

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sluice/engine/authority"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

// Elsewhere are the people who may answer a question and are not members of the conversation where it is asked.
type Elsewhere struct {
	Users    []string // user ids
	Channels []string // ids of the channels of groups that the question names, where the bot is
}

// GroupChannels is what a Directory is besides when it knows which channels belong to a group.
type GroupChannels interface {
	// ChannelsOf lists the ids of a group's channels where the bot is a member.
	ChannelsOf(ctx context.Context, p Principal) ([]string, error)
}

// Elsewhere lists who may answer a question of a run and is no member of a channel. A channel that the bot does not see has no members. A
// failed step is the business of its run's requester and of its flow's owner; admins, who may answer, too, are left out while there is one
// of them.
func (x *People) Elsewhere(ctx context.Context, row storage.Run, body gate.Body, channel string) (out Elsewhere, err error) {
	if x.directory == nil {
		return out, nil
	}
	about := gate.AskedOf(row, body)
	asked, may, err := x.able(ctx, about)
	if err != nil {
		return out, err
	}
	if about.Flow != "" {
		if may, err = x.concerned(ctx, about, may); err != nil {
			return out, err
		}
	}
	there, err := x.directory.Members(ctx, Principal{Kind: "channel", ID: channel, Name: channel})
	if err != nil && !errors.Is(err, ErrUnknownName) {
		return out, fmt.Errorf("list the members of the channel %s: %w", channel, err)
	}
	out.Users = slices.DeleteFunc(may, func(id string) bool { return slices.Contains(there, id) })
	known, ok := x.directory.(GroupChannels)
	if !ok {
		return out, nil
	}
	for _, p := range asked.who {
		if p.Kind != "group" {
			continue
		}
		channels, err := known.ChannelsOf(ctx, p)
		if err != nil {
			return out, fmt.Errorf("list the channels of %s: %w", p.Name, err)
		}
		out.Channels = append(out.Channels, channels...)
	}
	return out, nil
}

// concerned keeps the requester of a run and the owner of its flow, where there are any among those who may answer.
func (x *People) concerned(ctx context.Context, about gate.Asked, may []string) ([]string, error) {
	f, err := x.store.Flow(ctx, about.Flow)
	if err != nil {
		return nil, fmt.Errorf("find the flow's owner: %w", err)
	}
	near := slices.DeleteFunc(slices.Clone(may), func(id string) bool { return id != about.Requester && id != f.Owner })
	if len(near) == 0 {
		return may, nil
	}
	return near, nil
}

// readersMost is how many members of a channel are looked at.
const readersMost = 200

// AllMayRead reports whether every person in a channel may see what a question shows.
func (x *People) AllMayRead(ctx context.Context, row storage.Run, body gate.Body, channel string) (bool, error) {
	members, err := x.directory.Members(ctx, Principal{Kind: "channel", ID: channel, Name: channel})
	if err != nil || len(members) > readersMost {
		return false, err
	}
	about, err := x.AboutGate(ctx, row, body)
	if err != nil {
		return false, err
	}
	for _, id := range members {
		p, err := x.Principal(ctx, history.Actor{User: id})
		if err != nil {
			return false, err
		}
		if p.Standing == authority.Bot {
			continue
		}
		err = x.May(ctx, p, authority.ReadGate, about)
		if _, denied := errors.AsType[*authority.Denied](err); denied {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return true, nil
}
