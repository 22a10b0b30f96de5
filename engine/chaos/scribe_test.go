package chaos_test

import (
	"context"
	"fmt"
	"slices"

	"sluice/engine/history"
	"sluice/engine/runner"
	"sluice/storage"
)

// scribe is a worker's store. It passes two positions for each of its commits, one before and one after, which are named after what is
// stored: runner.AtBeforeCommit and runner.AtAfterCommit are those of all transitions alike, and those of nothing else.
type scribe struct {
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
	aRelease   = "release"  // a transition that lets it go on
	aPause     = "pause"    // the row of a flow that is held, or of everything
	anUnpause  = "unpause"  // the row's end
	anEvent    = "event"    // what a run tells of
	aFanOut    = "spread"   // signals to the runs that wait for an event
	aQueueMove = "line"     // signals to the runs behind one that is over
	aDrop      = "drop"     // a signal's end that concerns no run
	aSchedule  = "schedule" // of a schedule alone: people's changes, and fires that start no run
	aStep      = "step"     // any other transition
	aBurial    = "burial"   // the end of what a dead process held
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

func (s scribe) Write(ctx context.Context, b *storage.Batch) error {
	return s.write(ctx, b, s.Store.Write)
}

func (s scribe) write(ctx context.Context, b *storage.Batch, write func(context.Context, *storage.Batch) error) error {
	kind := kindOf(b)
	if kind == "" {
		panic(fmt.Sprintf("nobody is killed around this kind of commit: name it: %+v", b))
	}
	s.pass(before(kind))
	err := write(ctx, b)
	if err == nil {
		s.pass(after(kind))
	}
	return err
}

func (s scribe) Lock(ctx context.Context, id string) (storage.Locked, error) {
	held, err := s.Store.Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	return lockedScribe{held, s}, nil
}

// lockedScribe writes one run.
type lockedScribe struct {
	storage.Locked
	scribe scribe
}

func (l lockedScribe) Write(ctx context.Context, b *storage.Batch) error {
	return l.scribe.write(ctx, b, l.Locked.Write)
}

// Bury is of what others have left. A process may die with the burial half done.
func (s scribe) Bury(ctx context.Context, processes []string) error {
	s.pass(before(aBurial))
	err := s.Store.Bury(ctx, processes)
	if err == nil {
		s.pass(after(aBurial))
	}
	return err
}
