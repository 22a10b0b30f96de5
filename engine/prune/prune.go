package prune

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"sluice/engine/history"
	"sluice/storage"
)

// Keep says how long things stay that are over; zero = for ever.
type Keep struct {
	Runs       time.Duration // since they ended
	Deliveries time.Duration // since they came; Slack may repeat one for ten minutes
	Drafts     time.Duration // since they were made
	Messages   time.Duration // since they were made
	Spending   time.Duration // since the month was over, or a few days less; a budget looks at the month that goes on
}

// Store is what a Pruner needs of the database.
type Store interface {
	CountOld(ctx context.Context, q storage.OldQuery) (storage.Old, error)
	DraftsAfter(ctx context.Context, id string, limit int) ([]storage.Draft, error)
	Elect(ctx context.Context, role, holder string, now time.Time, ttl time.Duration) (bool, error)
	Facts(ctx context.Context, run string, after int64, kinds ...string) ([]storage.Fact, error)
	ForgetReasons(ctx context.Context, user string, limit int) (int, error)
	RemoveTokens(ctx context.Context, user string) (int, error)
	LiveRuns(ctx context.Context, q storage.LiveQuery, before *storage.Run) ([]storage.Run, error)
	OldDrafts(ctx context.Context, before time.Time, limit int) ([]storage.Draft, error)
	QueueEntries(ctx context.Context, q storage.QueueQuery) ([]storage.QueueEntry, error)
	Removable(ctx context.Context, q storage.RemovalQuery) ([]storage.Run, error)
	Remove(ctx context.Context, r storage.Removal) error
	RemoveFacts(ctx context.Context, limit int) (int, error)
	RemoveInbox(ctx context.Context, before time.Time, limit int) (int, error)
	RemoveSpend(ctx context.Context, before string, limit int) (int, error)
	RemoveSurfaces(ctx context.Context, kind string, before time.Time, limit int) (int, error)
	RemoveUse(ctx context.Context, before string, limit int) (int, error)
	Write(ctx context.Context, b *storage.Batch) error
}

// Config is what a Pruner is made of. Store and Now are needed.
type Config struct {
	Store Store
	Keep  Keep
	Now   func() time.Time
	Every time.Duration // between two rounds of Run
	Name  string        // of this process, for Run
	Log   *slog.Logger
	// Refs names the surfaces that go with a run, Draft those of a draft; nil = none.
	Refs  func(runID string, gates []int) []string
	Draft func(id string) []string
	// QueueMovePrefix begins the ids of due rows that tell of the end of a run with a key; "" = entries of key queues are left alone.
	QueueMovePrefix string
	// Fixed are the kinds of surfaces that never change once they are shown.
	Fixed []string
	// Pause is how long others have the database between two batches.
	Pause time.Duration
}

// The sizes of batches: each is a transaction of a few milliseconds.
const (
	runsAtOnce  = 100 // listed; each goes by itself
	factsAtOnce = 1000
	rowsAtOnce  = 500
)

// Pruner removes what is over and old.
type Pruner struct{ Config }

// New makes a pruner.
func New(c Config) *Pruner {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Refs == nil {
		c.Refs = func(string, []int) []string { return nil }
	}
	if c.Draft == nil {
		c.Draft = func(string) []string { return nil }
	}
	return &Pruner{c}
}

// Removed counts what a round has removed.
type Removed struct {
	Runs, Facts, Deliveries, Drafts, Messages int

	QueueEntries int // in key queues
	Months       int // of what flows have spent
}

// String says it in words.
func (r Removed) String() string {
	return fmt.Sprintf("%d runs (%d facts), %d deliveries, %d drafts, %d messages, %d key queue entries, %d months of spending",
		r.Runs, r.Facts, r.Deliveries, r.Drafts, r.Messages, r.QueueEntries, r.Months)
}

const (
	role      = "pruning"
	roleExtra = time.Minute // longer than a round begins late
	// troubled is how soon a round that failed is tried again.
	troubled = time.Minute
)

