package engine

import (
	"context"
	"fmt"

	"sluice/engine/run"
)

// results are the item_ended facts behind one fact of a run, by frame.
type results struct {
	loaded bool
	after  int64
	frames map[int][]run.Fact
}

func (r *results) add(f run.Fact) {
	b, ok := f.Body.(*run.ItemEnded)
	if !ok {
		return
	}
	if r.frames == nil {
		r.frames = map[int][]run.Fact{}
	}
	r.frames[b.Frame] = append(r.frames[b.Frame], f)
}

// gather makes the output of a foreach out of its items' results, which are facts of their own. Outputs that are read on the
// way stay in the run's cache. A foreach inside a foreach is gathered on the way too: its results came later than the list of
// the outer one, so they are among those that were loaded for that.
func (e *Engine) gather(ctx context.Context, l *live, items run.Items, known *results) (run.Output, error) {
	if !known.loaded || known.after > items.After {
		stored, err := e.cfg.Store.Facts(ctx, l.id, items.After, string(run.KindItemEnded))
		if err != nil {
			return run.Output{}, fmt.Errorf("list the results of a foreach: %w", err)
		}
		*known = results{loaded: true, after: items.After}
		for _, sf := range stored {
			f, err := decodeFact(sf)
			if err != nil {
				return run.Output{}, err
			}
			known.add(f)
		}
	}
	ended := known.frames[items.Frame]
	var unread []int64
	for _, seq := range items.Needs(ended) {
		if _, cached := l.outputs[seq]; !cached {
			unread = append(unread, seq)
		}
	}
	if len(unread) > 0 {
		if err := e.readWith(ctx, l, unread, known); err != nil {
			return run.Output{}, err
		}
	}
	return items.Gather(ended, l.outputs), nil
}
