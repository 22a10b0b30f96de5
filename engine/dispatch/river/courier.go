package river

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"sluice/engine/dispatch"
)

// letter is something that the database has to be told.
type letter struct {
	item   dispatch.Item
	revoke bool // else enqueue
}

// courier carries letters to the database in order, while nobody waits for it. Without letters there is no goroutine.
type courier struct {
	deliver func(ctx context.Context, letters []letter) error
	log     *slog.Logger
	ctx     context.Context
	cancel  context.CancelFunc

	mu      sync.Mutex
	bag     []letter
	walking bool
	home    sync.WaitGroup
}

const (
	lettersAtOnce = 500
	pauseFirst    = 50 * time.Millisecond // before letters are tried again, doubled each time
	pauseMost     = 2 * time.Second
)

func newCourier(log *slog.Logger, deliver func(ctx context.Context, letters []letter) error) *courier {
	c := &courier{deliver: deliver, log: log}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// send puts letters into the bag. After close it does nothing.
func (c *courier) send(letters ...letter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	c.bag = append(c.bag, letters...)
	if !c.walking && len(c.bag) > 0 {
		c.walking = true
		c.home.Go(c.walk)
	}
}

// close drops what is in the bag, and returns when the courier is home. The leases tell the next process.
func (c *courier) close() {
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	c.home.Wait()
}

func (c *courier) walk() {
	for {
		letters := c.take()
		if len(letters) == 0 {
			return
		}
		c.bring(letters)
	}
}

// take empties the bag as far as one statement goes: letters of one sort that follow each other.
func (c *courier) take() []letter {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.bag) == 0 || c.ctx.Err() != nil {
		c.walking = false
		return nil
	}
	n := slices.IndexFunc(c.bag, func(l letter) bool { return l.revoke != c.bag[0].revoke })
	if n < 0 {
		n = len(c.bag)
	}
	n = min(n, lettersAtOnce)
	letters := c.bag[:n]
	c.bag = c.bag[n:]
	return letters
}

// bring delivers letters, however long the database is away.
func (c *courier) bring(letters []letter) {
	for wait := pauseFirst; c.ctx.Err() == nil; wait = min(2*wait, pauseMost) {
		err := c.deliver(c.ctx, letters)
		if err == nil || c.ctx.Err() != nil {
			return
		}
		c.log.Warn("the queue cannot be told; trying again", "error", err, "wait", wait)
		select {
		case <-c.ctx.Done():
		case <-time.After(wait):
		}
	}
}