// Run prunes every Config.Every until ctx ends. Among processes that share a store one at a time does: the others take over when it is
// gone.
func (p *Pruner) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := p.Every
		switch removed, err := p.turn(ctx); {
		case err != nil && ctx.Err() == nil:
			p.Log.Warn("old things could not be removed; trying again", "error", err, "removed", removed)
			wait = min(wait, troubled)
		case removed != Removed{}:
			p.Log.Info("old things were removed", "removed", removed)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// turn is a round, if it is this process's turn.
func (p *Pruner) turn(ctx context.Context) (Removed, error) {
	mine, err := p.Store.Elect(ctx, role, p.Name, p.Now(), p.Every+roleExtra)
	if err != nil || !mine {
		return Removed{}, err
	}
	return p.Once(ctx)
}

// Once removes everything that may go now, in batches. After an error it may be called again: what was removed stays removed.
func (p *Pruner) Once(ctx context.Context) (r Removed, err error) {
	if r.Runs, err = p.runs(ctx); err != nil {
		return r, err
	}
	if r.QueueEntries, err = p.leaveQueue(ctx); err != nil {
		return r, err
	}
	for _, kind := range []struct {
		keep  time.Duration
		count *int
		batch func(before time.Time) (int, error)
	}{
		{1, &r.Facts, func(time.Time) (int, error) { return p.Store.RemoveFacts(ctx, factsAtOnce) }},
		{p.Keep.Deliveries, &r.Deliveries, func(before time.Time) (int, error) { return p.Store.RemoveInbox(ctx, before, rowsAtOnce) }},
		{p.Keep.Drafts, &r.Drafts, func(before time.Time) (int, error) { return p.drafts(ctx, before) }},
		{p.Keep.Messages, &r.Messages, func(before time.Time) (int, error) { return p.messages(ctx, before) }},
		{p.Keep.Spending, &r.Months, func(before time.Time) (int, error) { return p.Store.RemoveSpend(ctx, monthOf(before), rowsAtOnce) }},
		{useKept, new(int), func(before time.Time) (int, error) {
			return p.Store.RemoveUse(ctx, before.Format(time.DateOnly), rowsAtOnce)
		}},
	} {
		if kind.keep == 0 {
			continue
		}
		before := p.Now().Add(-kind.keep)
		for {
			n, err := kind.batch(before)
			*kind.count += n
			if err != nil || n == 0 {
				if err != nil {
					return r, err
				}
				break
			}
			if err := p.rest(ctx); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// rest leaves the database to others.
func (p *Pruner) rest(ctx context.Context) error {
	if p.Pause == 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(p.Pause):
		return nil
	}
}

var final = []string{string(history.Succeeded), string(history.Cancelled)}

func (p *Pruner) oldRuns() storage.RemovalQuery {
	return storage.RemovalQuery{Final: final, Before: p.Now().Add(-p.Keep.Runs), Limit: runsAtOnce}
}

// useKept is how long it stays known what people used of models in a day. A limit looks at the day that goes on.
const useKept = 7 * 24 * time.Hour

// monthOf is the month of a time, as spending is kept by it. Where its month began a few hours before or after does not matter here.
func monthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// runs removes runs one by one.
func (p *Pruner) runs(ctx context.Context) (removed int, err error) {
	if p.Keep.Runs == 0 {
		return 0, nil
	}
	for q := p.oldRuns(); ; {
		list, err := p.Store.Removable(ctx, q)
		if err != nil || len(list) == 0 {
			return removed, err
		}
		for _, r := range list {
			err := p.run(ctx, r)
			switch {
			case err == nil:
				removed++
			case !errors.Is(err, storage.ErrConflict): // else it has changed, or somebody else removed it
				return removed, err
			}
			if err := p.rest(ctx); err != nil {
				return removed, err
			}
		}
		q.After = &list[len(list)-1]
	}
}

// run removes one run and keeps its trail.
func (p *Pruner) run(ctx context.Context, r storage.Run) error {
	stored, err := p.Store.Facts(ctx, r.ID, 0, kindNames()...)
	if err != nil {
		return err
	}
	kept, err := keep(stored)
	if err != nil {
		return fmt.Errorf("remove run %s: %w", r.Name, err)
	}
	gates, err := gatesOf(kept)
	if err != nil {
		return fmt.Errorf("remove run %s: %w", r.Name, err)
	}
	return p.Store.Remove(ctx, storage.Removal{Run: &r, Trail: kept, At: p.Now(), Refs: p.Refs(r.ID, gates)})
}

func (p *Pruner) drafts(ctx context.Context, before time.Time) (int, error) {
	list, err := p.Store.OldDrafts(ctx, before, rowsAtOnce)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	var r storage.Removal
	for _, d := range list {
		r.Drafts, r.Refs = append(r.Drafts, d.ID), append(r.Refs, p.Draft(d.ID)...)
	}
	return len(list), p.Store.Remove(ctx, r)
}

func (p *Pruner) messages(ctx context.Context, before time.Time) (n int, err error) {
	for _, kind := range p.Fixed {
		some, err := p.Store.RemoveSurfaces(ctx, kind, before, rowsAtOnce)
		n += some
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
