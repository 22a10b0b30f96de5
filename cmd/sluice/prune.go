package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"sluice/bot/project"
	"sluice/bot/surface"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/outbox"
	"sluice/engine/prune"
	"sluice/engine/signals"
	"sluice/storage"
)

// retention says how long finished runs and old rows are kept.
type retention struct {
	KeepRuns       string `name:"keep-runs" env:"SLUICE_KEEP_RUNS" default:"90d" help:"How long finished runs stay, such as 90d; forever = always. Who decided what in them always stays."`
	KeepDeliveries string `name:"keep-deliveries" env:"SLUICE_KEEP_DELIVERIES" default:"7d" help:"How long worked-off deliveries of Slack stay; more than 10m, so that a repeated one is known."`
	KeepDrafts     string `name:"keep-drafts" env:"SLUICE_KEEP_DRAFTS" default:"180d" help:"How long drafts stay that nobody approved."`
	KeepMessages   string `name:"keep-messages" env:"SLUICE_KEEP_MESSAGES" default:"30d" help:"How long the records of private answers and notices stay. The messages in Slack are left alone."`
	KeepSpending   string `name:"keep-spending" env:"SLUICE_KEEP_SPENDING" default:"400d" help:"How long it stays known what flows have spent on models, by month."`
	PruneEvery     string `name:"prune-every" env:"SLUICE_PRUNE_EVERY" default:"1h" help:"How often the serving process removes what is old; never = only the command sluice prune does."`
}

const (
	forever = "forever"
	never   = "never"
	// dedupeMost is how long Slack may take to repeat a delivery.
	dedupeMost = 10 * time.Minute
	// monthsLeast keeps the month that budgets look at, in every zone.
	monthsLeast = 62 * 24 * time.Hour
)

// read gives the settings as durations, 0 for those that say for ever or never, and what is wrong with them.
func (r *retention) read() (keep prune.Keep, every time.Duration, problems []string) {
	for _, s := range []struct {
		name, text, none string
		least            time.Duration
		into             *time.Duration
	}{
		{"SLUICE_KEEP_RUNS", r.KeepRuns, forever, time.Millisecond, &keep.Runs},
		{"SLUICE_KEEP_DELIVERIES", r.KeepDeliveries, forever, dedupeMost + time.Second, &keep.Deliveries},
		{"SLUICE_KEEP_DRAFTS", r.KeepDrafts, forever, time.Millisecond, &keep.Drafts},
		{"SLUICE_KEEP_MESSAGES", r.KeepMessages, forever, time.Hour, &keep.Messages},
		{"SLUICE_KEEP_SPENDING", r.KeepSpending, forever, monthsLeast, &keep.Spending},
		{"SLUICE_PRUNE_EVERY", r.PruneEvery, never, time.Minute, &every},
	} {
		if s.text == s.none || s.text == "" {
			continue
		}
		d, err := flow.ParseDuration(s.text)
		switch {
		case err != nil || d.WorkingDays > 0:
			problems = append(problems, fmt.Sprintf("%s: %q is no length of time: write for example 90d or 12h, or %s", s.name, s.text, s.none))
		case d.Clock < s.least:
			problems = append(problems, fmt.Sprintf("%s: %s is too short: at least %s, or %s", s.name, s.text, flow.Duration{Clock: s.least}, s.none))
		default:
			*s.into = d.Clock
		}
	}
	return keep, every, problems
}

// pruner makes the pruner of a store.
func (r *retention) pruner(store storage.Store, now func() time.Time, name string, log *slog.Logger) *prune.Pruner {
	keep, every, _ := r.read() // problems were told at the start
	return prune.New(prune.Config{
		Store: store, Keep: keep, Every: every, Now: now, Name: name, Log: log, Pause: pruneRest,
		Refs: func(runID string, gates []int) []string {
			refs := []string{surface.RunRef(runID), outbox.Ref(runID)}
			for _, n := range gates {
				refs = append(refs, surface.GateRef(gate.ID(runID, n)))
			}
			return refs
		},
		Draft: func(id string) []string { return []string{surface.DraftRef(id)} },
		Fixed: project.Fixed(), QueueMovePrefix: signals.QueueMovePrefix,
	})
}

// pruneRest is how long runs have the database for themselves between two batches.
const pruneRest = 20 * time.Millisecond

type pruneCmd struct {
	config
	DryRun bool `name:"dry-run" help:"Only say what would be removed."`
}

// Run removes what is old, once. Beside serving processes it works on Postgres; a SQLite file must not be served meanwhile.
func (c *pruneCmd) Run(ctx context.Context, std stdio) error {
	if err := c.problems(false); err != nil {
		return err
	}
	store, done, err := openToChange(ctx, &c.config, "sluice prune")
	if errors.Is(err, storage.ErrLocked) {
		return fmt.Errorf("%w; the serving process prunes by itself (every %s)", err, cmp.Or(c.PruneEvery, never))
	}
	if err != nil {
		return err
	}
	defer done()
	p := c.pruner(store, time.Now, "", c.logger(std.err))
	if c.DryRun {
		return preview(ctx, p, std.out)
	}
	removed, err := p.Once(ctx)
	if err != nil {
		return fmt.Errorf("removed %s, then: %w", removed, err)
	}
	fmt.Fprintf(std.out, "removed %s\n", removed)
	return nil
}

// previewMost is how many runs are named that would be removed.
const previewMost = 50

// preview lists the runs and rows that would be removed.
func preview(ctx context.Context, p *prune.Pruner, out io.Writer) error {
	named := 0
	would, err := p.Preview(ctx, func(r storage.Run) {
		if named++; named <= previewMost {
			fmt.Fprintf(out, "%s, %s on %s\n", r.Name, r.Status, r.Ended.Format(time.DateOnly))
		}
	})
	if err != nil {
		return err
	}
	if named > previewMost {
		fmt.Fprintf(out, "and %d more runs\n", named-previewMost)
	}
	fmt.Fprintf(out, "would remove %s\n", would.Would())
	return nil
}
