package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/run"
	"sluice/storage"
)

// ErrUnknownName is what a Directory answers when nobody and nothing has a name. Any other error means that it could not ask.
var ErrUnknownName = errors.New("unknown name")

// Deciders says who may answer a gate at this moment: as they are named, and as user ids. A name that nobody has any more stands
// among the former with the kind unknown and lets nobody in; a gate is never open to all because its people are gone.
func (e *Engine) Deciders(ctx context.Context, row storage.Run, body GateBody) (who []Principal, users []string, err error) {
	if e.cfg.Directory == nil {
		return nil, nil, nil
	}
	who, users, err = e.asked(ctx, row, body.Opened.Kind, body.Opened.Who)
	if err != nil || len(body.Escalated) == 0 {
		return who, users, err
	}
	more, others, err := e.named(ctx, body.Escalated)
	return append(who, more...), append(users, others...), err
}

// asked lists who a gate was opened for.
func (e *Engine) asked(ctx context.Context, row storage.Run, kind run.GateKind, who *flow.Who) ([]Principal, []string, error) {
	if kind == run.GateFailure || kind == run.GateUnknown {
		return e.operators(ctx, row)
	}
	if who != nil && len(who.Groups)+len(who.Users) > 0 {
		return e.named(ctx, append(slices.Clone(who.Groups), who.Users...))
	}
	if row.Channel == "" {
		return e.named(ctx, []string{row.By})
	}
	ch, err := e.cfg.Directory.Resolve(ctx, row.Channel)
	if err != nil {
		return nil, nil, fmt.Errorf("find the run's channel: %w", err)
	}
	members, err := e.humans(ctx, ch)
	return []Principal{ch}, members, err
}

// operators may answer for a step that went wrong: who asked for the run, who owns the flow, admins.
func (e *Engine) operators(ctx context.Context, row storage.Run) ([]Principal, []string, error) {
	users := slices.Clone(e.cfg.Admins)
	if row.By != "" {
		users = append(users, row.By)
	}
	f, err := e.cfg.Store.Flow(ctx, row.Flow)
	if err != nil {
		return nil, nil, fmt.Errorf("find the flow's owner: %w", err)
	}
	if f.Owner != "" {
		users = append(users, f.Owner)
	}
	slices.Sort(users)
	return e.named(ctx, slices.Compact(users))
}

func (e *Engine) named(ctx context.Context, names []string) (who []Principal, users []string, err error) {
	for _, n := range names {
		p, err := e.cfg.Directory.Resolve(ctx, n)
		if errors.Is(err, ErrUnknownName) {
			who = append(who, Principal{Kind: "unknown", Name: n})
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("find %s: %w", n, err)
		}
		m, err := e.cfg.Directory.Members(ctx, p)
		if err != nil {
			return nil, nil, fmt.Errorf("list the members of %s: %w", n, err)
		}
		who, users = append(who, p), append(users, m...)
	}
	slices.Sort(users)
	return who, slices.Compact(users), nil
}

// humans lists the members of a channel who are people of this workspace and no guests.
func (e *Engine) humans(ctx context.Context, ch Principal) ([]string, error) {
	members, err := e.cfg.Directory.Members(ctx, ch)
	if err != nil {
		return nil, fmt.Errorf("list the members of %s: %w", ch.Name, err)
	}
	var out []string
	for _, id := range members {
		p, err := e.cfg.Directory.Person(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("look up %s: %w", id, err)
		}
		if p.Active && !p.Bot && !p.Guest {
			out = append(out, id)
		}
	}
	return out, nil
}
