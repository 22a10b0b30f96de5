// Package outage is for calls of the database that are repeated until it takes them: it repeats a call, and says once when the database is
// away or full, and once when it is there again, however many wait for it.
//
// The package knows no run and no store, only the errors that say that a database is not available. Look next at storage's errors.
package outage

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"sluice/storage"
)

// Watch knows how many callers of this process wait for the database.
type Watch struct {
	log *slog.Logger

	mu      sync.Mutex
	waiting int // callers whose latest try failed
	since   time.Time
}

// New gives a watch that reports to a log.
func New(log *slog.Logger) *Watch { return &Watch{log: log} }

// Caller is one goroutine that tries again and again. Its methods are for one goroutine.
type Caller struct {
	t       *Watch
	waiting bool
}

// Caller gives a new one.
func (t *Watch) Caller() *Caller { return &Caller{t: t} }

// Failed notes that a try failed.
func (c *Caller) Failed(err error) {
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
	t.log.Warn(text(err), "error", err)
}

// Over notes that a try succeeded (taken), or that the caller gives up.
func (c *Caller) Over(taken bool) {
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

const (
	repeatFirst = 50 * time.Millisecond
	repeatMost  = 2 * time.Second
)

// Repeat repeats a call of the database until it succeeds, its error is an answer and no fault, or ctx ends.
func (t *Watch) Repeat(ctx context.Context, call func() error, answer func(error) bool) error {
	wait := repeatFirst
	asking := t.Caller()
	for {
		err := call()
		if err == nil || answer(err) {
			asking.Over(true)
			return err
		}
		asking.Failed(err)
		select {
		case <-ctx.Done():
			asking.Over(false)
			return err
		case <-time.After(wait):
		}
		wait = min(wait*2, repeatMost)
	}
}

func text(err error) string {
	switch {
	case errors.Is(err, storage.ErrFull):
		return "the database is full: nothing is lost; runs stand still, and go on by themselves when there is space"
	case errors.Is(err, storage.ErrUnavailable):
		return "the database is not available: nothing is lost; runs stand still, and go on by themselves when it is back"
	}
	return "the database did not take what is to be stored; trying again"
}
