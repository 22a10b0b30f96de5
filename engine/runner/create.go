package runner

import (
	"context"

	"sluice/engine/compiled"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/engine/run"
	"sluice/storage"
)

// First is a run that is to be stored with its first facts.
type First struct {
	Revision *compiled.Revision
	Row      storage.Run
	Start    history.RunStarted
	Actor    history.Actor
	Behind   string // name of the run in its key's queue that it waits for; empty = it need not wait

	Remembered map[string]any // values that earlier runs have kept
}

// Create stores a run by its first transition. While its flow, or everything, is paused it begins held. add puts more into the transaction.
func (x *Runner) Create(ctx context.Context, n First, add func(*storage.Batch)) (storage.Run, error) {
	row := n.Row
	l := x.hold(row.ID)
	defer x.drop(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.row, l.revision, l.start, l.outputs = row, n.Revision, &n.Start, map[int64]history.Output{}
	l.state = &history.State{}
	paused, err := x.Pauses.Known(ctx)
	if err != nil {
		return row, err
	}
	in := run.Start{At: row.Started, Actor: n.Actor, Run: n.Start, Behind: n.Behind, Remembered: n.Remembered}
	if in.Held, err = paused.begun(row.Flow); err != nil {
		return row, err
	}
	reservation := x.reserve(in)
	defer reservation.release()
	d, err := x.decide(ctx, l, in, reservation.free())
	if err != nil {
		return row, err
	}
	m, err := x.commit(ctx, l, []decided{{Decision: d, before: l.state}}, add)
	if err != nil {
		l.state = nil
		return row, err
	}
	reservation.use(l, m)
	return m.Row, nil
}

// Fork is a run that is to be stored with facts of another one before its own.
type Fork struct {
	Row      storage.Run // without what the state says
	First    history.Fact
	From     string // id of the other run
	Last     int64  // its last fact that the new one begins with
	Before   *history.State
	Decision run.Decision
	TakeKey  bool
}

// CreateFork stores a fork, by write, and dispatches its tokens. add puts more into the transaction.
func (x *Runner) CreateFork(ctx context.Context, f Fork, add func(*storage.Batch), write func(context.Context, *storage.Batch) error) error {
	row, st := f.Row, f.Decision.State
	row.Status, row.Outcome, row.Steps, row.Revision = string(st.Status), string(st.Outcome), st.Steps, st.Revision
	var err error
	if row.State, err = history.EncodeState(st); err != nil {
		return err
	}
	first, err := stored.Encode(row.ID, f.First)
	if err != nil {
		return err
	}
	w := &storage.RunWrite{Run: row, TakeKey: f.TakeKey, Facts: []storage.Fact{first}, Copy: &storage.Copy{Run: f.From, Last: f.Last}}
	if err := x.fill(ctx, w, f.Decision, f.Before, 0); err != nil {
		return err
	}
	b := &storage.Batch{Run: w}
	if x.cfg.Surfaces != nil {
		b.Surfaces, b.Stale = x.cfg.Surfaces.Transition(row, append([]history.Fact{f.First}, f.Decision.Facts...))
	}
	add(b)
	x.cfg.Hook(AtBeforeCommit)
	if err := write(ctx, b); err != nil {
		return err
	}
	x.cfg.Hook(AtAfterCommit)
	x.after(row.ID, f.Decision)
	x.wake(b)
	return nil
}
