package engine

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"sluice/engine/budget"
	"sluice/engine/calendar"
	"sluice/engine/cluster"
	"sluice/engine/compiled"
	"sluice/engine/dispatch"
	"sluice/engine/dryrun"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/lock"
	"sluice/engine/outage"
	"sluice/engine/outbox"
	"sluice/engine/people"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/engine/schedule"
	"sluice/engine/secret"
	"sluice/engine/signals"
	"sluice/engine/timer"
	"sluice/engine/tool"
	"sluice/engine/trigger"
	"sluice/engine/view"
	"sluice/storage"
)

// Config is what the engine is made of. Store, Tools, Dispatcher and Clock are needed; the rest may be nil.
type Config struct {
	Store      storage.Store
	Tools      tool.Catalogue
	Agents     lock.Agents // that flows may name; nil = none
	Dispatcher dispatch.Dispatcher
	Clock      *Clock
	Model      llm.Model // nil = agent steps are offered to people
	DraftModel string    // the model of drafts; empty = the default one
	Secrets    secret.Source
	Redactor   *secret.Redactor
	Messenger  tool.Messenger    // posts messages at once; nil = they are surfaces, which are delivered later, if there are Surfaces
	Directory  people.Directory  // nil = anybody may decide (the terminal)
	Surfaces   runner.Projection // nil = nothing is shown
	Log        *slog.Logger
	Worker     string // names this process in leases
	// RunURL gives the address at which people follow a run (run.url), "" when there is none yet. It may wait for it for a moment. The
	// run may not be stored yet. nil = runs have no address.
	RunURL func(ctx context.Context, r storage.Run) (string, error)
	// Calendar says when people work; its zone is also that of schedules and times that name none. Default: Monday to Friday, 9 to
	// 17 o'clock, UTC.
	Calendar *calendar.Calendar
	// CatchUpWindow is how far back a schedule with catch_up all makes up for fires that were missed; default a day. KeptFires is how
	// many fires of a schedule with overlap queue wait for the run before at most; default 100. Further ones are left out.
	CatchUpWindow time.Duration
	KeptFires     int
	// Ceilings are what no flow may pass, whatever it says; Pace is how fast one run may go, StartsPerMinute how often one flow may
	// start. LiveRuns is how many live runs one person may have started. Zero is no bound.
	Ceilings        flow.Ceilings
	Pace            runner.Pace
	StartsPerMinute int
	LiveRuns        int           // that one person has started and that are not over
	Admins          []string      // user ids
	Grace           time.Duration // how long a stop lets steps finish that are under way; default 10 s
	// Shared says that other processes may serve the store at the same time: what a worker holds is lost when the worker is dead
	// (engine/cluster). Otherwise this process has the exclusive right, and whatever is held when it starts is lost.
	Shared bool
	// Queued says that the store puts a job into the dispatcher's queue with each lease (storage.Queue): nothing is enqueued after
	// a commit.
	Queued bool
	// Explain is the sentence for an error in a message that the engine itself makes; nil = the error's own.
	Explain func(error) string
	// Hook is called at every Position; tests kill there.
	Hook func(at runner.Position)
}

// Engine has the operations on runs and flows. What lower packages offer as it is, is embedded. All methods are safe for concurrent use.
type Engine struct {
	*people.People
	*view.Views
	*dryrun.Dryruns
	*lock.Locks
	*trigger.Triggers
	*schedule.Schedules
	moves

	cfg       Config
	log       *slog.Logger
	runner    *runner.Runner
	pulse     *cluster.Pulse
	revisions *compiled.Cache
	meter     *budget.Meter
	outage    *outage.Watch
	starts    starts
	wake      timer.Wake
	events    *signals.Events
	queue     *signals.Queue
	signals   *signals.Signals
	firer     *schedule.Firer
	loop      *timer.Loop
}

// New makes an engine; Serve starts it.
func New(cfg Config) *Engine {
	cfg.complete()
	e := &Engine{
		cfg: cfg, log: cfg.Log, wake: timer.NewWake(), starts: starts{perMinute: cfg.StartsPerMinute},
		pulse: cluster.NewPulse(cfg.Shared), outage: outage.New(cfg.Log), revisions: compiled.New(cfg.Store, cfg.Ceilings),
		People: people.New(cfg.Store, cfg.Directory, cfg.Admins, cfg.Log), Locks: lock.New(cfg.Store, cfg.Tools, cfg.Agents), Triggers: trigger.New(cfg.Store, cfg.Directory),
	}
	e.Views = view.New(cfg.Store, e.revisions)
	e.meter = &budget.Meter{Store: cfg.Store, Model: cfg.Model, DraftModel: cfg.DraftModel, Zone: cfg.Calendar.Zone, Now: e.Now, Outage: e.outage}
	e.Dryruns = dryrun.New(dryrun.Config{
		Store: cfg.Store, Revisions: e.revisions, Tools: cfg.Tools, Now: e.Now, Due: cfg.due, Zone: cfg.Calendar.Zone, Address: cfg.address,
	})
	e.events = &signals.Events{Store: cfg.Store, Outage: e.outage, Now: e.Now, Wake: e.wake.Up}
	e.queue = &signals.Queue{Store: cfg.Store, Now: e.Now, Wake: e.wake.Up}
	e.runner = runner.New(runner.Config{
		Store: cfg.Store, Revisions: e.revisions, Tools: cfg.Tools, Dispatcher: cfg.Dispatcher, Presence: e.pulse, Meter: e.meter, Outage: e.outage,
		Secrets: cfg.Secrets, Redactor: cfg.Redactor, Messenger: cfg.Messenger, Surfaces: cfg.Surfaces, Log: cfg.Log,
		Worker: cfg.Worker, Shared: cfg.Shared, Queued: cfg.Queued, People: cfg.Directory != nil, Pace: cfg.Pace,
		Now: e.Now, Due: cfg.due, Zone: cfg.Calendar.Zone, Address: cfg.address, Hook: cfg.Hook,
		Signals: func(b *storage.Batch, d run.Decision, before *history.State) error {
			return signals.Fill(b, d, before, e.Now())
		},
		Emit: e.events.Act, Wake: e.wake.Up,
	})
	e.moves = moves{cfg.Store, e.revisions, e.Locks, e.runner, cfg.Ceilings, e.Now}
	e.connect()
	return e
}

