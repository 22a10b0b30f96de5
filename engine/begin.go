package engine

import (
	"context"
	"time"
)

const (
	beginPatience = time.Minute // how long the start is tried while the database is away
	beginPause    = 500 * time.Millisecond
)

// beginWork starts the dispatcher. The database was there a moment before, so one that is away now is waited for.
func (e *Engine) beginWork(ctx context.Context) error {
	for begun := time.Now(); ; {
		err := e.cfg.Dispatcher.Start(context.WithoutCancel(ctx), e.work)
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
