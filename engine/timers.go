package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/engine/history"
	"sluice/engine/outage"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/storage"
)

const (
	// timerHold is after how long a claimed timer is handed out again that did not lead to a transition, when the claim is not ended
	// before: by the process that finds its owner dead, by a process that serves alone at its start, or by the owner itself after an
	// outage.
	timerHold  = 30 * time.Second
	timerBatch = 100
	timerWidth = 8           // runs whose timers are fired at once
	timerIdle  = time.Minute // the loop looks at the database at least this often
	timerFault = time.Second // pause after a fault of the database
	// timerRace is timerIdle while another process is about to fire the schedules that are due: the next timer may come before.
	timerRace = 100 * time.Millisecond
	// timerShared is timerIdle beside other processes: timers that one of them wrote may be left to this one.
	timerShared = 300 * time.Millisecond
)

// wakeTimers tells the loop that an earlier timer may have been written.
func (e *Engine) wakeTimers() {
	select {
	case e.timerUp <- struct{}{}:
	default:
	}
}

// timers fires due timers and schedules until ctx ends.
func (e *Engine) timers(ctx context.Context) {
	var asked sync.WaitGroup
	defer asked.Wait()
	for range askers {
		asked.Go(func() { e.people(ctx) })
	}
	asking := e.outage.Caller()
	defer asking.Over(false)
	var forgot time.Time // when old events were last deleted
	for ctx.Err() == nil {
		moved := e.cfg.Clock.Moved() // taken before the look, so that no move is missed
		wait := e.fireDue(ctx, asking)
		if at, err := e.forgetEvents(ctx, forgot); err == nil {
			forgot = at
		}
		if wait <= 0 {
			continue
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-t.C:
		case <-moved:
		case <-e.timerUp:
		}
		t.Stop()
	}
}

// fireDue fires what is due and says how long to wait for the next.
func (e *Engine) fireDue(ctx context.Context, asking *outage.Caller) time.Duration {
	err := e.regain(ctx)
	var due []storage.Timer
	if err == nil {
		due, err = e.cfg.Store.ClaimTimers(ctx, e.cfg.Worker, e.Now(), timerHold, timerBatch)
	}
	if err == nil {
		err = e.fireAll(ctx, due)
	}
	e.unfired = e.unfired || errors.Is(err, storage.ErrUnavailable)
	mine, ferr := e.fireSchedules(ctx)
	if err = errors.Join(err, ferr); err != nil {
		if ctx.Err() == nil {
			asking.Failed(fmt.Errorf("fire what is due: %w", err))
		}
		return timerFault
	}
	asking.Over(true)
	if len(due) == timerBatch {
		return 0
	}
	idle := timerIdle
	if e.cfg.Shared {
		idle = timerShared
	}
	if !mine {
		return timerRace
	}
	next, err := e.cfg.Store.NextDue(ctx)
	if err != nil {
		return timerFault
	}
	if next.IsZero() {
		return idle
	}
	return min(max(next.Sub(e.Now()), time.Millisecond), idle)
}

// regain ends this process's own claims after an outage: what it holds was not fired, or it does not know that it holds it.
func (e *Engine) regain(ctx context.Context) error {
	if !e.unfired {
		return nil
	}
	_, err := e.cfg.Store.FreeTimers(ctx, []string{e.cfg.Worker})
	e.unfired = err != nil
	return err
}

// fireAll hands due timers to their runs: those of one run in order, those of different runs side by side, so that a run that takes its
// time does not hold up the others.
func (e *Engine) fireAll(ctx context.Context, due []storage.Timer) error {
	var g errgroup.Group
	g.SetLimit(timerWidth)
	byRun := map[string][]storage.Timer{}
	var runs []string
	for _, t := range due {
		if len(byRun[t.Run]) == 0 {
			runs = append(runs, t.Run)
		}
		byRun[t.Run] = append(byRun[t.Run], t)
	}
	for _, id := range runs {
		g.Go(func() error {
			var err error
			for _, t := range byRun[id] {
				err = errors.Join(err, e.fire(ctx, t))
			}
			return err
		})
	}
	return g.Wait()
}

// fire hands a due timer or a signal to its run. Firing one that the run does not know any more is a no-op.
func (e *Engine) fire(ctx context.Context, t storage.Timer) error {
	e.cfg.Hook(runner.AtDue)
	if history.TimerKind(t.Kind) == history.TimerPeople {
		select {
		case e.asking <- t:
		default: // too many are asked about already; it comes again when the claim ends
		}
		return nil
	}
	if signal, err := e.deliver(ctx, t); signal {
		return err
	}
	_, err := e.runner.Transition(ctx, t.Run, run.Fired{At: e.Now(), ID: t.Num}, nil)
	if runner.IsAnswer(err) {
		return nil
	}
	return err
}