// complete fills in what was left out.
func (c *Config) complete() {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = NewClock()
	}
	if c.Calendar == nil {
		c.Calendar = calendar.Usual(time.UTC)
	}
	if c.Grace == 0 {
		c.Grace = graceful
	}
	if c.Explain == nil {
		c.Explain = error.Error
	}
	if c.Hook == nil {
		c.Hook = func(runner.Position) {}
	}
}

// connect makes what needs the runner.
func (e *Engine) connect() {
	cfg := e.cfg
	e.signals = &signals.Signals{Queue: e.queue, Runner: e.runner, Log: e.log, StartChild: e.startChild}
	schedules := schedule.Config{
		Store: cfg.Store, Revisions: e.revisions, Worker: cfg.Worker, Shared: cfg.Shared, Now: e.Now, NewID: e.NewID, Zone: cfg.Calendar.Zone,
		Shortest: cfg.Ceilings.Interval, CatchUpWindow: cfg.CatchUpWindow, KeptFires: cfg.KeptFires, Log: e.log,
		Start: e.startScheduled, MayFire: e.mayFire, Explain: cfg.Explain, Wake: e.wake.Up,
		Paused: func(ctx context.Context) (func(string) bool, error) {
			p, err := e.runner.Pauses.Known(ctx)
			return p.Holds, err
		},
		Shown: func() {
			if cfg.Surfaces != nil {
				cfg.Surfaces.Wake()
			}
		},
	}
	e.Schedules, e.firer = schedule.New(schedules), schedule.NewFirer(schedules)
	loop := timer.Config{
		Store: cfg.Store, Clock: cfg.Clock, Runner: e.runner, Outage: e.outage, Worker: cfg.Worker, Shared: cfg.Shared, Hook: cfg.Hook, Log: e.log,
		Signals: e.signals.Deliver, Schedules: e.firer.FireDue, Forget: e.events.Forget,
	}
	if cfg.Directory != nil {
		loop.Unanswerable = e.Unanswerable
	}
	e.loop = timer.New(loop, e.wake)
}

// Priced gives the full name of a model and whether its price is known; empty is the default model.
func (e *Engine) Priced(model string) (name string, known bool) { return e.meter.Priced(model) }

// Drafter is the model as a person may use it for drafts; nil = no model is configured.
func (e *Engine) Drafter(person string) llm.Model { return e.meter.Drafter(person) }

// Emit tells of an event: every run that waits for it receives it, and so does every run of now that begins to wait within an hour,
// each once. See signals.Events.Emit.
func (e *Engine) Emit(ctx context.Context, name string, payload map[string]any, actor history.Actor, key string) error {
	return e.events.Emit(ctx, name, payload, actor, key)
}

// MessageOver tells the run whose step waits for a message what became of it, see signals.Signals.MessageOver.
func (e *Engine) MessageOver(ctx context.Context, s storage.Surface, b outbox.Body, nerr *history.NodeError) error {
	return e.signals.MessageOver(ctx, s, b, nerr)
}

// MessageState looks whether a message may be posted: it is taken back when what ended its step came first.
func (e *Engine) MessageState(ctx context.Context, id string, b outbox.Body) (outbox.State, error) {
	return outbox.StateOf(ctx, e.cfg.Store, id, b)
}

// Now is the engine's time; in development it can be moved.
func (e *Engine) Now() time.Time { return e.cfg.Clock.Now() }

// Store gives the store, for packages that only read.
func (e *Engine) Store() storage.Store { return e.cfg.Store }

// address is where people follow a run; "" = nowhere, or it is not known yet.
func (c *Config) address(ctx context.Context, r storage.Run) (string, error) {
	if c.RunURL == nil {
		return "", nil
	}
	url, err := c.RunURL(ctx, r)
	if err != nil {
		return "", fmt.Errorf("look up the address of run %s: %w", r.Name, err)
	}
	return url, nil
}
