package enginetest

import (
	"fmt"

	"sluice/engine/run"
)

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
