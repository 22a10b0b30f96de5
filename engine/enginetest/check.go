package enginetest

import (
	"errors"
	"fmt"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/history"
)

// check looks for what must always hold.
func (d *Driver) check() error {
	s := d.State
	if s.Seq != int64(len(d.Facts)) {
		return fmt.Errorf("the state has seen fact %d of %d", s.Seq, len(d.Facts))
	}
	if d.resumed {
		return nil
	}
	leased := map[int]bool{}
	for _, t := range s.Tokens {
		if t.Phase == history.PhaseReady && len(s.Holds) > 0 {
			return fmt.Errorf("token %d is ready although the run is paused", t.ID)
		}
		moves := t.Phase == history.PhaseReady || t.Phase == history.PhaseStarted
		l, ok := d.Leases[t.ID]
		switch {
		case moves && !ok:
			return fmt.Errorf("token %d (%s at %s) has no lease", t.ID, t.Phase, t.Node)
		case !moves && ok:
			return fmt.Errorf("token %d (%s at %s) has a lease", t.ID, t.Phase, t.Node)
		case ok && l.Epoch != t.Epoch:
			return fmt.Errorf("token %d has epoch %d, its lease %d", t.ID, t.Epoch, l.Epoch)
		}
		leased[t.ID] = true
	}
	for id := range d.Leases {
		if !leased[id] {
			return fmt.Errorf("token %d is gone but has a lease", id)
		}
	}
	return errors.Join(d.checkWaits(), d.checkChildren(), d.checkMessages(), d.checkFrames(), d.checkRest())
}

func (d *Driver) checkWaits() error {
	s := d.State
	for _, t := range s.Tokens {
		if (t.Phase == history.PhaseDeferred) != slices.Contains(s.Deferred, t.ID) {
			return fmt.Errorf("token %d is %s, and these wait their turn: %v", t.ID, t.Phase, s.Deferred)
		}
	}
	if len(s.Deferred) > 0 && len(s.Gates) == 0 && s.Status == history.Waiting && len(s.Timers)+len(d.Messages) == 0 {
		return fmt.Errorf("tokens %v wait their turn although nobody is asked", s.Deferred)
	}
	for _, g := range s.Gates {
		if t := s.Token(g.Token); t == nil || t.Gate != g.ID {
			return fmt.Errorf("gate %d belongs to no live token", g.ID)
		}
	}
	for _, tm := range s.Timers {
		if tm.Kept && len(s.Holds) == 0 {
			return fmt.Errorf("timer %d fired during a pause, and was forgotten", tm.ID)
		}
		switch tm.Kind {
		case history.TimerRetry, history.TimerWait, history.TimerTimeout:
			if t := s.Token(tm.Token); t == nil || t.Timer != tm.ID {
				return fmt.Errorf("timer %d (%s) belongs to no live token", tm.ID, tm.Kind)
			}
		case history.TimerJoin:
			if !slices.ContainsFunc(s.Frames, func(f history.Frame) bool { return f.Timer == tm.ID }) {
				return fmt.Errorf("timer %d (%s) has no frame", tm.ID, tm.Kind)
			}
		default:
			if s.Gate(tm.Gate) == nil {
				return fmt.Errorf("timer %d (%s) has no gate", tm.ID, tm.Kind)
			}
		}
	}
	return nil
}

func (d *Driver) checkFrames() error {
	s := d.State
	for i, f := range s.Frames {
		if i == 0 {
			continue
		}
		if t := s.Token(f.Token); t == nil || t.Frame != f.Parent {
			return fmt.Errorf("frame %d belongs to no live token", f.ID)
		}
		for j, b := range f.Branches {
			live := 0
			for _, t := range s.Tokens {
				if t.Frame == f.ID && t.Branch == j {
					live++
				}
			}
			if live != b.Live || (b.Live == 0) != b.Done || b.Done && b.Failed {
				return fmt.Errorf("branch %d of frame %d: %d tokens, %+v", j, f.ID, live, b)
			}
		}
		if err := d.checkItems(f); err != nil {
			return err
		}
	}
	return nil
}

// checkItems makes sure that every item of a foreach is over, open or yet to come, and that no more are open than may be.
func (d *Driver) checkItems(f history.Frame) error {
	if f.Each == nil {
		return nil
	}
	open := 0
	for _, b := range f.Branches {
		if b.Item != 0 {
			open++
		}
	}
	spec := d.Flow.Node(f.Node).Spec.(*flow.ForeachSpec)
	if e := f.Each; e.Ended+open != e.Next || e.Next > e.Total || open > max(spec.MaxParallel, 1) {
		return fmt.Errorf("frame %d has %d open items, %+v", f.ID, open, *e)
	}
	return nil
}

// checkRest makes sure that a run that does not move has something to wait for.
func (d *Driver) checkRest() error {
	s := d.State
	switch s.Status {
	case history.Running:
		if len(d.Leases) == 0 {
			return errors.New("the run is running but nobody can move it")
		}
	case history.Waiting:
		if len(s.Gates)+len(s.Timers)+len(d.Waiting()) == 0 {
			return errors.New("the run waits for nothing")
		}
	case history.Paused:
		if len(s.Holds) == 0 {
			return errors.New("the run is paused by nobody")
		}
	case history.Failed:
		if len(s.Gates) == 0 {
			return errors.New("the run failed and asks nobody")
		}
	case history.Succeeded, history.Cancelled:
		if len(s.Tokens)+len(s.Gates)+len(s.Timers)+len(d.Leases) > 0 || len(s.Frames) != 1 {
			return fmt.Errorf("the run is %s but not empty", s.Status)
		}
	default:
		return fmt.Errorf("the run has the status %q", s.Status)
	}
	return nil
}
