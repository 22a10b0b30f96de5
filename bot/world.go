package bot

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/naming"
	"sluice/engine/planner/env"
)

// world is what the planner may know beside the words of somebody.
func (b *Bot) world(ctx context.Context, in request.Incoming) env.World {
	w := env.World{
		Tools: b.Tools.All(), Author: "@" + in.Name, Model: b.Model, Secret: b.Secret, Flows: b.flowNames(ctx, in),
		Kind: func(name string) string {
			p, err := b.Directory.Resolve(ctx, name)
			if err != nil {
				return ""
			}
			return p.Kind
		},
		Names: func(words string) []string { return b.names(ctx, words) },
	}
	if p, err := b.Directory.Person(ctx, in.User); err == nil {
		w.Zone = p.Zone
	}
	if p, err := b.Directory.Resolve(ctx, in.Channel); err == nil && p.Kind == "channel" && strings.HasPrefix(p.Name, "#") {
		w.Channel = p.Name
	}
	return w
}

// worldOf is world for a flow that revises another one, or nil.
func (b *Bot) worldOf(ctx context.Context, in request.Incoming, base *flow.Flow) env.World {
	w := b.world(ctx, in)
	w.Base = base
	return w
}

// flowNames lists the flows that somebody may run as a step.
func (b *Bot) flowNames(ctx context.Context, in request.Incoming) (names []string) {
	flows, err := b.Access.Readable(ctx, in)
	if err != nil {
		b.Log.Warn("the flows for a draft cannot be listed", "error", err)
	}
	for _, f := range flows {
		names = append(names, f.Name)
	}
	return names
}

// names lists people, groups and channels, those nearest to some words first.
func (b *Bot) names(ctx context.Context, words string) []string {
	lister, ok := b.Directory.(engine.Lister)
	if !ok {
		return nil
	}
	all, err := lister.Names(ctx)
	if err != nil {
		b.Log.Warn("the names for a question cannot be listed", "error", err)
	}
	near := naming.Related(strings.TrimLeft(words, "@#"), all, len(all))
	rank := func(name string) int {
		if i := slices.Index(near, name); i >= 0 {
			return i
		}
		return len(near)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}
