package chaos_test

import (
	"context"
	"fmt"
	"slices"

	"sluice/engine/history"
	"sluice/engine/runner"
	"sluice/storage"
)

// hookedStore is a worker's store. It passes two positions for each of its commits, one before and one after, which are named after what is
// stored: runner.AtBeforeCommit and runner.AtAfterCommit are those of all transitions alike, and those of nothing else.
type hookedStore struct {
	storage.Store
	pass func(runner.Position)
}

// The kinds of commits that no runner.Position tells apart.
const (
	aStart     = "start"    // a run that somebody asked for
	aFire      = "fire"     // a run that a schedule starts, with the schedule's next fire
	aChild     = "child"    // a run that its parent's signal starts; the signal goes
	aFork      = "fork"     // a run with another one's history
	anEnd      = "end"      // the end of a run, with its signals to others
	aHold      = "hold"     // a transition that holds a run
	aRelease   = "release"  // a transition that removes a hold
	aPause     = "pause"    // the row of a flow that is held, or of everything
	anUnpause  = "unpause"  // the row's end
	anEvent    = "event"    // an event that a run emits
	aFanOut    = "fan out"  // signals to the runs that wait for an event
	aQueueMove = "queue"    // signals to the runs behind an ended one in the key queue
	aDrop      = "drop"     // a signal is removed and no run changes
	aSchedule  = "schedule" // a schedule alone: a person's change, or a fire that starts no run
	aStep      = "step"     // any other transition
	aDead      = "end_dead" // leases and claims of a dead process are removed
)

// commits lists the kinds that a storm has on every store.
var commits = []string{aStart, aFire, aChild, aFork, anEnd, aHold, aRelease, aPause, anUnpause, anEvent, aFanOut, aQueueMove, aStep}

// before and after are positions around a kind of commit.
func before(kind string) runner.Position { return "before " + kind }
func after(kind string) runner.Position  { return "after " + kind }

// kindOf tells what a batch stores.
func kindOf(b *storage.Batch) string {
	has := func(kind history.FactKind) bool {
		return slices.ContainsFunc(b.Run.Facts, func(f storage.Fact) bool { return f.Kind == string(kind) })
	}
	switch {
	case b.Run != nil && b.Run.Run.Version == 0:
		switch {
		case has(history.KindOf((*history.RunForked)(nil))):
			return aFork
		case len(b.Schedules) > 0:
			return aFire
		case b.Run.Run.Parent != "":
			return aChild
		}
		return aStart
	case b.Run != nil:
		switch {
		case has(history.KindOf((*history.RunEnded)(nil))):
			return anEnd
		case has(history.KindOf((*history.RunPaused)(nil))):
			return aHold
		case has(history.KindOf((*history.RunResumed)(nil))):
			return aRelease
		}
		return aStep
	}
	for _, c := range []struct {
		kind string
		rows int
	}{
		{aPause, len(b.Pause)},
		{anUnpause, len(b.Unpause)},
		{anEvent, len(b.Events)},
		{aFanOut, len(b.FanOut)},
		{aSchedule, len(b.Schedules)},
		{aQueueMove, len(b.Signals) + len(b.LeaveQueue)},
		{aDrop, len(b.NoSignals)},
	} {
		if c.rows > 0 {
			return c.kind
		}
	}
	return ""
}

func (s hookedStore) Write(ctx context.Context, b *storage.Batch) error {
	return s.write(ctx, b, s.Store.Write)
}

func (s hookedStore) write(ctx context.Context, b *storage.Batch, write func(context.Context, *storage.Batch) error) error {
	kind := kindOf(b)
	if kind == "" {
		panic(fmt.Sprintf("no failpoint covers this kind of commit: name it: %+v", b))
	}
	s.pass(before(kind))
	err := write(ctx, b)
	if err == nil {
		s.pass(after(kind))
	}
	return err
}

func (s hookedStore) Lock(ctx context.Context, id string) (storage.Locked, error) {
	held, err := s.Store.Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	return hookedLock{held, s}, nil
}

// hookedLock writes one run.
type hookedLock struct {
	storage.Locked
	hookedStore hookedStore
}

func (l hookedLock) Write(ctx context.Context, b *storage.Batch) error {
	return l.hookedStore.write(ctx, b, l.Locked.Write)
}

// EndDead removes the leases and claims of dead processes. The process that does so may die before it is complete.
func (s hookedStore) EndDead(ctx context.Context, processes []string) error {
	s.pass(before(aDead))
	err := s.Store.EndDead(ctx, processes)
	if err == nil {
		s.pass(after(aDead))
	}
	return err
}
