package bot

import (
	"context"
	"errors"
	"slices"

	"sluice/bot/drafts"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/flow"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Define drafts a definition that a program sends in the place of a person: in the flow's channel, or in the one that is named where the flow
// is new. The person must be a member of it.
func (b *Bot) Define(ctx context.Context, user, channel, name string, src []byte) (drafts.Put, error) {
	in, err := b.inPlaceOf(ctx, user)
	if err != nil {
		return drafts.Put{}, err
	}
	home, err := b.homeFor(ctx, in, channel, name)
	if err != nil {
		return drafts.Put{}, err
	}
	in.Channel = home
	return b.drafts.Files.Put(ctx, in, name, src)
}

// Remove removes a flow for a program, in the place of a person.
func (b *Bot) Remove(ctx context.Context, user, name string) error {
	in, err := b.inPlaceOf(ctx, user)
	if err != nil {
		return err
	}
	return b.holds.RemoveNow(ctx, in, flow.Slug(name))
}

// inPlaceOf is what a program asks in the place of a person.
func (b *Bot) inPlaceOf(ctx context.Context, user string) (request.Incoming, error) {
	in := request.Incoming{Kind: request.KindProgram, User: user}
	if err := b.admit(ctx, in, false); err != nil {
		return in, request.ErrHidden
	}
	if p, err := b.Directory.Person(ctx, user); err == nil {
		in.Name = p.Name
	}
	return in, nil
}

// homeFor finds the channel where a person may draft a flow.
func (b *Bot) homeFor(ctx context.Context, in request.Incoming, channel, name string) (string, error) {
	f, err := b.Engine.Store().Flow(ctx, flow.Slug(name))
	switch {
	case err == nil:
		if err := b.access.May(ctx, in, authority.ReadFlow, people.AboutFlow(f)); err != nil {
			return "", request.ErrHidden
		}
		channel = f.Channel
	case !errors.Is(err, storage.ErrNotFound):
		return "", err
	case channel == "":
		return "", &usererror.Error{Code: "no_channel", Text: "The flow is new: say with ?channel= where it is to live."}
	}
	p, err := b.Directory.Resolve(ctx, channel)
	if errors.Is(err, people.ErrUnknownName) || err == nil && p.Kind != "channel" {
		return "", request.ErrHidden
	}
	if err != nil {
		return "", err
	}
	members, err := b.Directory.Members(ctx, p)
	if err == nil && !slices.Contains(members, in.User) {
		err = request.ErrHidden
	}
	return p.ID, err
}
