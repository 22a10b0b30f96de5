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
	"sluice/bot/project"
	"sluice/bot/slack"
	"sluice/engine"
	"sluice/engine/dispatch"
	"sluice/engine/dispatch/local"
	"sluice/engine/dispatch/river"
	"sluice/engine/llm"
	"sluice/engine/prune"
	"sluice/engine/secret"
	"sluice/engine/tool"
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

// place is where a process serves: a store, and who performs the tokens of its runs.
type place struct {
	store      storage.Store
	dispatcher dispatch.Dispatcher
	worker     string // names this process
	shared     bool   // other processes may serve the store at the same time
	pages      pages  // about its queue; nil = it has none
}

// openPlace opens the database to serve it: a SQLite file for this process alone, Postgres for any number of them.
func openPlace(ctx context.Context, c *config, log *slog.Logger) (*place, error) {
	kind, dsn, err := storage.ParseURL(c.DatabaseURL, c.Data)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	p := &place{worker: fmt.Sprintf("%s/%d/%s", host, os.Getpid(), uuid.NewString()[:8])}
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
	p.store, err = postgres.Open(ctx, dsn, postgres.WithQueue(storage.Queue{Put: river.Put, Gone: river.Gone, End: river.End, Bury: river.Bury}))
	if err != nil {
		return nil, err
	}
	d, err := river.Open(ctx, dsn, river.Options{Name: p.worker, Logger: log.With("room", "river")})
	if err != nil {
		return nil, errors.Join(err, p.store.Close())
	}
	p.dispatcher, p.pages = d, d.Page
	return p, nil
}

// close ends what openPlace began.
func (p *place) close(log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := errors.Join(p.dispatcher.Stop(ctx), p.store.Close()); err != nil {
		log.Warn("the database was not left cleanly", "error", err)
	}
}

// toolbox is what flows can call, and what keeps secrets out of what is stored.
type toolbox struct {
	set      *tool.Set
	secrets  *secret.Env
	redactor *secret.Redactor
	declared bool // an actions file is loaded
}

// openTools loads the built-in tools and the declared actions. messenger may be nil: then nothing can be posted.
func openTools(c *config, messenger tool.Messenger) (*toolbox, error) {
	env, err := secret.NewEnv(os.Environ())
	if err != nil {
		return nil, err
	}
	t := &toolbox{secrets: env, redactor: env.Redactor(), declared: c.Tools != ""}
	opts := tool.Options{AllowPrivate: c.AllowPrivate, Secrets: env, Redactor: t.redactor}
	builtin, err := tool.HTTP(opts)
	if err != nil {
		return nil, err
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
	t.set, err = tool.New(builtin...)
	return t, err
}

// openModel gives the language model, or nil when none is configured.
func openModel(c *config) llm.Model {
	if !c.hasModel() {
		return nil
	}
	return llm.NewOpenAI(llm.OpenAIOptions{Key: c.OpenAIKey, BaseURL: c.OpenAIBaseURL, Model: c.OpenAIModel})
}

// sender is the name under which a process that serves alone is elected to send messages. The next one takes the role over at once,
// instead of after the time that a killed one would have had it for.
const sender = "the serving process"

// house is the bot with everything it needs, wired.
type house struct {
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

// build introduces the rooms to each other. Unless the place is shared, the right to serve its store must be this process's.
func build(ctx context.Context, c *config, at *place, clock *engine.Clock, log *slog.Logger) (*house, error) {
	cal, wrong := c.calendar()
	if len(wrong) > 0 {
		return nil, errors.New(strings.Join(wrong, "; "))
	}
	h := &house{store: at.store, log: log}
	holder, together := sender, ""
	if at.shared {
		holder, together = at.worker, at.worker
	}
	var err error
	h.slack, err = slack.New(ctx, slack.Config{
		BotToken: c.SlackBotToken, AppToken: c.SlackAppToken, APIURL: c.SlackAPIURL, Store: at.store, Holder: together, Render: render.New(render.Options{}),
		Log: log.With("room", "slack"), PerMinute: int(c.MessageRate),
	})
	if err != nil {
		return nil, err
	}
	tools, err := openTools(c, h.slack)
	if err != nil {
		return nil, err
	}
	h.secrets = tools.secrets
	h.projector = project.New()
	h.engine = engine.New(engine.Config{
		Store: at.store, Tools: tools.set, Dispatcher: at.dispatcher, Shared: at.shared, Queued: at.shared, Clock: clock, Model: openModel(c),
		Secrets: tools.secrets, Redactor: tools.redactor, Messenger: h.slack, Directory: h.slack.Directory(), Surfaces: h.projector,
		Log: log.With("room", "engine"), Worker: at.worker, Calendar: cal, Admins: c.Admins,
		CatchUpWindow: time.Duration(c.CatchUpWindow), KeptFires: int(c.ScheduleQueue),
	})
	h.projector.Engine, h.projector.Sender, h.projector.Log, h.projector.Holder = h.engine, h.slack, log.With("room", "project"), holder
	h.projector.Shared = at.shared
	h.bot = bot.New(bot.Config{
		Engine: h.engine, Tools: tools.set, Directory: h.slack.Directory(), Slack: h.slack, Cards: h.projector, Wake: h.projector.Wake, Log: log.With("room", "bot"),
		SecondPerson: c.SecondPerson == "on", Approvers: c.Approvers, Admins: c.Admins, Name: "Sluice",
		Model:       c.hasModel(),
		Secret:      func(name string) bool { return slices.Contains(tools.secrets.Names(), name) },
		HookProblem: hookProblem(ctx, c, tools), Arrived: h.slack.Arrived,
	})
	if c.OpsAddr != "" && at.pages != nil {
		l, err := c.listen()
		if err != nil {
			return nil, err
		}
		h.ops = func(ctx context.Context) error {
			return serveOps(ctx, l, c.OpsToken, at.pages, log.With("room", "ops"))
		}
	}
	if _, every, _ := c.read(); every > 0 {
		h.pruner = c.pruner(at.store, clock.Now, holder, log.With("room", "prune"))
	}
	return h, nil
}

// run serves until ctx ends.
func (h *house) run(ctx context.Context) error {
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
