package prune

import (
	"context"
	"maps"
	"slices"

	"sluice/storage"
)

// settled lists the entries of key queues that nothing can refer to any more. An entry leads the runs behind it to the runs before it, and
// the news of an end to those behind: it is needed until all of these runs are over, and the news has been told. What is over stays so, and
// nobody is put between two: nobody needs to be kept from writing meanwhile.
func (p *Pruner) settled(ctx context.Context) ([]string, error) {
	over := map[string]storage.QueueEntry{}
	for q := (storage.QueueQuery{Final: final, SignalPrefix: p.QueueMovePrefix, Limit: rowsAtOnce}); ; {
		page, err := p.Store.QueueEntries(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, at := range page {
			if q.After = at.Run; at.Over {
				over[at.Run] = at
			}
		}
		if len(page) < q.Limit {
			break
		}
		if err := p.rest(ctx); err != nil {
			return nil, err
		}
	}
	gone := map[string]bool{}
	for more := true; more; {
		more = false
		for run, at := range over {
			if !gone[run] && (at.First || gone[at.Behind]) {
				gone[run], more = true, true
			}
		}
	}
	return slices.Sorted(maps.Keys(gone)), nil
}

// leaveQueue takes those places away.
func (p *Pruner) leaveQueue(ctx context.Context) (removed int, err error) {
	if p.QueueMovePrefix == "" {
		return 0, nil
	}
	runs, err := p.settled(ctx)
	if err != nil {
		return 0, err
	}
	for batch := range slices.Chunk(runs, rowsAtOnce) {
		if err := p.Store.Write(ctx, &storage.Batch{LeaveQueue: batch}); err != nil {
			return removed, err
		}
		removed += len(batch)
		if err := p.rest(ctx); err != nil {
			return removed, err
		}
	}
	return removed, nil
}
