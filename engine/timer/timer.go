// Package timer fires what is due: timers of runs, signals between them, schedules.
//
//	Run: claim due rows --> signal? deliver : feed run.Fired to the run --> schedules --> sleep until the next is due, or Wake
//
// Rows of one run are fired in order, those of different runs side by side. Whether a person may answer a gate is looked up aside from the
// other timers (asker.go), since a directory may take its time.
//
// The package does not know what a signal or a schedule is: engine/signals and engine/schedule do. Look next at timer.go.
package timer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/outage"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/storage"
)

const (
	// Hold is after how long a claimed timer is handed out again that did not lead to a transition, when the claim is not ended
	// before: by the process that finds its owner dead, by a process that serves alone at its start, or by the owner itself after an
	// outage.
	Hold       = 30 * time.Second
	timerBatch = 100
	timerWidth = 8           // runs whose timers are fired at once
	timerIdle  = time.Minute // the loop looks at the database at least this often
	timerFault = time.Second // pause after a fault of the database
	// timerRace is timerIdle while another process is about to fire the schedules that are due: the next timer may come before.
	timerRace = 100 * time.Millisecond
	// timerShared is timerIdle beside other processes: timers that one of them wrote may be left to this one.
	timerShared = 300 * time.Millisecond
)

// Store is the part of the store that has the due rows.
type Store interface {
	ClaimTimers(ctx context.Context, worker string, now time.Time, hold time.Duration, limit int) ([]storage.Timer, error)
	FreeTimers(ctx context.Context, workers []string) (int, error)
	NextDue(ctx context.Context) (time.Time, error)
	gate.Store
	Run(ctx context.Context, id string) (storage.Run, error)
}

// Clock is the time by which timers are due.
type Clock interface {
	Now() time.Time
	// Moved is closed when the clock is moved.
	Moved() <-chan struct{}
}

// Runner moves the runs whose timers fire.
type Runner interface {
	Transition(ctx context.Context, id string, in run.Input, add func(*storage.Batch)) (*runner.Moved, error)
}

// Config is what a loop is made of.
type Config struct {
	Store  Store
	Clock  Clock
	Runner Runner
	Outage *outage.Watch
	Worker string // names this process in claims
	Shared bool   // other processes may serve the store
	Hook   func(at runner.Position)
	Log    *slog.Logger
	// Signals delivers a signal; false: the row is a timer.
	Signals func(ctx context.Context, t storage.Timer) (signal bool, err error)
	// Schedules fires the schedules that are due; false: another process is about to.
	Schedules func(ctx context.Context) (mine bool, err error)
	// Forget deletes events that are too old, now and then. It is given when it last did, and gives that back.
	Forget func(ctx context.Context, last time.Time) (time.Time, error)
	// Unanswerable gives the reason why no person can answer a gate. It is empty when a person can. nil = there is no directory.
	Unanswerable func(ctx context.Context, row storage.Run, body gate.Body) (string, error)
}

// Loop fires what is due.
type Loop struct {
	cfg     Config
	woken   <-chan struct{}
	asker   *asker
	unfired bool // it may hold claims that an outage kept it from firing
}

// Wake tells a loop that something earlier may be due. It holds one call.
type Wake chan struct{}

// NewWake gives one that no loop listens to yet.
func NewWake() Wake { return make(Wake, 1) }

// Up is the call.
func (w Wake) Up() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// New gives a loop that listens to a wake.
func New(cfg Config, w Wake) *Loop {
	return &Loop{cfg: cfg, woken: w, asker: &asker{cfg: cfg, waiting: make(chan storage.Timer, askMost)}}
}

// Run fires due timers and schedules until ctx ends.
func (l *Loop) Run(ctx context.Context) {
	var asked sync.WaitGroup
	defer asked.Wait()
	for range askers {
		asked.Go(func() { l.asker.run(ctx) })
	}
	asking := l.cfg.Outage.Caller()
	defer asking.Over(false)
	var forgot time.Time // when old events were last deleted
	for ctx.Err() == nil {
		moved := l.cfg.Clock.Moved() // taken before the look, so that no move is missed
		wait := l.fireDue(ctx, asking)
		if at, err := l.cfg.Forget(ctx, forgot); err == nil {
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
		case <-l.woken:
		}
		t.Stop()
	}
}

// fireDue fires what is due and says how long to wait for the next.
func (l *Loop) fireDue(ctx context.Context, asking *outage.Caller) time.Duration {
	err := l.regain(ctx)
	var due []storage.Timer
	if err == nil {
		due, err = l.cfg.Store.ClaimTimers(ctx, l.cfg.Worker, l.cfg.Clock.Now(), Hold, timerBatch)
	}
	if err == nil {
		err = l.fireAll(ctx, due)
	}
	l.unfired = l.unfired || errors.Is(err, storage.ErrUnavailable)
	mine, ferr := l.cfg.Schedules(ctx)
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
	if l.cfg.Shared {
		idle = timerShared
	}
	if !mine {
		return timerRace
	}
	next, err := l.cfg.Store.NextDue(ctx)
	if err != nil {
		return timerFault
	}
	if next.IsZero() {
		return idle
	}
	return min(max(next.Sub(l.cfg.Clock.Now()), time.Millisecond), idle)
}

// regain ends this process's own claims after an outage: what it holds was not fired, or it does not know that it holds it.
func (l *Loop) regain(ctx context.Context) error {
	if !l.unfired {
		return nil
	}
	_, err := l.cfg.Store.FreeTimers(ctx, []string{l.cfg.Worker})
	l.unfired = err != nil
	return err
}

// fireAll hands due timers to their runs: those of one run in order, those of different runs side by side, so that a run that takes its
// time does not hold up the others.
func (l *Loop) fireAll(ctx context.Context, due []storage.Timer) error {
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
				err = errors.Join(err, l.Fire(ctx, t))
			}
			return err
		})
	}
	return g.Wait()
}

// Fire hands a due timer or a signal to its run. Firing one that the run does not know any more is a no-op.
func (l *Loop) Fire(ctx context.Context, t storage.Timer) error {
	l.cfg.Hook(runner.AtDue)
	if history.TimerKind(t.Kind) == history.TimerPeople {
		select {
		case l.asker.waiting <- t:
		default: // too many are asked about already; it comes again when the claim ends
		}
		return nil
	}
	if signal, err := l.cfg.Signals(ctx, t); signal {
		return err
	}
	_, err := l.cfg.Runner.Transition(ctx, t.Run, run.Fired{At: l.cfg.Clock.Now(), ID: t.Num}, nil)
	if runner.IsAnswer(err) {
		return nil
	}
	return err
}
