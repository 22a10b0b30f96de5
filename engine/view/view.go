// Package view looks at runs: a run's row, its flow, and what its facts say of every node and edge, as people see it.
//
// A view of a long run holds a bounded part of its facts and goes on from where it was. The package moves no run and draws nothing: look next
// at history.View for what is derived from facts, and at bot/project for what is shown.
package view

import (
	"context"
	"fmt"
	"slices"

	"sluice/engine/compiled"
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

// Store is the part of the store that is read.
type Store interface {
	stored.Reader
	Run(ctx context.Context, id string) (storage.Run, error)
}

// Views looks at runs. Its methods are safe for concurrent use.
type Views struct {
	store     Store
	revisions *compiled.Cache
	long      longViews
}

// New looks at the runs of a store.
func New(store Store, revisions *compiled.Cache) *Views {
	return &Views{store: store, revisions: revisions}
}

// What is kept of a long run.
const (
	visitsKept = 1000
	factsKept  = 2000
)

// View loads a run and looks at its facts.
func (x *Views) View(ctx context.Context, id string) (*View, error) {
	if v, err := x.long.again(ctx, x, id); v != nil || err != nil {
		return v, err
	}
	v, err := x.Follow(ctx, id, nil, nil)
	if err == nil && v.read > factsKept {
		x.long.keep(v)
	}
	return v, err
}

// Follow is for callers that look at a run again and again: it adds to v what has happened since, and calls show for each new fact when it
// is not nil. The view that it gives takes the place of v; nil begins with the first fact.
func (x *Views) Follow(ctx context.Context, id string, v *View, show func(history.Fact)) (*View, error) {
	shown := int64(0)
	for {
		row, err := x.store.Run(ctx, id)
		if err != nil {
			return nil, err
		}
		if v != nil {
			shown = max(shown, v.read)
		}
		if v == nil || v.Run.Revision != row.Revision {
			if v, err = x.newView(ctx, row); err != nil {
				return nil, err
			}
		}
		v.Run = row
		if err := x.add(ctx, v, func(f history.Fact) {
			if show != nil && f.Seq > shown {
				show(f)
			}
		}); err != nil {
			return nil, fmt.Errorf("look at run %s: %w", row.Name, err)
		}
		if v.revision == 0 || v.revision == row.Revision { // else it went over to another revision meanwhile
			return v, x.readResult(ctx, v)
		}
	}
}

func (x *Views) newView(ctx context.Context, row storage.Run) (*View, error) {
	c, err := x.revisions.Load(ctx, row.Flow, row.Revision)
	if err != nil {
		return nil, fmt.Errorf("read revision %d of %s: %w", row.Revision, row.Flow, err)
	}
	v := &View{Run: row, Flow: c.Flow}
	v.View, err = history.NewView(c.Flow, nil, history.Past{Revision: row.Revision, Flow: c.Flow})
	return v, err
}

// add takes the facts that v has not seen into account.
func (x *Views) add(ctx context.Context, v *View, show func(history.Fact)) error {
	for {
		facts, err := stored.Page(ctx, x.store, v.Run.ID, v.read)
		if err != nil {
			return err
		}
		for _, f := range facts {
			if err := x.note(ctx, v, f); err != nil {
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
func (x *Views) note(ctx context.Context, v *View, f history.Fact) error {
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
	c, err := x.revisions.Load(ctx, v.Run.Flow, v.revision)
	if err != nil {
		return fmt.Errorf("read revision %d of %s: %w", v.revision, v.Run.Flow, err)
	}
	v.Know(history.Past{Revision: v.revision, Flow: c.Flow})
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
func (x *Views) readResult(ctx context.Context, v *View) error {
	f := v.latest
	if v.Ended != nil && v.Ended.Output != 0 && v.Ended.Output != f.Seq {
		v.Result = history.Output{}
		facts, err := stored.BySeq(ctx, x.store, v.Run.ID, v.Ended.Output)
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
	v.Result, err = stored.NewResults(x.store, v.Run.ID).Gather(ctx, items)
	return err
}

// Latest is the latest visit to a node, or an empty one.
func (v *View) Latest(node string) history.Visit {
	return v.Visit(v.Nodes[node].Latest)
}

// StartOf gives the first fact of a run: its inputs and who asked for it.
func (x *Views) StartOf(ctx context.Context, id string) (*history.RunStarted, error) {
	return stored.Start(ctx, x.store, id)
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
