// Package cluster lets several processes serve one store: each beats, watches the counters of the others, and hands on what dead ones held.
//
//	lead:  beat, watch --> who is dead, what this process has lost --> sweep: hand on, end claims, dispatch again
//
// Everything is counted on each process's own monotonic clock: no two clocks are compared. A worker stops to begin acts before another process
// may think it dead (Pulse.Fit), and is told at its next beat what it has lost meanwhile.
//
// The package does not know what a run is: it hands leases on through Runner. Look next at pulse.go (what a process knows of itself), at
// engine/runner (what becomes of a token that is handed on) and at engine/decisions.md.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"sluice/engine/dispatch"
	"sluice/engine/outage"
	"sluice/engine/runner"
	"sluice/storage"
)

const (
	beatPause  = 2 * time.Second  // between the end of a beat and the next one
	freshFor   = 4 * time.Second  // a worker whose last beat is older begins no act
	deadAfter  = 6 * time.Second  // a worker is dead when its counter stood still for this long
	sweepEvery = 10 * time.Second // how often unclaimed leases are looked through when no process has died
	beatLimit  = 5 * time.Second  // a beat that takes longer has failed
	sweepMost  = 1000             // leases in one look
)

// Store is the part of the store that processes know of each other by.
type Store interface {
	Beat(ctx context.Context, process string, now time.Time) (storage.Pulse, error)
	EndDead(ctx context.Context, processes []string) error
	FreeTimers(ctx context.Context, workers []string) (int, error)
	HeldBy(ctx context.Context, workers []string) ([]storage.Lease, error)
	Unclaimed(ctx context.Context, limit int) ([]storage.Lease, error)
	Redispatch(ctx context.Context, l storage.Lease) (bool, error)
}

// Runner releases tokens for the next worker that claims them.
type Runner interface {
	HandOn(ctx context.Context, l storage.Lease, reason string) error
}

// Member is a process that serves a store beside others.
type Member struct {
	Store      Store
	Runner     Runner
	Pulse      *Pulse
	Dispatcher dispatch.Dispatcher
	Outage     *outage.Watch
	Worker     string // the name of this process
	Queued     bool   // the store puts a job into the dispatcher's queue with each lease
	Now        func() time.Time
	Wake       func() // says that timers are due again
	Log        *slog.Logger
}

// watch is what a process has seen of the others' counters.
type watch struct {
	last time.Time // end of the latest successful beat
	seen map[string]sighting
}

type sighting struct {
	beats int64
	since time.Time // after it was first read
}

// look takes the counters that a beat has read into account and lists who is dead. A process that could not beat for a while has
// not seen the others either: then it begins anew, so that an outage of the database declares no process dead.
func (w *watch) look(began, ended time.Time, beats map[string]int64) (dead []string) {
	if w.seen == nil || began.Sub(w.last) > freshFor {
		w.seen = map[string]sighting{}
	}
	w.last = ended
	for id := range w.seen {
		if _, there := beats[id]; !there {
			delete(w.seen, id)
		}
	}
	for id, n := range beats {
		s, known := w.seen[id]
		switch {
		case !known || s.beats != n:
			w.seen[id] = sighting{n, ended}
		case began.Sub(s.since) >= deadAfter:
			dead = append(dead, id)
		}
	}
	slices.Sort(dead)
	return dead
}

// findings are what a beat gives the sweep to do.
type findings struct {
	dead  []string
	stray []storage.Lease // leases of this process that no worker performs
}

