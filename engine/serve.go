package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sluice/engine/cluster"
)

// Serve recovers unfinished work, then works on tokens and fires timers until ctx ends. It returns when the dispatcher has
// stopped: steps that finish within the grace are stored, longer ones are taken up at the next start.
func (e *Engine) Serve(ctx context.Context) error {
	if e.cfg.Shared {
		m := &cluster.Member{
			Store: e.cfg.Store, Runner: e.runner, Pulse: e.pulse, Dispatcher: e.cfg.Dispatcher, Outage: e.outage, Worker: e.cfg.Worker, Queued: e.cfg.Queued,
			Now: e.Now, Wake: e.wake.Up, Log: e.log,
		}
		return m.Serve(ctx, e.begin, e.work, e.stop)
	}
	// Recovery comes first: as long as no worker runs here, a lease that is claimed belongs to a process that is gone.
	if err := e.runner.Recover(ctx); err != nil {
		return err
	}
	if _, err := e.cfg.Store.FreeTimers(ctx, nil); err != nil {
		return fmt.Errorf("take up timers that were being fired: %w", err)
	}
	if err := e.cfg.Dispatcher.Start(context.WithoutCancel(ctx), e.runner.Work); err != nil {
		return err
	}
	e.work(ctx)
	return e.stop()
}

// work fires what is due, and watches what people pause beside that, until ctx ends.
func (e *Engine) work(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { e.runner.WatchPauses(ctx) })
	e.loop.Run(ctx)
	stop()
	wg.Wait()
}

const graceful = 10 * time.Second

func (e *Engine) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), e.cfg.Grace)
	defer cancel()
	return e.cfg.Dispatcher.Stop(ctx)
}

const (
	beginPatience = time.Minute // how long the start is tried while the database is away
	beginPause    = 500 * time.Millisecond
)

// begin starts the dispatcher. The database was there a moment before, so one that is away now is waited for.
func (e *Engine) begin(ctx context.Context) error {
	for begun := time.Now(); ; {
		err := e.cfg.Dispatcher.Start(context.WithoutCancel(ctx), e.runner.Work)
		if err == nil || ctx.Err() != nil || time.Since(begun) > beginPatience {
			return err
		}
		e.log.Warn("the database is not there: trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(beginPause):
		}
	}
}
