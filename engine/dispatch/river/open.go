package river

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	queue "github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"sluice/engine/dispatch"
)

// Options are the settings of a dispatcher; the zero value is usable, but for Name.
type Options struct {
	Name    string        // of this process, as in its leases: EndDead takes it once the process is dead. Each process has another
	Workers int           // items performed at a time; 0 = 64
	Grace   time.Duration // how long Stop waits for items after it cancelled them; 0 = 5 s
	Logger  *slog.Logger  // nil = slog.Default()
}

const (
	connections = 8 // of this package; the one that listens for jobs included
	// fetchCooldown is the shortest time between two fetches: a burst is fetched in few statements, a single job at once.
	fetchCooldown = 2 * time.Millisecond
	// pollInterval finds jobs whose notification was lost.
	pollInterval = time.Second
	// retention is how long finished jobs stay to be looked at.
	retention = 10 * time.Minute
)

// Open connects to the database and makes or migrates River's tables, one process at a time. Nothing is performed until Start.
// Stop frees what Open took. Errors never repeat the URL's password.
func Open(ctx context.Context, databaseURL string, o Options) (*Dispatcher, error) {
	if o.Workers <= 0 {
		o.Workers = 64
	}
	if o.Grace <= 0 {
		o.Grace = 5 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	pool, err := connect(ctx, databaseURL)
	if err != nil {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	if err := migrate(ctx, pool, o.Logger); err != nil {
		pool.Close()
		return nil, fmt.Errorf("prepare the queue: %w", err)
	}
	d := newDispatcher(o, pool)
	if d.client, err = newClient(d, pool); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	return d, nil
}

func connect(ctx context.Context, databaseURL string) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	c.MaxConns = connections
	// A setting of the store's driver, which the server does not know.
	delete(c.ConnConfig.RuntimeParams, "binary_parameters")
	if c.ConnConfig.RuntimeParams["application_name"] == "" {
		c.ConnConfig.RuntimeParams["application_name"] = "sluice queue"
	}
	return pgxpool.NewWithConfig(ctx, c)
}

// migrate brings River's tables up to date under a lock, which belongs to a connection.
func migrate(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, lock); err != nil {
		return err
	}
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: quieter(log)})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	_, unlocked := conn.Exec(context.WithoutCancel(ctx), unlock)
	return errors.Join(err, unlocked)
}

func newClient(d *Dispatcher, pool *pgxpool.Pool) (*queue.Client[pgx.Tx], error) {
	workers := queue.NewWorkers()
	if err := queue.AddWorkerSafely(workers, &worker{d: d}); err != nil {
		return nil, err
	}
	return queue.NewClient(riverpgxv5.New(pool), &queue.Config{
		ID: d.options.Name, Logger: quieter(d.options.Logger), Workers: workers, MaxAttempts: maxAttempts, JobTimeout: -1,
		Queues:        map[string]queue.QueueConfig{queueName: {MaxWorkers: d.options.Workers}},
		FetchCooldown: fetchCooldown, FetchPollInterval: pollInterval,
		CancelledJobRetentionPeriod: retention, CompletedJobRetentionPeriod: retention, DiscardedJobRetentionPeriod: retention,
	})
}

// job is what the queue holds of an item.
type job struct {
	Run   string `json:"run"`
	Token int    `json:"token"`
	Epoch int    `json:"epoch"`
}

// Kind names the sort of job in River's tables.
func (job) Kind() string { return kind }

// worker is what River calls for a job.
type worker struct {
	queue.WorkerDefaults[job]
	d *Dispatcher
}

// Timeout is none: the run decides how long a node may take.
func (*worker) Timeout(*queue.Job[job]) time.Duration { return -1 }

// Work performs an item.
func (w *worker) Work(ctx context.Context, j *queue.Job[job]) error {
	return w.d.work(ctx, dispatch.Item{Run: j.Args.Run, Token: j.Args.Token, Epoch: j.Args.Epoch})
}

// quieter leaves out what River logs below a warning.
func quieter(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

type warnings struct{ slog.Handler }

// Enabled drops what is less than a warning.
func (h warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// WithAttrs keeps the level.
func (h warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the level.
func (h warnings) WithGroup(name string) slog.Handler { return warnings{h.Handler.WithGroup(name)} }
