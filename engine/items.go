package engine

import (
	"context"
	"fmt"
	"slices"

	"sluice/engine/history"
	"sluice/storage"
)

// results are what the items of foreach nodes left behind one fact of a run, by frame: where it is, and not the outputs themselves.
type results struct {
	loaded bool
	after  int64
	frames map[int][]history.ItemEnded
}

// load finds the results behind a fact.
func (r *results) load(ctx context.Context, e *Engine, id string, after int64) error {
	if r.loaded && r.after <= after {
		return nil
	}
	*r = results{loaded: true, after: after, frames: map[int][]history.ItemEnded{}}
	err := e.eachFact(ctx, id, after, func(f history.Fact) error {
		if b, ok := f.Body.(*history.ItemEnded); ok {
			r.frames[b.Frame] = append(r.frames[b.Frame], *b)
		}
		return nil
	}, string(history.KindOf((*history.ItemEnded)(nil))))
	if err != nil {
		return fmt.Errorf("list the results of a foreach: %w", err)
	}
	return nil
}

// gather makes the output of a foreach out of its items' results, which are facts of their own, some at a time: the list may be long. A
// foreach inside a foreach is gathered on the way: its results came later than the list of the outer one, so they are among those that
// are known from that.
func (e *Engine) gather(ctx context.Context, id string, items history.Items, known *results) (history.Output, error) {
	if err := known.load(ctx, e, id, items.After); err != nil {
		return history.Output{}, err
	}
	ended := slices.DeleteFunc(slices.Clone(known.frames[items.Frame]), func(b history.ItemEnded) bool { return b.Index < 0 || b.Index >= items.Total })
	slices.SortStableFunc(ended, func(a, b history.ItemEnded) int { return a.Index - b.Index })
	g := items.Gathering()
	for some := range slices.Chunk(ended, storage.FactsAtOnce) {
		outputs, err := e.outputsOf(ctx, id, some, known)
		if err != nil {
			return history.Output{}, err
		}
		for _, b := range some {
			g.Add(b, outputs[b.Output])
		}
	}
	return g.Output(), nil
}

// outputsOf reads the last outputs of some items.
func (e *Engine) outputsOf(ctx context.Context, id string, ended []history.ItemEnded, known *results) (map[int64]history.Output, error) {
	outputs := map[int64]history.Output{0: {}}
	var seqs []int64
	for _, b := range ended {
		if b.Output != 0 {
			seqs = append(seqs, b.Output)
		}
	}
	stored, err := e.cfg.Store.FactsBySeq(ctx, id, seqs)
	if err != nil {
		return nil, fmt.Errorf("read the results of a foreach: %w", err)
	}
	for _, sf := range stored {
		f, err := decodeFact(sf)
		if err != nil {
			return nil, err
		}
		if out, ok := history.ReadOf(f); ok {
			outputs[f.Seq] = out
		}
		if inner, ok := history.ItemsOf(f); ok {
			if outputs[f.Seq], err = e.gather(ctx, id, inner, known); err != nil {
				return nil, err
			}
		}
	}
	for _, seq := range seqs {
		if _, ok := outputs[seq]; !ok {
			return nil, fmt.Errorf("fact %d of run %s holds no output", seq, id)
		}
	}
	return outputs, nil
}
