package request

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"sluice/bot/form"
	"sluice/engine/naming"
	"sluice/engine/people"
)

// Here is the context in which the words of a delivery's sender are read: their time, and the people and things that they may know of.
func (ac *Access) Here(ctx context.Context, in Incoming) form.Here {
	h := form.Here{Now: ac.Now(), Me: "@" + in.Name}
	if p, err := ac.Directory.Person(ctx, in.User); err == nil && p.Zone != "" {
		if zone, err := time.LoadLocation(p.Zone); err == nil {
			h.Now, h.Zoned = h.Now.In(zone), true
		}
	}
	h.Person = func(name string) (string, string, error) {
		p, near, err := ac.lookUp(ctx, name, "user")
		return p.Name, near, err
	}
	h.Channel = func(name string) (string, string, error) {
		p, near, err := ac.lookUp(ctx, name, "channel")
		if err != nil || p.Name == "" {
			return "", near, err
		}
		if slices.Contains(ac.names(ctx), p.Name) { // everybody may know of it
			return p.Name, "", nil
		}
		members, err := ac.Directory.Members(ctx, p)
		if err != nil || !slices.Contains(members, in.User) {
			return "", "", err
		}
		return p.Name, "", nil
	}
	return h
}

// Inputs reads what a delivery's sender entered for the inputs of a run. An error is a *form.Problems when something cannot be read.
func (ac *Access) Inputs(ctx context.Context, in Incoming, fields []form.Field, entered map[string]string) (map[string]any, error) {
	values, wrong, err := form.Settle(fields, entered, ac.Here(ctx, in))
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return nil, form.Wrong("bad_inputs", fields, wrong)
	}
	inputs := map[string]any{}
	for name, v := range values {
		inputs[name] = v
	}
	return inputs, nil
}

// lookUp finds a person or a channel, with its name where the name finds it again, else with its id.
func (ac *Access) lookUp(ctx context.Context, name, kind string) (found people.Principal, near string, err error) {
	p, err := ac.Directory.Resolve(ctx, name)
	if errors.Is(err, people.ErrUnknownName) || err == nil && p.Kind != kind {
		sigil := map[string]string{"user": "@", "channel": "#"}[kind]
		all := slices.DeleteFunc(slices.Clone(ac.names(ctx)), func(n string) bool { return !strings.HasPrefix(n, sigil) })
		if like := naming.Related(name, all, 1); len(like) > 0 {
			near = like[0]
		}
		return people.Principal{}, near, nil
	}
	if err != nil {
		return people.Principal{}, "", err
	}
	if again, err := ac.Directory.Resolve(ctx, p.Name); err != nil || again.ID != p.ID {
		p.Name = p.ID
	}
	return p, "", nil
}

// FillIDs finds the ids of the people and channels that fields hold at first. A name that is not found leaves its field empty.
func (ac *Access) FillIDs(ctx context.Context, fields []form.Field) {
	for i := range fields {
		if f := &fields[i]; f.Value != "" && (f.Kind == form.Person || f.Kind == form.Channel) {
			if p, err := ac.Directory.Resolve(ctx, f.Value); err == nil {
				f.ID = p.ID
			}
		}
	}
}

// names lists the groups, people and channels that everybody may know of.
func (ac *Access) names(ctx context.Context) []string {
	lister, ok := ac.Directory.(people.Lister)
	if !ok {
		return nil
	}
	all, err := lister.Names(ctx)
	if err != nil {
		return nil // people are found without the list
	}
	return all
}
