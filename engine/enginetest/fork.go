package enginetest

import (
	"fmt"
	"slices"

	"sluice/engine/run"
)

// ForkAt gives a driver of a run that is forked from this one's visit of a step, and what that means. What these nodes did is done again;
// so is all that cannot be taken over.
func (d *Driver) ForkAt(step int, again ...string) (*Driver, *run.ForkPlan, error) {
	p, err := run.PlanFork(d.Facts, step)
	if err != nil {
		return nil, nil, err
	}
	keep, missing, _ := p.Keep(again)
	for _, a := range missing {
		again = append(again, a.Node)
	}
	context := *d.Context
	context.RunID += "-forked"
	f := &Driver{
		Flow: d.Flow, Program: d.Program, Context: &context, State: p.State, Facts: p.Facts, Now: d.Now, Turn: d.Turn,
		Leases: map[int]Lease{}, Acts: map[string]int{}, Children: map[string]run.StartChild{}, mirror: p.State.Clone(),
	}
	origin := p.Origin
	if origin == "" {
		origin = d.Context.RunID
	}
	_, err = f.Feed(run.Fork{
		At: f.Now, Actor: run.Actor{User: "U1"}, From: "before-1", Origin: origin, Generation: d.State.Generation + 1000, Keep: keep,
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
	s := &run.State{}
	for i, f := range d.Facts {
		if err := run.Apply(s, f); err != nil {
			return err
		}
		if _, ok := s.Forkable(step); !ok {
			continue
		}
		in := run.Fork{At: d.Now, Actor: run.Actor{User: "U1"}, From: "before-1", Origin: "before", Generation: 2000}
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
