package inbox

import (
	"context"
	"slices"
	"sync"
	"time"

	"sluice/storage"
)

// When several processes serve the store, the process that has a thread's role handles the rows of the thread; the others wait and then find
// the rows done. The role of a dead process is free once the sweep has ended it, or when its time is up.
const (
	threadHold  = 15 * time.Second
	threadRenew = 5 * time.Second
	threadPause = 100 * time.Millisecond // between two looks at a thread that another process has
)

func (b *Inbox) idle() time.Duration {
	if b.cfg.Holder != "" {
		return idleShared
	}
	return idle
}

// claim waits for a thread's turn. False: ctx ended first. A process that serves alone has every thread.
func (b *Inbox) claim(ctx context.Context, thread string) (release func(), ok bool) {
	if b.cfg.Holder == "" {
		return func() {}, true
	}
	role := "thread:" + thread
	for {
		mine, err := b.cfg.Store.Elect(ctx, role, b.cfg.Holder, time.Now(), threadHold)
		if err != nil && ctx.Err() == nil {
			b.log.Warn("a thread cannot be claimed; trying again", "error", err)
		}
		if mine {
			return b.keep(ctx, role), true
		}
		select {
		case <-ctx.Done():
			return func() {}, false
		case <-time.After(threadPause):
		}
	}
}

// keep renews a role until it is released.
func (b *Inbox) keep(ctx context.Context, role string) (release func()) {
	renewing, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(threadRenew)
		defer tick.Stop()
		for {
			select {
			case <-renewing.Done():
				return
			case <-tick.C:
			}
			if _, err := b.cfg.Store.Elect(renewing, role, b.cfg.Holder, time.Now(), threadHold); err != nil && renewing.Err() == nil {
				b.log.Warn("a thread's claim is not renewed", "error", err)
			}
		}
	})
	return func() {
		stop()
		wg.Wait()
		resigning, cancel := context.WithTimeout(context.WithoutCancel(ctx), threadRenew)
		defer cancel()
		if err := b.cfg.Store.Resign(resigning, role, b.cfg.Holder); err != nil {
			b.log.Warn("a thread is not given free; it will be when its time is up", "error", err)
		}
	}
}

// pending reports whether a row still has to be worked on, now that its thread is this process's.
func (b *Inbox) pending(ctx context.Context, row storage.Inbox) bool {
	if b.cfg.Holder == "" {
		return true
	}
	for ctx.Err() == nil {
		rows, err := b.cfg.Store.PendingInThread(ctx, row.Thread, batch)
		if err == nil {
			return slices.ContainsFunc(rows, func(r storage.Inbox) bool { return r.ID == row.ID })
		}
		select {
		case <-ctx.Done():
		case <-time.After(pauseFirst):
		}
	}
	return false
}
