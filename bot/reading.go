package bot

import (
	"context"
	"errors"
	"slices"

	"sluice/engine"
	"sluice/storage"
)

// errHidden is answered for what does not exist and for what a person may not read; nobody can tell the two apart.
var errHidden = &engine.UserError{Code: "no_such", Text: "There is no such flow or run.", Hint: "`list` shows your flows, `runs` your runs."}

// mayRead says whether a person may see a flow: members of its home channel, its owner, admins.
func (b *Bot) mayRead(ctx context.Context, user string, f storage.Flow) (bool, error) {
	if user == f.Owner || slices.Contains(b.Admins, user) {
		return true, nil
	}
	if f.Channel == "" {
		return false, nil
	}
	if f.Channel[0] == 'D' {
		return false, nil // a DM means its owner alone
	}
	members, err := b.Directory.Members(ctx, engine.Principal{Kind: "channel", ID: f.Channel})
	return slices.Contains(members, user), err
}

// flow loads a flow for a reader.
func (b *Bot) flow(ctx context.Context, user, name string) (storage.Flow, error) {
	f, err := b.store.Flow(ctx, name)
	if errors.Is(err, storage.ErrNotFound) {
		return f, b.unknownFlow(ctx, user, name)
	}
	if err != nil {
		return f, err
	}
	ok, err := b.mayRead(ctx, user, f)
	if err != nil {
		return f, err
	}
	if !ok {
		return f, b.unknownFlow(ctx, user, name)
	}
	return f, nil
}

// readable lists the flows that a person may see.
func (b *Bot) readable(ctx context.Context, user string) ([]storage.Flow, error) {
	all, err := b.store.Flows(ctx)
	if err != nil {
		return nil, err
	}
	var out []storage.Flow
	for _, f := range all {
		ok, err := b.mayRead(ctx, user, f)
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
func (b *Bot) run(ctx context.Context, user, name string) (storage.Run, error) {
	r, err := b.store.RunByName(ctx, name)
	if errors.Is(err, storage.ErrNotFound) {
		return r, b.unknownRun(ctx, user, name)
	}
	if err != nil {
		return r, err
	}
	ok, err := b.mayReadRun(ctx, user, r)
	if err != nil {
		return r, err
	}
	if !ok {
		return r, b.unknownRun(ctx, user, name)
	}
	return r, nil
}

func (b *Bot) mayReadRun(ctx context.Context, user string, r storage.Run) (bool, error) {
	if r.By == user {
		return true, nil
	}
	f, err := b.store.Flow(ctx, r.Flow)
	if err != nil {
		return false, err
	}
	return b.mayRead(ctx, user, f)
}
