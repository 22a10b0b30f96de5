package stored

import (
	"context"
	"fmt"
	"slices"

	"sluice/engine/history"
	"sluice/storage"
)

// Results finds the facts with the results of foreach items that follow one fact of a run, by frame; it does not hold the outputs. A value is
// for one goroutine and one run.
type Results struct {
	facts  Reader
	run    string
	loaded bool
	after  int64
	frames map[int][]history.ItemEnded
}

// NewResults gives the results of a run. Nothing is read before a list is asked for.
func NewResults(facts Reader, runID string) *Results { return &Results{facts: facts, run: runID} }

// load finds the results behind a fact.
func (r *Results) load(ctx context.Context, after int64) error {
	if r.loaded && r.after <= after {
		return nil
	}
	r.loaded, r.after, r.frames = true, after, map[int][]history.ItemEnded{}
	err := Each(ctx, r.facts, r.run, after, func(f history.Fact) error {
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

// Gather makes the output of a foreach out of its items' results, which are facts of their own, some at a time: the list may be long. The
// list of a foreach inside a foreach is gathered with it: its results are later than the list of the outer one, so they have been found already.
func (r *Results) Gather(ctx context.Context, items history.Items) (history.Output, error) {
	if err := r.load(ctx, items.After); err != nil {
		return history.Output{}, err
	}
	ended := slices.DeleteFunc(slices.Clone(r.frames[items.Frame]), func(b history.ItemEnded) bool { return b.Index < 0 || b.Index >= items.Total })
	slices.SortStableFunc(ended, func(a, b history.ItemEnded) int { return a.Index - b.Index })
	g := items.Gathering()
	for some := range slices.Chunk(ended, storage.FactsAtOnce) {
		outputs, err := r.outputsOf(ctx, some)
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
func (r *Results) outputsOf(ctx context.Context, ended []history.ItemEnded) (map[int64]history.Output, error) {
	outputs := map[int64]history.Output{0: {}}
	var seqs []int64
	for _, b := range ended {
		if b.Output != 0 {
			seqs = append(seqs, b.Output)
		}
	}
	facts, err := BySeq(ctx, r.facts, r.run, seqs...)
	if err != nil {
		return nil, fmt.Errorf("read the results of a foreach: %w", err)
	}
	for _, f := range facts {
		if out, ok := history.ReadOf(f); ok {
			outputs[f.Seq] = out
		}
		if inner, ok := history.ItemsOf(f); ok {
			if outputs[f.Seq], err = r.Gather(ctx, inner); err != nil {
				return nil, err
			}
		}
	}
	for _, seq := range seqs {
		if _, ok := outputs[seq]; !ok {
			return nil, fmt.Errorf("fact %d of run %s holds no output", seq, r.run)
		}
	}
	return outputs, nil
}
