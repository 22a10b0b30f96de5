package engine

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"sluice/storage"
)

// fault says once when the database is away or full, and once when it is there again, however many wait for it.
type outage struct {
	log *slog.Logger

	mu      sync.Mutex
	waiting int // callers whose latest try failed
	since   time.Time
}

// caller is one goroutine that tries again and again. Its methods are for one goroutine.
type caller struct {
	t       *outage
	waiting bool
}

func (t *outage) caller() *caller { return &caller{t: t} }

// failed notes that a try failed.
func (c *caller) failed(err error) {
	t := c.t
	t.mu.Lock()
	defer t.mu.Unlock()
	first := t.waiting == 0
	if !c.waiting {
		c.waiting = true
		t.waiting++
	}
	if !first {
		t.log.Debug("the database still does not take what is to be stored", "error", err)
		return
	}
	t.since = time.Now()
	t.log.Warn(outageText(err), "error", err)
}

// over notes that a try succeeded (taken), or that the caller gives up.
func (c *caller) over(taken bool) {
	t := c.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if !c.waiting {
		return
	}
	c.waiting = false
	if t.waiting--; t.waiting == 0 && taken {
		t.log.Info("the database takes what is to be stored again", "after", time.Since(t.since).Round(time.Millisecond))
	}
}

func outageText(err error) string {
	switch {
	case errors.Is(err, storage.ErrFull):
		return "the database is full: nothing is lost; runs stand still, and go on by themselves when there is space"
	case errors.Is(err, storage.ErrUnavailable):
		return "the database is not available: nothing is lost; runs stand still, and go on by themselves when it is back"
	}
	return "the database did not take what is to be stored; trying again"
}
