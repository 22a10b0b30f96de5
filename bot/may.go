package bot

import (
	"context"
	"errors"
	"slices"

	"sluice/engine"
	"sluice/engine/authority"
	"sluice/storage"
)

// errHidden is answered for what does not exist and for what a person may not read; nobody can tell the two apart.
var errHidden = &engine.UserError{Code: "no_such", Text: "There is no such flow or run.", Hint: "`list` shows your flows, `runs` your runs."}

// who gives the principal that sent a delivery.
func (b *Bot) who(ctx context.Context, in Incoming) (authority.Principal, error) {
	p, err := b.Engine.Principal(ctx, actor(in))
	p.Admin = p.Admin || slices.Contains(b.Admins, in.User)
	return p, err
}

// may asks whether the sender of a delivery may do an action: nil, an *authority.Denied, or a fault.
func (b *Bot) may(ctx context.Context, in Incoming, a authority.Action, about engine.About) error {
	p, err := b.who(ctx, in)
	if err != nil {
		return err
	}
	return b.mayAs(ctx, p, a, about)
}

// mayAs is may for a principal that is known already.
func (b *Bot) mayAs(ctx context.Context, p authority.Principal, a authority.Action, about engine.About) error {
	about.Approvers = b.Approvers
	return b.Engine.May(ctx, p, a, about)
}

// asDenied gives the refusal in an error that has no words yet.
func asDenied(err error) (*authority.Denied, bool) {
	if _, said := errors.AsType[*engine.UserError](err); said {
		return nil, false
	}
	return errors.AsType[*authority.Denied](err)
}

// allowed tells a refusal from a fault.
func allowed(err error) (bool, error) {
	if _, denied := asDenied(err); denied {
		return false, nil
	}
	return err == nil, err
}

// hidden reports whether an error means that somebody may not see what they asked for.
func hidden(err error) bool {
	denied, ok := asDenied(err)
	return ok && denied.Code == authority.Hidden
}

// flow loads a flow for a reader.
func (b *Bot) flow(ctx context.Context, in Incoming, name string) (storage.Flow, error) {
	f, err := b.store.Flow(ctx, name)
	if err == nil {
		err = b.may(ctx, in, authority.ReadFlow, engine.AboutFlow(f))
	}
	if errors.Is(err, storage.ErrNotFound) || hidden(err) {
		return storage.Flow{}, b.unknownFlow(ctx, in, name)
	}
	return f, err
}

// readable lists the flows that a person may see.
func (b *Bot) readable(ctx context.Context, in Incoming) ([]storage.Flow, error) {
	p, err := b.who(ctx, in)
	if err != nil {
		return nil, err
	}
	all, err := b.store.Flows(ctx)
	if err != nil {
		return nil, err
	}
	var out []storage.Flow
	for _, f := range all {
		ok, err := allowed(b.mayAs(ctx, p, authority.ReadFlow, engine.AboutFlow(f)))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, f)
		}
	}
	return out, nil
}

// run loads a run for a reader: by its short name.
func (b *Bot) run(ctx context.Context, in Incoming, name string) (storage.Run, error) {
	r, err := b.store.RunByName(ctx, name)
	if err == nil {
		err = b.mayRun(ctx, in, authority.ReadRun, r)
	}
	if errors.Is(err, storage.ErrNotFound) || hidden(err) {
		return storage.Run{}, b.unknownRun(ctx, in, name)
	}
	return r, err
}

// clickedRun loads the run behind a button.
func (b *Bot) clickedRun(ctx context.Context, in Incoming) (storage.Run, error) {
	r, err := b.store.Run(ctx, in.Value)
	if errors.Is(err, storage.ErrNotFound) {
		return r, errHidden
	}
	if err == nil {
		err = b.mayRun(ctx, in, authority.ReadRun, r)
	}
	return r, err
}

// mayRun is may for a run.
func (b *Bot) mayRun(ctx context.Context, in Incoming, a authority.Action, r storage.Run) error {
	f, err := b.store.Flow(ctx, r.Flow)
	if err != nil {
		return err
	}
	return b.may(ctx, in, a, engine.AboutRun(f, r))
}

// mayDraft is may for a draft. authors are those of its edits.
func (b *Bot) mayDraft(ctx context.Context, in Incoming, a authority.Action, d storage.Draft, authors []string) error {
	return b.may(ctx, in, a, aboutDraft(d, authors))
}

func aboutDraft(d storage.Draft, authors []string) engine.About {
	return engine.About{Home: d.Channel, Authors: append(slices.Clone(authors), d.Author)}
}
