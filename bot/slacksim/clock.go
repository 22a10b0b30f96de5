package slacksim

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// clock is real time plus an offset that only grows; waiters notice when it is moved.
type clock struct {
	mu     sync.Mutex
	offset time.Duration
	last   int64 // microseconds of the last message timestamp handed out
	moved  chan struct{}
}

func newClock(offset time.Duration) *clock {
	return &clock{offset: offset, moved: make(chan struct{})}
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *clock) advance(d time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
	close(c.moved)
	c.moved = make(chan struct{})
	return c.offset
}

func (c *clock) current() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// stamp is the next message timestamp: seconds and microseconds, never the same twice, never going back.
func (c *clock) stamp() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(c.last+1, time.Now().Add(c.offset).UnixMicro())
	return fmt.Sprintf("%d.%06d", c.last/1e6, c.last%1e6)
}

// atLeast keeps stamps after one that was handed out by an earlier process.
func (c *clock) atLeast(ts string) {
	var seconds, micros int64
	if n, err := fmt.Sscanf(ts, "%d.%d", &seconds, &micros); n != 2 || err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(c.last, seconds*1e6+micros)
}

// sleepUntil waits until the clock shows at, by time passing or by being moved.
func (c *clock) sleepUntil(ctx context.Context, at time.Time) error {
	for {
		c.mu.Lock()
		left, moved := at.Sub(time.Now().Add(c.offset)), c.moved
		c.mu.Unlock()
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("waiting for the clock: %w", ctx.Err())
		case <-moved:
			timer.Stop()
		case <-timer.C:
		}
	}
}
