// Package dryrun tries flows out and replays runs that are over, with what the store has: recorded values, revisions, histories. Nothing is
// performed, asked or stored.
//
// What a flow would do is found out by engine/try, which knows no store; this package brings what it needs, and bounds how many dry runs
// this process computes at the same time.
//
// Where to look next: try.go, replay.go, and engine/try.
package dryrun

import (
	"context"
	"time"

	"sluice/engine/compiled"
	"sluice/engine/flow"
	"sluice/engine/history/stored"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Store is the part of the store that is read.
type Store interface {
	stored.Reader
	Runs(ctx context.Context, q storage.RunQuery) ([]storage.Run, error)
}

// Config is what dry runs are made of.
type Config struct {
	Store     Store // nil = nothing is recorded
	Revisions *compiled.Cache
	Tools     tool.Catalogue
	Now       func() time.Time
	Due       func(from time.Time, d flow.Duration) time.Time
	Zone      *time.Location
	Address   func(ctx context.Context, r storage.Run) (string, error) // where people follow a run
}

// Dryruns tries flows and replays runs. Its methods are safe for concurrent use.
type Dryruns struct {
	cfg   Config
	slots chan struct{}
}

// New gives dry runs.
func New(cfg Config) *Dryruns { return &Dryruns{cfg: cfg, slots: make(chan struct{}, trialsMost)} }

// trialsMost is how many trials and replays this process computes at the same time: each keeps a processor busy, and whole histories in
// memory, while runs go on beside it. A trial that finds no free slot waits this long.
const (
	trialsMost    = 2
	trialPatience = 5 * time.Second
)

// reserve takes a slot for a trial or a replay until leave is called. Errors: *usererror.Error when none was free in time.
func (d *Dryruns) reserve(ctx context.Context) (leave func(), err error) {
	leave = func() { <-d.slots }
	select {
	case d.slots <- struct{}{}:
		return leave, nil
	default:
	}
	wait := time.NewTimer(trialPatience)
	defer wait.Stop()
	select {
	case d.slots <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
		return nil, &usererror.Error{
			Code: "busy", Text: "Others are trying flows out or replaying runs just now.", Hint: "Nothing was tried: ask again in a minute.",
		}
	}
}
