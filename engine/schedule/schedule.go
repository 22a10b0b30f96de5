// Package schedule fires schedules: it finds those that are due, says which of the fires that were missed still take place, and keeps fires
// that have to wait for the run before.
//
//	FireDue: elected? -> due schedules -> catch-up rule -> overlap rule -> Config.Start, with the schedule's row in its transaction
//
// The row is compared and set in the transaction that starts the run, so that a fire happens exactly once, even when several processes see it.
//
// The package starts no run by itself and asks no directory: package engine fills in Start and MayFire. When a schedule fires is calculated by
// engine/calendar; words about it are read by engine/planner/times. Look next at fires.go (what is due), schedules.go (what is stored),
// words.go (what people say), and engine/timer, which calls FireDue.
//
// # Decisions
//
//   - A fire that somebody leaves out, and a pause until a date, are stored as a later Next: nothing has to happen when they are over, and
//     ResumeSchedule takes them back by calculating Next anew.
package schedule

import (
	"context"
	"log/slog"
	"time"

	"sluice/engine/compiled"
	"sluice/storage"
)

// Store is the part of the store that has the schedules.
type Store interface {
	Write(ctx context.Context, b *storage.Batch) error
	Run(ctx context.Context, id string) (storage.Run, error)
	Schedules(ctx context.Context, flow string) ([]storage.Schedule, error)
	DueSchedules(ctx context.Context, now time.Time, limit int) ([]storage.Schedule, error)
	KeptFires(ctx context.Context, limit int) ([]storage.Schedule, error)
	Elect(ctx context.Context, role, holder string, now time.Time, ttl time.Duration) (bool, error)
}

// Config is what schedules are made of.
type Config struct {
	Store         Store
	Revisions     *compiled.Cache
	Worker        string // names this process
	Shared        bool   // other processes may serve the store: one of them is elected
	Now           func() time.Time
	NewID         func() string
	Zone          *time.Location // of schedules that name none
	Shortest      time.Duration  // no schedule fires more often; 0 = no bound
	CatchUpWindow time.Duration  // how far back catch_up all makes up for missed fires; 0 = a day
	KeptFires     int            // fires of a schedule that wait for the run before at most; 0 = 100
	Log           *slog.Logger
	// Start starts the run of a fire. A *usererror.Error counts as a failure of the schedule.
	Start func(ctx context.Context, s Start) error
	// MayFire checks that the owner of a schedule may still start its flow. A *usererror.Error pauses the schedule.
	MayFire func(ctx context.Context, s storage.Schedule) error
	// Paused says which flows are paused.
	Paused func(ctx context.Context) (func(flow string) bool, error)
	// Explain is the sentence for an error in the message that says that a schedule is paused; Shown is called when that is stored.
	Explain func(error) string
	Shown   func()
	// Wake says that a schedule may be due earlier than was known.
	Wake func()
}

// Start is a run that a schedule asks for.
type Start struct {
	Schedule storage.Schedule
	Inputs   map[string]any
	At       time.Time // when it was due
	// Add puts the schedule's row into the transaction of the start.
	Add func(*storage.Batch)
}

// Schedules checks schedules that are to be stored. Its methods are safe for concurrent use.
type Schedules struct{ cfg Config }

// New gives the schedules of a store.
func New(cfg Config) *Schedules { return &Schedules{cfg: cfg} }

// Firer fires schedules that are due. It is for one goroutine.
type Firer struct{ cfg Config }

// NewFirer fires the schedules of a store.
func NewFirer(cfg Config) *Firer {
	if cfg.CatchUpWindow == 0 {
		cfg.CatchUpWindow = catchUpWindow
	}
	if cfg.KeptFires == 0 {
		cfg.KeptFires = keptMost
	}
	return &Firer{cfg: cfg}
}
