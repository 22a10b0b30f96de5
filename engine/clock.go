package engine

import (
	"sync"
	"time"

	"sluice/engine/flow"
)

// Clock is the time that runs live by. It is the system's clock plus an offset that only the development server moves.
type Clock struct {
	mu     sync.Mutex
	offset time.Duration
	moved  chan struct{} // closed and replaced when the clock is moved
}

// NewClock gives a clock that shows the system's time.
func NewClock() *Clock { return &Clock{moved: make(chan struct{})} }

// Now is the time in UTC, in microseconds as the stores keep it.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset).UTC().Truncate(time.Microsecond)
}

// Advance moves the clock forward and wakes all goroutines that wait for a time.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
	close(c.moved)
	c.moved = make(chan struct{})
}

// Moved is closed at the next Advance.
func (c *Clock) Moved() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.moved
}

// due adds a duration of a flow to a time; working days are those of the installation's calendar.
func (c *Config) due(from time.Time, d flow.Duration) time.Time {
	if d.WorkingDays > 0 {
		from = c.Calendar.AddDays(from, d.WorkingDays)
	}
	return from.Add(d.Clock)
}

// keyFrom is when the window begins in which a run key may not be used again.
func (c *Config) keyFrom(now time.Time, within flow.Duration) time.Time {
	if within.IsZero() {
		return time.Time{}
	}
	if within.WorkingDays > 0 {
		return c.Calendar.AddDays(now, -within.WorkingDays)
	}
	return now.Add(-within.Clock)
}
