package runner

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sluice/engine/budget"
	"sluice/engine/compiled"
	"sluice/engine/dispatch"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/engine/outage"
	"sluice/engine/run"
	"sluice/engine/secret"
	"sluice/engine/tool"
	"sluice/storage"
)

// Store is the part of the store that moving runs needs.
type Store interface {
	stored.Reader
	gate.Store
	Write(ctx context.Context, b *storage.Batch) error
	Run(ctx context.Context, id string) (storage.Run, error)
	LiveRuns(ctx context.Context, q storage.LiveQuery, before *storage.Run) ([]storage.Run, error)
	Pauses(ctx context.Context) ([]storage.Pause, error)
	Lock(ctx context.Context, run string) (storage.Locked, error)
	Claim(ctx context.Context, run string, token, epoch int, worker string, now time.Time) (bool, error)
	Leases(ctx context.Context) ([]storage.Lease, error)
	HeldBy(ctx context.Context, workers []string) ([]storage.Lease, error)
}

// Projection says which surfaces a transition creates and which it makes stale; bot/project fills it in.
type Projection interface {
	Transition(r storage.Run, facts []history.Fact) (made []storage.Surface, stale []string)
	// Wake is called after a commit that made surfaces stale.
	Wake()
}

// Presence tells whether this process may act: no act begins while another process may take this one for dead.
type Presence interface {
	// Begin records that a worker holds the lease of an item, until free is called. The context ends when the lease is found to be lost.
	Begin(ctx context.Context, it dispatch.Item) (held context.Context, free func())
	// Fit waits until this process may begin an act. An error: ctx ended first.
	Fit(ctx context.Context) error
	// Revoke ends the context of an item.
	Revoke(it dispatch.Item)
}

// Config is what a runner is made of.
type Config struct {
	Store      Store
	Revisions  *compiled.Cache
	Tools      tool.Catalogue
	Dispatcher dispatch.Dispatcher
	Presence   Presence
	Meter      *budget.Meter
	Outage     *outage.Watch
	Secrets    secret.Source
	Redactor   *secret.Redactor
	Messenger  tool.Messenger // nil = messages are surfaces, if there are Surfaces
	Surfaces   Projection     // nil = nothing is shown
	Log        *slog.Logger
	Worker     string // names this process in leases
	Shared     bool   // other processes may serve the store at the same time
	Queued     bool   // the store puts a job into the dispatcher's queue with each lease
	People     bool   // there is a directory of people
	Pace       Pace
	Now        func() time.Time
	Due        func(from time.Time, d flow.Duration) time.Time // adds a duration of a flow
	Zone       *time.Location
	Address    func(ctx context.Context, r storage.Run) (string, error) // where people follow a run
	Hook       func(at Position)
	// Signals adds to the batch what a decision asks of other runs, and what the run waits for.
	Signals func(b *storage.Batch, d run.Decision, before *history.State) error
	// Emit gives the act of an emit node of a run.
	Emit func(r storage.Run) func(ctx context.Context, name string, payload map[string]any, key string) error
	// Wake says that something may be due earlier than was known.
	Wake func()
}

// Runner moves runs. Its methods are safe for concurrent use.
type Runner struct {
	cfg    Config
	Pauses *Pauses
	mu     sync.Mutex
	runs   map[string]*live        // runs in memory
	ready  map[dispatch.Item]ready // started steps of reserved workers; no claim is needed
	paces  paces
}

// New makes a runner; it works when the dispatcher calls Work.
func New(cfg Config) *Runner {
	return &Runner{
		cfg: cfg, Pauses: &Pauses{store: cfg.Store, shared: cfg.Shared}, runs: map[string]*live{}, ready: map[dispatch.Item]ready{},
		paces: paces{Pace: cfg.Pace},
	}
}

// Held says how many runs are kept in memory.
func (x *Runner) Held() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.runs)
}
