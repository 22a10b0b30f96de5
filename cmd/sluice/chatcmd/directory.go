package chatcmd

import (
	"context"
	"strings"

	"sluice/engine/people"
)

// directory is the one of the configuration, to which the person who gives the commands is a member of every channel. Without one, people,
// groups and channels are known by what they are called alone.
type directory struct{ cfg Config }

// Resolve finds a group, user or channel; without a directory it takes what a flow names as it is.
func (d directory) Resolve(ctx context.Context, name string) (people.Principal, error) {
	if d.cfg.Directory != nil {
		return d.cfg.Directory.Resolve(ctx, name)
	}
	p := people.Principal{Kind: "group", ID: strings.TrimPrefix(name, "@"), Name: name}
	switch {
	case strings.HasPrefix(name, "#"), strings.HasPrefix(name, "C"), strings.HasPrefix(name, "G"), strings.HasPrefix(name, "D"):
		p.Kind, p.ID = "channel", name
	case strings.HasPrefix(p.ID, "U"), strings.HasPrefix(p.ID, "W"):
		p.Kind = "user"
	}
	return p, nil
}

// Members lists the members of a group or channel.
func (d directory) Members(ctx context.Context, p people.Principal) (all []string, err error) {
	if d.cfg.Directory != nil {
		all, err = d.cfg.Directory.Members(ctx, p)
	} else if p.Kind == "user" {
		all = []string{p.ID}
	}
	if p.Kind == "channel" {
		all = append(all, d.cfg.Person)
	}
	return all, err
}

// Person describes a user; without a directory, anybody is one.
func (d directory) Person(ctx context.Context, id string) (people.Person, error) {
	if d.cfg.Directory != nil {
		return d.cfg.Directory.Person(ctx, id)
	}
	return people.Person{ID: id, Name: id, Zone: d.cfg.Zone.String(), Active: true}, nil
}

// Names lists groups, people and channels.
func (d directory) Names(ctx context.Context) ([]string, error) {
	if l, ok := d.cfg.Directory.(people.Lister); ok {
		return l.Names(ctx)
	}
	return nil, nil
}

// called is how a person or a channel is called in what is printed: <@U1> and <#C1> in the texts of chat.
func (d directory) called(sigil, id string) string {
	if d.cfg.Directory == nil {
		return sigil + id
	}
	p, err := d.cfg.Directory.Resolve(context.Background(), id)
	if err != nil || !strings.HasPrefix(p.Name, sigil) {
		return sigil + id
	}
	return p.Name
}
