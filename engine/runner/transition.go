package runner

import (
	"context"
	"errors"
	"fmt"

	"sluice/engine/dispatch"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/scope"
	"sluice/engine/tool"
	"sluice/storage"
)

// Moved is what a transition did.
type Moved struct {
	Row     storage.Run
	State   *history.State
	Facts   []history.Fact
	Effects []run.Effect
}

// conflictsMax bounds how often a transition is decided again after another process was faster.
const conflictsMax = 20

// Transition feeds one input to a run: it decides, stores the decision in one transaction, then performs the effects. add may put more into the
// batch, such as the inbox row that the input came from. Errors of run.Decide pass through. Inputs of workers that wait together share a commit.
func (x *Runner) Transition(ctx context.Context, id string, in run.Input, add func(*storage.Batch)) (*Moved, error) {
	l := x.hold(id)
	defer x.drop(l)
	t := &request{in: in, add: add}
	if t.batchable() {
		l.queue(t)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.over { // the worker that had the lock before has decided about it
		return t.moved, t.err
	}
	t.reservation = x.reserve(in)
	defer t.reservation.release()
	for requests := l.takeBatch(t); len(requests) > 0; {
		requests = requests[x.move(ctx, l, requests):]
	}
	return t.moved, t.err
}

// move makes a transition for the first of some requests and for those that can share it. It returns how many it has handled.
func (x *Runner) move(ctx context.Context, l *live, requests []*request) int {
	defer l.unlock()
	first := requests[0]
	for try := 0; ; try++ {
		if try >= lockAfter {
			x.lockRun(ctx, l)
		}
		known := l.state != nil
		if err := x.load(ctx, l); err != nil {
			return first.end(nil, fmt.Errorf("load run %s: %w", l.id, err))
		}
		if err := x.syncPauses(ctx, l, run.Resume{}); err != nil {
			l.state = nil
			if !errors.Is(err, storage.ErrConflict) || try == conflictsMax {
				return first.end(nil, fmt.Errorf("hold or release run %s: %w", l.row.Name, err))
			}
			continue
		}
		made, err := x.decideAll(ctx, l, requests)
		if err != nil && known && x.cfg.Shared {
			l.state = nil // another process may have moved the run meanwhile
			continue
		}
		if err != nil {
			return first.end(nil, err)
		}
		m, err := x.commit(ctx, l, made, first.add)
		if err == nil {
			first.reservation.use(l, m)
			for i, d := range made {
				requests[i].end(&Moved{Row: m.Row, State: m.State, Facts: d.Facts, Effects: d.Effects}, nil)
			}
			return len(made)
		}
		l.reset()
		if !errors.Is(err, storage.ErrConflict) || try == conflictsMax {
			err = fmt.Errorf("store a transition of run %s: %w", l.row.Name, err)
			for _, r := range requests[:len(made)] {
				r.end(nil, err) // it may be stored all the same: each caller has to find out
			}
			return len(made)
		}
	}
}

// decide asks the machine, and loads the outputs that it needs. With atHand a worker is free to perform a token that becomes ready.
func (x *Runner) decide(ctx context.Context, l *live, in run.Input, atHand bool) (run.Decision, error) {
	if l.start == nil {
		if err := x.read(ctx, l, []int64{1}); err != nil {
			return run.Decision{}, err
		}
	}
	c := &run.Context{
		RunID: l.id, Origin: l.id, HasModel: x.cfg.Meter.Model != nil, Due: x.cfg.Due, Zone: x.cfg.Zone, People: x.cfg.People,
		Follow: true, AtHand: atHand,
		Effects: func(name string) flow.Effects { return toolEffects(x.cfg.Tools, name) },
		Policy: func(name string) flow.ToolPolicy {
			t, _ := x.cfg.Tools.Lookup(name)
			return t.Policy
		},
	}
	reads := &scope.Reads{Start: l.start, Outputs: l.outputs}
	for {
		d, err := run.Decide(l.revision.Program, l.state, in, reads, c)
		var need *scope.Need
		if !errors.As(err, &need) {
			return d, err
		}
		if _, starts := in.(run.Start); need.URL && starts && c.AtHand {
			c.AtHand = false // it has an address when it is stored: a worker begins after that
			continue
		}
		if need.URL {
			if err := x.locate(ctx, l); err != nil {
				return run.Decision{}, err
			}
			reads.URL = &l.url
			continue
		}
		if err := x.read(ctx, l, need.Facts); err != nil {
			return run.Decision{}, err
		}
	}
}

func toolEffects(tools tool.Catalogue, name string) flow.Effects {
	if t, ok := tools.Lookup(name); ok && t.Effects != "" {
		return t.Effects
	}
	return flow.EffectsOnce
}

// commit stores decisions that follow each other in one transaction, and performs their effects. After an error nothing was stored, as far as
// the store can tell.
func (x *Runner) commit(ctx context.Context, l *live, made []decided, add func(*storage.Batch)) (*Moved, error) {
	last := made[len(made)-1]
	st := last.State
	row := l.row
	row.Status, row.Outcome, row.Steps, row.Ended, row.Revision = string(st.Status), string(st.Outcome), st.Steps, st.Ended, st.Revision
	var err error
	if row.State, err = history.EncodeState(st); err != nil {
		return nil, err
	}
	b := &storage.Batch{Run: &storage.RunWrite{Run: row}}
	facts, err := x.fillAll(ctx, b, made)
	if err != nil {
		return nil, err
	}
	if x.cfg.Surfaces != nil {
		made, stale := x.cfg.Surfaces.Transition(row, facts)
		b.Surfaces, b.Stale = append(made, b.Surfaces...), append(stale, b.Stale...)
	}
	if add != nil {
		add(b)
	}
	x.cfg.Hook(AtBeforeCommit)
	if err := x.write(ctx, l, b); err != nil {
		return nil, err
	}
	x.cfg.Hook(AtAfterCommit)
	row.Version++
	if l.state = st; row.Revision != l.row.Revision {
		l.state = nil // the next transition loads the run with its new flow
	}
	l.row = row
	l.forget()
	for _, f := range facts {
		l.remember(f)
	}
	for _, d := range made {
		x.after(row.ID, d.Decision)
	}
	x.wake(b)
	if !st.Ended.IsZero() && startedBySchedule(l.start) {
		x.cfg.Wake()
	}
	return &Moved{Row: row, State: st, Facts: facts, Effects: last.Effects}, nil
}

// after performs the effects of a decision that is stored.
func (x *Runner) after(id string, d run.Decision) {
	for _, eff := range d.Effects {
		switch eff := eff.(type) {
		case run.Dispatch:
			if x.cfg.Queued {
				continue
			}
			x.cfg.Dispatcher.Enqueue(dispatch.Item{Run: id, Token: eff.Token, Epoch: eff.Epoch})
		case run.Revoke:
			x.cfg.Presence.Revoke(dispatch.Item{Run: id, Token: eff.Token, Epoch: eff.Epoch})
			x.cfg.Dispatcher.Revoke(id, eff.Token, eff.Epoch)
		}
	}
}

// wake wakes the loops for which a write has left work: timers, and surfaces to send.
func (x *Runner) wake(b *storage.Batch) {
	if len(b.Run.Timers)+len(b.Signals) > 0 {
		x.cfg.Wake()
	}
	if x.cfg.Surfaces != nil {
		x.cfg.Surfaces.Wake()
	}
}

// startedBySchedule tells whether a run was started by a schedule: others of its fires may wait for the run's end.
func startedBySchedule(start *history.RunStarted) bool {
	return start != nil && start.Event["type"] == "schedule"
}
