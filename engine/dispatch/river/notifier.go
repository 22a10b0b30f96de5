package river

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"sluice/engine/dispatch"
)

// notice is an item to enqueue or to revoke in the database.
type notice struct {
	item   dispatch.Item
	revoke bool // else enqueue
}

// notifier writes notices to the database, in order and in the background. Without notices there is no goroutine.
type notifier struct {
	deliver func(ctx context.Context, notices []notice) error
	log     *slog.Logger
	ctx     context.Context
	cancel  context.CancelFunc

	mu      sync.Mutex
	queue   []notice
	running bool
	ended   sync.WaitGroup
}

const (
	noticesAtOnce = 500
	pauseFirst    = 50 * time.Millisecond // before notices are tried again, doubled each time
	pauseMost     = 2 * time.Second
)

func newNotifier(log *slog.Logger, deliver func(ctx context.Context, notices []notice) error) *notifier {
	c := &notifier{deliver: deliver, log: log}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// send queues notices. After close it does nothing.
func (c *notifier) send(notices ...notice) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	c.queue = append(c.queue, notices...)
	if !c.running && len(c.queue) > 0 {
		c.running = true
		c.ended.Go(c.run)
	}
}

// close drops the notices that are queued, and returns when the goroutine has ended. The leases tell the next process.
func (c *notifier) close() {
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	c.ended.Wait()
}

func (c *notifier) run() {
	for {
		notices := c.take()
		if len(notices) == 0 {
			return
		}
		c.write(notices)
	}
}

// take removes as many notices as one statement takes: notices of one sort that follow each other.
func (c *notifier) take() []notice {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 || c.ctx.Err() != nil {
		c.running = false
		return nil
	}
	n := slices.IndexFunc(c.queue, func(l notice) bool { return l.revoke != c.queue[0].revoke })
	if n < 0 {
		n = len(c.queue)
	}
	n = min(n, noticesAtOnce)
	notices := c.queue[:n]
	c.queue = c.queue[n:]
	return notices
}

// write delivers notices, however long the database is unavailable.
func (c *notifier) write(notices []notice) {
	for wait := pauseFirst; c.ctx.Err() == nil; wait = min(2*wait, pauseMost) {
		err := c.deliver(c.ctx, notices)
		if err == nil || c.ctx.Err() != nil {
			return
		}
		c.log.Warn("the queue cannot be written; trying again", "error", err, "wait", wait)
		select {
		case <-c.ctx.Done():
		case <-time.After(wait):
		}
	}
}
