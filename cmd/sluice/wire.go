package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"sluice/bot"
	"sluice/bot/httpapi"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/bot/slack"
	"sluice/cmd/sluice/standins"
	"sluice/engine"
	"sluice/engine/dispatch"
	"sluice/engine/dispatch/local"
	"sluice/engine/dispatch/river"
	"sluice/engine/flow"
	"sluice/engine/outbox"
	"sluice/engine/prune"
	"sluice/engine/registry"
	"sluice/engine/secret"
	"sluice/engine/tool"
	"sluice/engine/tool/files"
	"sluice/render"
	"sluice/storage"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"

	"golang.org/x/sync/errgroup"
)

// openStore opens the database and applies its migrations.
func openStore(ctx context.Context, databaseURL, data string) (storage.Store, error) {
	kind, dsn, err := storage.ParseURL(databaseURL, data)
	if err != nil {
		return nil, err
	}
	if kind == storage.Postgres {
		return postgres.Open(ctx, dsn)
	}
	return sqlite.Open(ctx, dsn)
}

// backend is what a process serves: a store, and the dispatcher that performs the tokens of its runs.
type backend struct {
	store      storage.Store
	dispatcher dispatch.Dispatcher
	worker     string // names this process
	shared     bool   // other processes may serve the store at the same time
	pages      pages  // about its queue; nil = it has none
}

// openBackend opens the database to serve it: a SQLite file for this process alone, Postgres for any number of them.
func openBackend(ctx context.Context, c *config, log *slog.Logger) (*backend, error) {
	kind, dsn, err := storage.ParseURL(c.DatabaseURL, c.Data)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	p := &backend{worker: fmt.Sprintf("%s/%d/%s", host, os.Getpid(), uuid.NewString()[:8])}
	if kind != storage.Postgres {
		p.dispatcher = local.New(local.Options{Logger: log})
		var bounds []sqlite.Option
		if c.SQLiteMaxMB > 0 {
			bounds = append(bounds, sqlite.MaxSize(int64(c.SQLiteMaxMB)<<20))
		}
		p.store, err = sqlite.Open(ctx, dsn, bounds...)
		return p, err
	}
	p.shared = true
	p.store, err = postgres.Open(ctx, dsn, postgres.WithQueue(storage.Queue{Put: river.Put, Gone: river.Gone, End: river.End, EndDead: river.EndDead}))
	if err != nil {
		return nil, err
	}
	d, err := river.Open(ctx, dsn, river.Options{Name: p.worker, Logger: log.With("component", "river")})
	if err != nil {
		return nil, errors.Join(err, p.store.Close())
	}
	p.dispatcher, p.pages = d, d.Page
	return p, nil
}

// close ends what openBackend began.
func (p *backend) close(log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := errors.Join(p.dispatcher.Stop(ctx), p.store.Close()); err != nil {
		log.Warn("the database was not left cleanly", "error", err)
	}
}

// toolbox has the tools and agents of flows, and the secrets with their redactor.
type toolbox struct {
	set      *tool.Set
	agents   []flow.Agent // that flows may name; never nil
	secrets  *secret.Env
	redactor *secret.Redactor
	declared bool // an actions file is loaded
	ceilings flow.Ceilings
	priced   func(model string) (string, bool) // nil = no model is configured
	models   []string                          // that are listed
	with     *standins.StandIns                // what stands here for names of files, see nearby
}

// openTools loads the built-in tools and the declared actions. messenger may be nil: then nothing can be posted.
func openTools(c *config, messenger tool.Messenger) (*toolbox, error) {
	env, err := secret.NewEnv(os.Environ())
	if err != nil {
		return nil, err
	}
	t := &toolbox{secrets: env, redactor: env.RedactorWith(c.secrets()), declared: c.Tools != "", ceilings: c.OfFlows(), priced: c.Priced(), models: c.Listed(), with: c.With}
	opts := tool.Options{AllowPrivate: c.AllowPrivate, Secrets: env, Redactor: t.redactor, MaxBody: int64(c.MaxOutput) << 10}
	builtin, err := tool.HTTP(opts)
	if err != nil {
		return nil, err
	}
	if c.Workspace != "" {
		builtin = append(builtin, files.Tools(c.Workspace)...)
	}
	if messenger != nil {
		builtin = append(builtin, tool.PostMessage(messenger))
	}
	if c.Tools != "" {
		src, err := os.ReadFile(c.Tools)
		if err != nil {
			return nil, fmt.Errorf("read the actions: %w", err)
		}
		actions, err := tool.LoadActions(c.Tools, src, opts)
		if err != nil {
			return nil, err
		}
		builtin = append(builtin, actions...)
	}
	if t.set, err = tool.New(builtin...); err != nil {
		return nil, err
	}
	return t, t.loadAgents(c.Agents)
}

// sender is the name under which a process that serves alone is elected to send messages. The next one takes the role over at once,
// instead of after the time that a killed one would have had it for.
const sender = "the serving process"

// app is the bot with everything it needs, wired.
type app struct {
	store     storage.Store
	slack     *slack.App
	engine    *engine.Engine
	projector *project.Projector
	bot       *bot.Bot
	secrets   secret.Source
	pruner    *prune.Pruner               // nil = this process removes nothing
	ops       func(context.Context) error // nil = no pages for operators
	log       *slog.Logger
}

