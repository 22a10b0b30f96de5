package runner

import (
	"context"

	"sluice/storage"
)

// lockAfter is how many conflicts with other processes a transition may meet before it locks the run.
const lockAfter = 2

// lockRun keeps other processes from writing a run until unlock or write. If the lock cannot be had, the next try is made without it, which is
// safe.
func (x *Runner) lockRun(ctx context.Context, l *live) {
	l.unlock()
	held, err := x.cfg.Store.Lock(ctx, l.id)
	if err != nil {
		x.cfg.Log.Debug("a run that other processes write, too, could not be locked", "run", l.id, "error", err)
		return
	}
	l.locked = held
}

// unlock gives a lock back, if there is one.
func (l *live) unlock() {
	if l.locked != nil {
		l.locked.Release()
		l.locked = nil
	}
}

// write stores a batch. If the run is locked it uses the lock, which ends with that.
func (x *Runner) write(ctx context.Context, l *live, b *storage.Batch) error {
	if l.locked == nil {
		return x.cfg.Store.Write(ctx, b)
	}
	held := l.locked
	l.locked = nil
	defer held.Release()
	return held.Write(ctx, b)
}
