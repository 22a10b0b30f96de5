package slack

import (
	"context"
	"errors"
	"slices"
	"testing"

	"sluice/bot/slacksim"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/dispatch/local"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/tool"
)

// TestEverySortOfPersonIsKnownFromSlack: what Slack says of people, on the wire, and what that makes them.
func TestEverySortOfPersonIsKnownFromSlack(t *testing.T) {
	t.Parallel()
	seed := slacksim.DefaultSeed()
	home := seed.Workspace.ID
	seed.Users = append(seed.Users,
		slacksim.SeedUser{Name: "single", Guest: true}, slacksim.SeedUser{Name: "multi", MultiGuest: true},
		slacksim.SeedUser{Name: "shared", Team: "T0OTHER"}, slacksim.SeedUser{Name: "stranger", Team: "T0OTHER"},
		slacksim.SeedUser{Name: "both", Team: "T0SECOND", Teams: []string{"T0SECOND", home}}, slacksim.SeedUser{Name: "sister", Team: "T0SECOND", Teams: []string{"T0SECOND"}},
		slacksim.SeedUser{Name: "gone", Deleted: true},
	)
	seed.Channels[0].Members = append(seed.Channels[0].Members, "single", "multi", "shared", "both", "sister", "gone")
	w := newSeededWorld(t, seed)
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Config{Store: w.store, Tools: tools, Dispatcher: local.New(local.Options{}), Directory: w.app.people})
	id := func(name string) string {
		users, err := w.app.people.users(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range users {
			if u.Name == name {
				return u.ID
			}
		}
		return name
	}
	for _, c := range []struct {
		name, team string // the team that a delivery names
		want       authority.Standing
	}{
		{"bob", "", authority.Member},
		{"bob", home, authority.Member},
		{"bob", "T0OTHER", authority.Foreign},
		{"single", home, authority.Guest},
		{"multi", home, authority.Guest},
		{"shared", "T0OTHER", authority.Foreign},
		{"shared", home, authority.Foreign}, // as a slash command says it: where it was typed
		{"shared", "", authority.Foreign},
		{"stranger", "T0OTHER", authority.Foreign},
		{"both", "T0SECOND", authority.Member},
		{"both", home, authority.Member},
		{"both", "T0OTHER", authority.Foreign},
		{"sister", "T0SECOND", authority.Foreign},
		{"gone", home, authority.Inactive},
		{"sluice", home, authority.Bot},
		{"U0NOBODY", home, authority.Unknown},
		{"", home, authority.Unknown},
	} {
		p, err := e.Principal(t.Context(), history.Actor{User: id(c.name), Team: c.team})
		if err != nil || p.Standing != c.want {
			t.Errorf("%s, who is said to be of %q, is %q (%v), want %q", c.name, c.team, p.Standing, err, c.want)
		}
	}
	for _, name := range []string{"@shared", "@stranger", "@sister"} {
		if p, err := w.app.people.Resolve(t.Context(), name); !errors.Is(err, people.ErrUnknownName) {
			t.Errorf("%s means %+v (%v): a name means nobody of another workspace", name, p, err)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Principal(over, history.Actor{User: "U0NEW"}); !errors.Is(err, people.ErrLookup) {
		t.Errorf("somebody who cannot be looked up at the moment: %v", err)
	}
}

// TestNamesToChooseFrom: groups, people who are here, and channels that everybody may know.
func TestNamesToChooseFrom(t *testing.T) {
	t.Parallel()
	seed := slacksim.DefaultSeed()
	seed.Users = append(seed.Users, slacksim.SeedUser{Name: "gone", Deleted: true}, slacksim.SeedUser{Name: "elsewhere", Team: "T0OTHER"})
	seed.Channels = append(seed.Channels, slacksim.SeedChannel{Name: "salaries", Private: true, Members: []string{"sluice", "ana"}})
	w := newSeededWorld(t, seed)
	names, err := w.app.people.Names(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"@finance", "@ana", "#support"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %v", want, names)
		}
	}
	for _, never := range []string{"@gone", "@elsewhere", "#salaries", "@sluice"} {
		if slices.Contains(names, never) {
			t.Errorf("%s is among %v", never, names)
		}
	}
}
