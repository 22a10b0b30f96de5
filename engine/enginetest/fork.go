package enginetest

import (
	"fmt"
	"iter"
	"slices"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/forkplan"
)

// Each gives facts one after the other.
func Each(facts []history.Fact) iter.Seq2[history.Fact, error] {
	return func(yield func(history.Fact, error) bool) {
		for _, f := range facts {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// ForkAt gives a driver of a run that is forked from this one's visit of a step, and what that means. What these nodes did is done again;
// so is all that cannot be taken over.
func (d *Driver) ForkAt(step int, again ...string) (*Driver, *forkplan.Plan, error) {
	p, err := forkplan.Make(Each(d.Facts), step)
	if err != nil {
		return nil, nil, err
	}
	keep, missing, _ := p.Keep(again)
	for _, a := range missing {
		again = append(again, a.Node)
	}
	var kept []run.KeptOutput
	for _, k := range keep {
		out, err := k.Output(d.Facts[k.Seq-1])
		if err != nil {
			return nil, nil, err
		}
		kept = append(kept, out)
	}
	context := *d.Context
	context.RunID += "-forked"
	f := &Driver{
		Flow: d.Flow, Program: d.Program, Context: &context, State: p.State, Facts: d.Facts[:p.Last:p.Last], Now: d.Now, Turn: d.Turn,
		Leases: map[int]Lease{}, Acts: map[string]int{}, Children: map[string]run.StartChild{}, Messages: map[string]run.PostMessage{}, mirror: p.State.Clone(),
	}
	origin := p.Origin
	if origin == "" {
		origin = d.Context.RunID
	}
	_, err = f.Feed(run.Fork{
		At: f.Now, Actor: history.Actor{User: "U1"}, From: "before-1", Origin: origin, Generation: d.State.Generation + 1000, Keep: kept,
	})
	for i, a := range p.Acts {
		if slices.Contains(again, a.Node) && a.Why == "" {
			p.Acts[i].Why = "somebody wants it done again"
		}
	}
	return f, p, err
}

// Fork makes the driver one of a run that is forked from this one's latest visit to a node. Of the nodes named what they gave is kept.
func (d *Driver) Fork(node string, keep ...string) error {
	step := 0
	for _, f := range d.Facts {
		if f.Node == node {
			step = max(step, f.Step)
		}
	}
	s := &history.State{}
	for i, f := range d.Facts {
		if err := history.Apply(s, f); err != nil {
			return err
		}
		if _, ok := s.Forkable(step); !ok {
			continue
		}
		in := run.Fork{At: d.Now, Actor: history.Actor{User: "U1"}, From: "before-1", Origin: "before", Generation: 2000}
		for _, name := range keep {
			out, ok := d.Output(name)
			if !ok {
				return fmt.Errorf("%s gave nothing", name)
			}
			in.Keep = append(in.Keep, run.KeptOutput{Node: name, Output: out})
		}
		mirror := s.Clone()
		d.State, d.mirror, d.Facts, d.Inputs = s, mirror, d.Facts[:i+1:i+1], nil
		d.Leases, d.Revoked, d.Acts = map[int]Lease{}, nil, map[string]int{}
		_, err := d.Feed(in)
		return err
	}
	return run.ErrForkPoint
}
