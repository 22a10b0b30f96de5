package project

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/engine/gate"
	"sluice/engine/people"
	"sluice/storage"
)

const (
	// copiesMost is how many people are asked one question in direct messages. A larger group gets one card in a channel of the group instead.
	copiesMost = 10
	// dailyMost is how many people of a larger group without a channel are told once a day that questions wait for them.
	dailyMost = 100
)

// spread stores the copies of an open question for people who do not see its thread, and the reminders beside them. It is repeated after each
// change of the question. The id of a copy names its person, so that a copy that is stored already stays as it is.
func (d *delivery) spread() error {
	store := d.Engine.Store()
	g, err := store.Gate(d.ctx, surface.RefID(d.s.Ref))
	if err != nil || g.Status != "open" {
		return storage.IgnoreMissing(err)
	}
	b, err := gate.Decode(g)
	if err != nil {
		return err
	}
	row, err := store.Run(d.ctx, g.Run)
	if err != nil {
		return err
	}
	root, err := surface.Root(d.ctx, store, g.Run)
	if err != nil {
		return err
	}
	who, err := d.engine.Elsewhere(d.ctx, row, b, root.Channel)
	if err != nil {
		return err
	}
	made, err := d.copies(g, b, who, root.Channel)
	if err != nil || len(made) == 0 {
		return err
	}
	defer d.Wake()
	return store.Write(d.ctx, &storage.Batch{Surfaces: made})
}

// copies are the surfaces that bring a question to people elsewhere, and to those who were asked by name.
func (d *delivery) copies(g storage.Gate, b gate.Body, who people.Elsewhere, thread string) (made []storage.Surface, err error) {
	users := map[string]time.Time{} // and when they were asked by name
	others := slices.DeleteFunc(who.Channels, func(c string) bool { return c == thread })
	switch {
	case len(who.Users) <= copiesMost:
		for _, u := range who.Users {
			users[u] = time.Time{}
		}
	case len(others) > 0:
		made, err = d.copy(made, g, b, storage.Surface{Channel: others[0]}, time.Time{})
	case !b.Reminded.IsZero():
		made, err = d.daily(who.Users)
	}
	for _, a := range b.Asks {
		users[a.User] = a.At
	}
	for _, u := range slices.Sorted(maps.Keys(users)) {
		if err == nil {
			made, err = d.copy(made, g, b, storage.Surface{User: u}, users[u])
		}
	}
	return made, err
}

// copy adds a copy, and reminders beside one that was there before the question was reminded of, or before its person was asked by name.
func (d *delivery) copy(made []storage.Surface, g storage.Gate, b gate.Body, s storage.Surface, asked time.Time) ([]storage.Surface, error) {
	place := cmp.Or(s.User, s.Channel)
	s.ID, s.Kind, s.Ref, s.Created = surface.CopyID(g.ID, place), surface.KindCopy, surface.GateRef(g.ID), d.Engine.Now()
	made = append(made, s)
	before, err := d.Engine.Store().Surface(d.ctx, s.ID)
	if err != nil {
		return made, storage.IgnoreMissing(err)
	}
	s.Kind = surface.KindNudge
	if before.Created.Before(b.Reminded) {
		s.ID = fmt.Sprintf("nudge-%s-%d-%s", g.ID, b.Reminded.UnixMilli(), place)
		made = append(made, s)
	}
	if before.Created.Before(asked) {
		s.ID = surface.AskID(g.ID, place)
		made = append(made, s)
	}
	return made, nil
}

// daily tells people that questions wait for them, each of them at most once in 24 hours, however many reminders there are.
func (d *delivery) daily(users []string) (made []storage.Surface, err error) {
	now := d.Engine.Now()
	named := func(user string, day time.Time) string {
		return fmt.Sprintf("daily-%s-%s", user, day.Format(time.DateOnly))
	}
	for _, u := range users[:min(len(users), dailyMost)] {
		id, yesterday := named(u, now), now.AddDate(0, 0, -1)
		switch before, err := d.Engine.Store().Surface(d.ctx, named(u, yesterday)); {
		case err == nil && before.Created.After(yesterday): // midnight came between
			continue
		case storage.IgnoreMissing(err) != nil:
			return nil, err
		}
		s := surface.Notice(id, "", "", card.Textf(":bell: Questions wait for your answer: `%s approvals` lists them, with their buttons.", d.Command), now)
		s.Kind, s.User = surface.KindDirect, u
		made = append(made, s)
	}
	return made, nil
}
