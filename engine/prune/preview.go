package prune

import (
	"context"
	"fmt"
	"time"

	"sluice/storage"
)

// Preview says what Once would remove now. Nothing is removed. each is called with every run that would go; nil = nobody wants to know.
// What of a run is counted by its facts is not looked at.
func (p *Pruner) Preview(ctx context.Context, each func(storage.Run)) (r Removed, err error) {
	if r.Runs, err = p.countRuns(ctx, each); err != nil {
		return r, err
	}
	if p.QueueMovePrefix != "" {
		places, err := p.settled(ctx)
		if err != nil {
			return r, err
		}
		r.QueueEntries = len(places)
	}
	before := func(keep time.Duration) time.Time {
		if keep == 0 {
			return time.Time{}
		}
		return p.Now().Add(-keep)
	}
	q := storage.OldQuery{Deliveries: before(p.Keep.Deliveries), Drafts: before(p.Keep.Drafts), Messages: before(p.Keep.Messages), Kinds: p.Fixed}
	if p.Keep.Spending > 0 {
		q.Month = monthOf(before(p.Keep.Spending))
	}
	old, err := p.Store.CountOld(ctx, q)
	r.Deliveries, r.Drafts, r.Messages, r.Months = old.Deliveries, old.Drafts, old.Messages, old.Months
	return r, err
}

func (p *Pruner) countRuns(ctx context.Context, each func(storage.Run)) (n int, err error) {
	if p.Keep.Runs == 0 {
		return 0, nil
	}
	for q := p.oldRuns(); ; {
		list, err := p.Store.Removable(ctx, q)
		if err != nil || len(list) == 0 {
			return n, err
		}
		n += len(list)
		for _, r := range list {
			if each != nil {
				each(r)
			}
		}
		q.After = &list[len(list)-1]
	}
}

// Would says it in words, of what would be removed.
func (r Removed) Would() string {
	return fmt.Sprintf("%d runs with their facts, %d deliveries, %d drafts, %d messages, %d key queue entries, %d months of spending",
		r.Runs, r.Deliveries, r.Drafts, r.Messages, r.QueueEntries, r.Months)
}