// build connects the packages. Unless the backend is shared, this process must have the right to serve its store. waits gets the reasons of waits.
// It gives nil without an error when ctx has ended first.
func build(ctx context.Context, c *config, at *backend, clock *engine.Clock, log *slog.Logger, waits func(string)) (*app, error) {
	cal, wrong := c.calendar()
	if len(wrong) > 0 {
		return nil, errors.New(strings.Join(wrong, "; "))
	}
	h := &app{store: at.store, log: log}
	holder, together := sender, ""
	if at.shared {
		holder, together = at.worker, at.worker
	}
	h.projector = project.New()
	var err error
	h.slack, err = awaitSlack(ctx, slack.Config{
		BotToken: c.SlackBotToken, AppToken: c.SlackAppToken, APIURL: c.SlackAPIURL, Store: at.store, Holder: together, Render: render.New(render.Options{}),
		Log: log.With("component", "slack"), PerMinute: int(c.MessageRate), Surfaces: h.projector,
	}, waits)
	if err != nil || h.slack == nil {
		return nil, err
	}
	tools, err := openTools(c, &outbox.Outbox{Store: at.store, Wake: h.projector.Wake, Now: clock.Now})
	if err != nil {
		return nil, err
	}
	model, err := c.Open()
	if err != nil {
		return nil, err
	}
	h.secrets = tools.secrets
	h.engine = engine.New(engine.Config{
		Store: at.store, Tools: tools.set, Agents: registry.New(tools.agents, at.store), Dispatcher: at.dispatcher, Shared: at.shared, Queued: at.shared, Clock: clock, Model: model, DraftModel: c.DraftModel,
		Secrets: tools.secrets, Redactor: tools.redactor, Directory: h.slack.Directory(), Surfaces: h.projector, RunURL: h.runURL,
		Log: log.With("component", "engine"), Worker: at.worker, Calendar: cal, Admins: c.Admins, Explain: request.Explain("/flow"),
		CatchUpWindow: time.Duration(c.CatchUpWindow), KeptFires: int(c.ScheduleQueue),
		Ceilings: c.OfFlows(), Pace: c.Pace(), StartsPerMinute: int(c.StartsPerMinute), LiveRuns: int(c.LiveRuns),
	})
	h.projector.Connect(h.engine)
	h.projector.Sender, h.projector.Log, h.projector.Holder = h.slack, log.With("component", "project"), holder
	h.projector.URL = func(channel, ts, thread string) string {
		return h.slack.URL(project.Address{Channel: channel, TS: ts, Thread: thread})
	}
	h.projector.Shared, h.projector.Admins, h.projector.Release = at.shared, c.Admins, release()
	h.bot = bot.New(bot.Config{
		Engine: h.engine, Tools: tools.set, Directory: h.slack.Directory(), Slack: h.slack, Cards: h.projector.Cards, Wake: h.projector.Wake, Log: log.With("component", "bot"),
		SecondPerson: c.SecondPerson == "on", Approvers: c.Approvers, Admins: c.Admins, Name: "Sluice", HomeChanged: h.projector.HomeChanged,
		Model:       c.HasModel(),
		Models:      c.Listed(),
		Secret:      func(name string) bool { return slices.Contains(tools.secrets.Names(), name) },
		Ceilings:    c.OfFlows(),
		HookProblem: hookProblem(ctx, c, tools.secrets), Arrived: h.slack.Arrived,
	})
	h.projector.Home = h.bot.Home
	if _, every, _ := c.read(); every > 0 {
		h.pruner = c.pruner(at.store, clock.Now, holder, log.With("component", "prune"))
	}
	return h, h.openPages(c, at.pages)
}

// openPages takes the address of the pages for operators, where one is set.
func (h *app) openPages(c *config, pages pages) error {
	if c.OpsAddr == "" || pages == nil {
		return nil
	}
	l, err := c.listen()
	if err != nil {
		return err
	}
	h.ops = func(ctx context.Context) error {
		return serveOps(ctx, l, &c.opsSettings, pages, h.log.With("component", "ops"))
	}
	return nil
}

// runURL gives the link to the thread in which people follow a run.
func (h *app) runURL(ctx context.Context, r storage.Run) (string, error) {
	at, err := h.projector.AddressOf(ctx, r)
	return h.slack.URL(at), err
}

// findings lists problems of the surroundings of the process, for the readiness check.
func (h *app) findings() []httpapi.Finding {
	undelivered := h.undelivered()
	since, err := h.slack.Disconnected()
	if err == nil {
		return undelivered
	}
	text := "Slack is not connected: " + err.Error() + ". Nothing arrives from Slack and nothing is sent; runs go on, and what they have to say is kept. It is tried again until it works."
	if !since.IsZero() {
		text = fmt.Sprintf("Slack is not connected since %s: %v. Nothing arrives from Slack and nothing is sent; runs go on, and what they have to say is kept. It is tried again until it works.", since.UTC().Format(time.RFC3339), err)
	}
	return append(undelivered, httpapi.Finding{Text: text, Stops: true})
}

// undelivered lists why messages cannot be delivered.
func (h *app) undelivered() (all []httpapi.Finding) {
	ctx, cancel := context.WithTimeout(context.Background(), findMost)
	defer cancel()
	problems, err := h.projector.Problems(ctx)
	if err != nil {
		return nil // another check reports the database
	}
	for _, b := range problems {
		all = append(all, httpapi.Finding{Text: b.String(), Stops: b.Wide})
	}
	return all
}

// findMost is how long findings may take.
const findMost = 2 * time.Second

// run serves until ctx ends.
func (h *app) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return h.engine.Serve(ctx) })
	g.Go(func() error { h.projector.Run(ctx); return nil })
	g.Go(func() error { return h.slack.Run(ctx, h.bot) })
	if h.ops != nil {
		g.Go(func() error { return h.ops(ctx) })
	}
	if h.pruner != nil {
		g.Go(func() error { h.pruner.Run(ctx); return nil })
	}
	err := g.Wait()
	if errors.Is(err, context.Canceled) || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
