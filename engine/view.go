package engine

import (
	"context"
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/run"
	"sluice/storage"
)

// View is a run as people look at it: its row, its flow, and what its facts say of every node and edge.
type View struct {
	*run.View
	Run    storage.Run
	Flow   *flow.Flow
	Start  *run.RunStarted
	Facts  []run.Fact
	Result run.Output // of the run when it has one, else the latest output
	Usage  run.Usage  // of all model calls
	// Resumed is the latest step that was taken up after a crash; 0 = none was.
	Resumed int
}

// View loads a run and looks at its facts.
func (e *Engine) View(ctx context.Context, id string) (*View, error) {
	row, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	stored, err := e.cfg.Store.Facts(ctx, id, 0)
	if err != nil {
		return nil, fmt.Errorf("read the facts of %s: %w", row.Name, err)
	}
	v := &View{Run: row}
	for _, sf := range stored {
		f, err := decodeFact(sf)
		if err != nil {
			return nil, err
		}
		v.Facts = append(v.Facts, f)
	}
	if err := e.look(ctx, v); err != nil {
		return nil, err
	}
	v.sum()
	return v, nil
}

// look makes the view of a run's facts by the revision that they end with.
func (e *Engine) look(ctx context.Context, v *View) error {
	on := []int{v.Run.Revision}
	if all := run.Revisions(v.Facts); len(all) > 0 {
		on = all
	}
	var past []run.Past
	for _, number := range on {
		plan, err := e.compiled(ctx, v.Run.Flow, number)
		if err != nil {
			return fmt.Errorf("read revision %d of %s: %w", number, v.Run.Flow, err)
		}
		past = append(past, run.Past{Revision: number, Flow: plan.flow})
	}
	v.Flow = past[len(past)-1].Flow
	var err error
	v.View, err = run.NewView(v.Flow, v.Facts, past...)
	return err
}

// sum picks the run's start, result and usage out of its facts and visits.
func (v *View) sum() {
	outputs, ended := map[int64]run.Output{}, &results{}
	for _, f := range v.Facts {
		ended.add(f)
		if s, ok := f.Body.(*run.RunStarted); ok {
			v.Start = s
		}
		o, ok := run.OutputOf(f)
		if items, gathered := run.ItemsOf(f); gathered {
			o, ok = items.Gather(ended.frames[items.Frame], outputs), true
		}
		if ok {
			outputs[f.Seq], v.Result = o, o
		}
	}
	if v.Ended != nil && v.Ended.Output != 0 {
		v.Result = outputs[v.Ended.Output]
	}
	for _, x := range v.Visits {
		v.Usage.InputTokens += x.Usage.InputTokens
		v.Usage.OutputTokens += x.Usage.OutputTokens
		v.Usage.USD += x.Usage.USD
		if x.Resumed > 0 {
			v.Resumed = x.Step
		}
	}
}

// Latest is the latest visit to a node, or an empty one.
func (v *View) Latest(node string) run.Visit {
	if step := v.Nodes[node].Latest; step > 0 {
		return v.Visits[step-1]
	}
	return run.Visit{}
}

// StartOf gives the first fact of a run: its inputs and who asked for it.
func (e *Engine) StartOf(ctx context.Context, id string) (*run.RunStarted, error) {
	stored, err := e.cfg.Store.FactsBySeq(ctx, id, []int64{1})
	if err != nil {
		return nil, err
	}
	for _, sf := range stored {
		f, err := decodeFact(sf)
		if err != nil {
			return nil, err
		}
		if s, ok := f.Body.(*run.RunStarted); ok {
			return s, nil
		}
	}
	return nil, fmt.Errorf("run %s has no first fact", id)
}
