package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/engine/run"
	"sluice/storage"
)

// fillAll puts decisions that follow each other into one write, and gives their facts.
func (x *Runner) fillAll(ctx context.Context, b *storage.Batch, made []decided) ([]history.Fact, error) {
	if len(made) == 1 {
		d := made[0]
		if err := x.fill(ctx, b.Run, d.Decision, d.before, d.held); err != nil {
			return nil, err
		}
		x.cfg.Meter.Fill(b, d.Facts)
		return d.Facts, x.cfg.Signals(b, d.Decision, d.before)
	}
	var facts []history.Fact
	for _, d := range made {
		w := &storage.RunWrite{Run: b.Run.Run}
		if err := x.fill(ctx, w, d.Decision, d.before, d.held); err != nil {
			return nil, err
		}
		follow(b.Run, w)
		facts = append(facts, d.Facts...)
	}
	x.cfg.Meter.Fill(b, facts)
	return facts, nil
}

// follow adds a later write of a run to an earlier one. The later one wins: a row that it deletes is not put, and one that it puts is not deleted.
func follow(w, later *storage.RunWrite) {
	w.Facts = append(w.Facts, later.Facts...)
	w.Leases = slices.DeleteFunc(w.Leases, func(l storage.Lease) bool {
		again := func(o storage.Lease) bool { return o.Token == l.Token }
		return slices.Contains(later.NoLease, l.Token) || slices.ContainsFunc(later.Leases, again)
	})
	w.NoLease = slices.DeleteFunc(w.NoLease, func(token int) bool {
		return slices.ContainsFunc(later.Leases, func(o storage.Lease) bool { return o.Token == token })
	})
	w.Leases, w.NoLease = append(w.Leases, later.Leases...), append(w.NoLease, later.NoLease...)
	w.Timers = slices.DeleteFunc(w.Timers, func(t storage.Timer) bool { return slices.Contains(later.NoTimer, t.ID) })
	w.Timers, w.NoTimer = append(w.Timers, later.Timers...), append(w.NoTimer, later.NoTimer...)
}

// fill puts facts, leases, timers and gates of a decision into the write.
func (x *Runner) fill(ctx context.Context, w *storage.RunWrite, d run.Decision, before *history.State, held int) error {
	for _, f := range d.Facts {
		sf, err := stored.Encode(w.Run.ID, f)
		if err != nil {
			return err
		}
		w.Facts = append(w.Facts, sf)
		switch b := f.Body.(type) {
		case *history.TimerSet:
			t := b.Timer
			w.Timers = append(w.Timers, storage.Timer{ID: timerID(w.Run.ID, t.ID), Run: w.Run.ID, Num: t.ID, Kind: string(t.Kind), Due: t.Due})
		case *history.TimerGone:
			forgetTimer(w, b.ID)
		case *history.TimerKept:
			w.NoTimer = append(w.NoTimer, timerID(w.Run.ID, b.ID))
		case *history.RunResumed:
			w.Timers = append(w.Timers, dueAgain(w.Run.ID, before, d.State)...)
		}
	}
	x.fillLeases(w, d, before, held)
	return gate.Fill(ctx, x.cfg.Store, w, d.State, d.Facts)
}

// fillLeases writes leases for dispatched tokens, and for one that a worker of this process goes over to; it deletes those of tokens
// that wait or have ended. A token that is dispatched and ended by one decision gets none: it would never be deleted.
func (x *Runner) fillLeases(w *storage.RunWrite, d run.Decision, before *history.State, held int) {
	gone, performing := map[int]bool{}, map[int]bool{}
	if before != nil {
		for _, t := range before.Tokens {
			gone[t.ID] = true
		}
	}
	for _, t := range d.State.Tokens {
		if performing[t.ID] = t.Phase == history.PhaseReady || t.Phase == history.PhaseStarted; performing[t.ID] {
			delete(gone, t.ID)
		} else {
			gone[t.ID] = true
		}
	}
	for _, eff := range d.Effects {
		switch eff := eff.(type) {
		case run.Dispatch:
			if performing[eff.Token] {
				w.Leases = append(w.Leases, storage.Lease{Run: w.Run.ID, Token: eff.Token, Epoch: eff.Epoch})
			}
		case run.Perform:
			if eff.Token != held && performing[eff.Token] {
				w.Leases = append(w.Leases, storage.Lease{Run: w.Run.ID, Token: eff.Token, Epoch: eff.Epoch, Worker: x.cfg.Worker, Claimed: x.cfg.Now()})
			}
		}
	}
	w.NoLease = slices.Sorted(maps.Keys(gone))
}

func timerID(runID string, n int) string { return fmt.Sprintf("%s/%d", runID, n) }

// forgetTimer takes a timer's row out of the store. One that the same decision has set is in this write alone: a row that is both put
// and deleted would be put.
func forgetTimer(w *storage.RunWrite, num int) {
	n := len(w.Timers)
	w.Timers = slices.DeleteFunc(w.Timers, func(t storage.Timer) bool { return t.Num == num })
	if len(w.Timers) == n {
		w.NoTimer = append(w.NoTimer, timerID(w.Run.ID, num))
	}
}

// dueAgain gives the rows of timers that fired while a run was paused and that goes on now.
func dueAgain(id string, before, after *history.State) []storage.Timer {
	if before == nil || len(after.Holds) > 0 {
		return nil
	}
	var rows []storage.Timer
	for _, t := range before.Kept() {
		if after.Timer(t.ID) != nil {
			rows = append(rows, storage.Timer{ID: timerID(id, t.ID), Run: id, Num: t.ID, Kind: string(t.Kind), Due: t.Due})
		}
	}
	return rows
}
