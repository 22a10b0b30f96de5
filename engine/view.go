package engine

import (
	"context"
	"fmt"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/storage"
)

// View is a run as people look at it: its row, its flow, and what its facts say of every node and edge. What it holds of a long run
// does not grow with the run.
type View struct {
	*history.View
	Run   storage.Run
	Flow  *flow.Flow
	Start *history.RunStarted
	// Facts are all facts of a short run. Of a long one they are the newest, and of the earlier ones those that say how it began and
	// what was asked.
	Facts  []history.Fact
	Result history.Output // of the run when it has one, else the latest output; while it goes on not that of a foreach

	read     int64 // the newest fact
	revision int   // that the newest fact was made under
	latest   history.Fact
}

// What is kept of a long run.
const (
	visitsKept = 1000
	factsKept  = 2000
)

// View loads a run and looks at its facts.
func (e *Engine) View(ctx context.Context, id string) (*View, error) {
	if v, err := e.views.again(ctx, e, id); v != nil || err != nil {
		return v, err
	}
	v, err := e.Follow(ctx, id, nil, nil)
	if err == nil && v.read > factsKept {
		e.views.keep(v)
	}
	return v, err
}

// Follow is for callers that look at a run again and again: it adds to v what has happened since, and calls show for each new fact when it
// is not nil. The view that it gives takes the place of v; nil begins with the first fact.
func (e *Engine) Follow(ctx context.Context, id string, v *View, show func(history.Fact)) (*View, error) {
	shown := int64(0)
	for {
		row, err := e.cfg.Store.Run(ctx, id)
		if err != nil {
			return nil, err
		}
		if v != nil {
			shown = max(shown, v.read)
		}
		if v == nil || v.Run.Revision != row.Revision {
			if v, err = e.newView(ctx, row); err != nil {
				return nil, err
			}
		}
		v.Run = row
		if err := e.add(ctx, v, func(f history.Fact) {
			if show != nil && f.Seq > shown {
				show(f)
			}
		}); err != nil {
			return nil, fmt.Errorf("look at run %s: %w", row.Name, err)
		}
		if v.revision == 0 || v.revision == row.Revision { // else it went over to another revision meanwhile
			return v, e.readResult(ctx, v)
		}
	}
}

func (e *Engine) newView(ctx context.Context, row storage.Run) (*View, error) {
	program, err := e.compiled(ctx, row.Flow, row.Revision)
	if err != nil {
		return nil, fmt.Errorf("read revision %d of %s: %w", row.Revision, row.Flow, err)
	}
	v := &View{Run: row, Flow: program.flow}
	v.View, err = history.NewView(program.flow, nil, history.Past{Revision: row.Revision, Flow: program.flow})
	return v, err
}

// add takes the facts that v has not seen into account.
func (e *Engine) add(ctx context.Context, v *View, show func(history.Fact)) error {
	for {
		facts, err := stored.Page(ctx, e.cfg.Store, v.Run.ID, v.read)
		if err != nil {
			return err
		}
		for _, f := range facts {
			if err := e.note(ctx, v, f); err != nil {
				return err
			}
			show(f)
		}
		if err := v.Add(facts...); err != nil {
			return err
		}
		if v.Facts = append(v.Facts, facts...); len(facts) > 0 {
			v.read = facts[len(facts)-1].Seq
		}
		v.trim()
		if len(facts) < storage.FactsAtOnce {
			return nil
		}
	}
}

// note keeps the run's start, its revision and its latest output.
func (e *Engine) note(ctx context.Context, v *View, f history.Fact) error {
	switch b := f.Body.(type) {
	case *history.RunStarted:
		v.Start, v.revision = b, b.Revision
	case *history.RevisionChanged:
		v.revision = b.Revision
	default:
		if _, ok := history.OutputOf(f); ok {
			v.latest = f
		} else if _, ok := history.ItemsOf(f); ok {
			v.latest = f
		}
		return nil
	}
	program, err := e.compiled(ctx, v.Run.Flow, v.revision)
	if err != nil {
		return fmt.Errorf("read revision %d of %s: %w", v.revision, v.Run.Flow, err)
	}
	v.Know(history.Past{Revision: v.revision, Flow: program.flow})
	return nil
}

// trim leaves out what a long run has behind it.
func (v *View) trim() {
	if len(v.Facts) <= 2*factsKept {
		return
	}
	v.Trim(visitsKept)
	old := len(v.Facts) - factsKept
	early := slices.DeleteFunc(slices.Clone(v.Facts[:old]), func(f history.Fact) bool {
		switch f.Body.(type) {
		case *history.RunStarted, *history.RunForked, *history.RunEnded, *history.RunReopened, *history.RevisionChanged, *history.GateOpened:
			return false
		case *history.StepStarted:
			x := v.Visit(f.Step)
			return x.Step == 0 || x.Gate == 0 && !x.Ended.IsZero()
		}
		return true
	})
	v.Facts = slices.Concat(early[max(0, len(early)-factsKept):], v.Facts[old:])
}

// readResult reads what the run has come to.
func (e *Engine) readResult(ctx context.Context, v *View) error {
	f := v.latest
	if v.Ended != nil && v.Ended.Output != 0 && v.Ended.Output != f.Seq {
		v.Result = history.Output{}
		facts, err := stored.BySeq(ctx, e.cfg.Store, v.Run.ID, v.Ended.Output)
		if err != nil || len(facts) == 0 {
			return err
		}
		f = facts[0]
	}
	if o, ok := history.OutputOf(f); ok {
		v.Result = o
	}
	items, ok := history.ItemsOf(f)
	if !ok {
		return nil
	}
	v.Result = history.Output{}
	if v.Ended == nil {
		return nil
	}
	var err error
	v.Result, err = stored.NewResults(e.cfg.Store, v.Run.ID).Gather(ctx, items)
	return err
}

// Latest is the latest visit to a node, or an empty one.
func (v *View) Latest(node string) history.Visit {
	return v.Visit(v.Nodes[node].Latest)
}

// StartOf gives the first fact of a run: its inputs and who asked for it.
func (e *Engine) StartOf(ctx context.Context, id string) (*history.RunStarted, error) {
	return stored.Start(ctx, e.cfg.Store, id)
}

// Given is what a step was called with when a gate was opened about it, as it was stored: secrets are redacted there.
func (v *View) Given(gate, step int) string {
	asked := false
	for _, f := range slices.Backward(v.Facts) {
		if b, ok := f.Body.(*history.GateOpened); ok && b.Gate == gate {
			asked = true
		}
		if b, ok := f.Body.(*history.StepStarted); ok && asked && f.Step == step && len(b.Params) > 0 {
			return string(b.Params)
		}
	}
	return ""
}