// lead beats until ctx ends and tells the sweep, which must not hold up the next beat, what it found.
func (m *Member) lead(ctx context.Context, found chan<- findings) {
	var w watch
	asking := m.Outage.Caller()
	defer asking.Over(false)
	for ctx.Err() == nil {
		f, err := m.beat(ctx, &w)
		switch {
		case err == nil:
			asking.Over(true)
		case ctx.Err() == nil:
			asking.Failed(fmt.Errorf("say that this process is alive: %w", err))
			w = watch{}
		}
		if len(f.dead)+len(f.stray) > 0 {
			select {
			case found <- f:
			default: // the sweep is busy; the next beat finds the same
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(beatPause):
		}
	}
}

func (m *Member) beat(ctx context.Context, w *watch) (f findings, err error) {
	ctx, cancel := context.WithTimeout(ctx, beatLimit)
	defer cancel()
	performing, began := m.Pulse.items(), time.Now()
	p, err := m.Store.Beat(ctx, m.Worker, m.Now())
	if err != nil {
		return f, err
	}
	f.stray = m.Pulse.beat(began, performing, p.Held)
	delete(p.Beats, m.Worker)
	f.dead = w.look(began, time.Now(), p.Beats)
	return f, nil
}

// sweep hands on tokens without a worker and has unclaimed tokens dispatched again, until ctx ends.
func (m *Member) sweep(ctx context.Context, found <-chan findings) {
	var f findings
	for {
		err := errors.Join(m.handOn(ctx, f.stray, "crash"), m.takeOver(ctx, f.dead, "crash"), m.redispatch(ctx))
		if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrUnavailable) { // that is said already, see lead
			m.Log.Warn("the sweep failed; trying again", "error", err)
		}
		f = findings{}
		select {
		case <-ctx.Done():
			return
		case f = <-found:
			if len(f.dead) > 0 {
				m.Log.Warn("processes are dead; their work goes on elsewhere", "dead", f.dead)
			}
		case <-time.After(sweepEvery):
		}
	}
}

// takeOver hands on the tokens of workers that are gone, and removes what they have left.
func (m *Member) takeOver(ctx context.Context, workers []string, reason string) error {
	if len(workers) == 0 {
		return nil
	}
	switch freed, err := m.Store.FreeTimers(ctx, workers); {
	case err != nil:
		return fmt.Errorf("end the claims of %v: %w", workers, err)
	case freed > 0:
		m.Wake()
	}
	leases, err := m.Store.HeldBy(ctx, workers)
	if err != nil {
		return fmt.Errorf("list what %v held: %w", workers, err)
	}
	if err := m.handOn(ctx, leases, reason); err != nil {
		return err
	}
	return m.Store.EndDead(ctx, workers)
}

// redispatch enqueues every unclaimed token that no worker would claim otherwise.
func (m *Member) redispatch(ctx context.Context) error {
	for {
		leases, err := m.Store.Unclaimed(ctx, sweepMost)
		if err != nil {
			return fmt.Errorf("list unclaimed work: %w", err)
		}
		for _, l := range leases {
			if !m.Queued {
				m.Dispatcher.Enqueue(runner.ItemOf(l))
				continue
			}
			if _, err := m.Store.Redispatch(ctx, l); err != nil {
				return fmt.Errorf("dispatch token %d of run %s again: %w", l.Token, l.Run, err)
			}
		}
		if !m.Queued || len(leases) < sweepMost {
			return nil
		}
	}
}

// handOn hands on some tokens.
func (m *Member) handOn(ctx context.Context, leases []storage.Lease, reason string) error {
	for _, l := range leases {
		if err := m.Runner.HandOn(ctx, l, reason); err != nil {
			return err
		}
	}
	return nil
}

// Serve works beside other processes: the first beat comes before begin, which may claim, and the last one after work is over and stop has
// given the last token back. The error is that of begin or stop.
func (m *Member) Serve(ctx context.Context, begin func(context.Context) error, work func(context.Context), stop func() error) error {
	if m.Worker == "" {
		return errors.New("a process that serves beside others needs a name: set Config.Worker")
	}
	living, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	found := make(chan findings, 1)
	var wg sync.WaitGroup
	wg.Go(func() { m.lead(living, found) })
	err := begin(ctx)
	if err == nil {
		sweeping, rest := context.WithCancel(ctx)
		wg.Go(func() { m.sweep(sweeping, found) })
		work(ctx)
		rest()
		err = stop()
	}
	end()
	wg.Wait()
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), beatLimit)
	defer cancel()
	if gone := m.takeOver(leaving, []string{m.Worker}, "stop"); gone != nil {
		m.Log.Warn("what this process held could not be given back; the others take it in a few seconds", "error", gone)
	}
	return err
}
