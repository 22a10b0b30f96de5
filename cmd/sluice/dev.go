package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/errgroup"

	"sluice/bot/slacksim"
	"sluice/cmd/sluice/browser"
	"sluice/cmd/sluice/limits"
	"sluice/cmd/sluice/models"
	"sluice/engine"
	"sluice/examples/shop"
)

type devCmd struct {
	Addr         string        `default:"127.0.0.1:8086" help:"Where the small Slack listens; loopback only."`
	Data         string        `default:".sluice/dev" help:"Data directory; state survives a restart." env:"SLUICE_DATA" type:"path"`
	Fresh        bool          `help:"Forget everything in the data directory first."`
	Seed         string        `help:"File with users, groups and channels of the small Slack." type:"path"`
	Tools        besideFile    `help:"File of declared actions; default: actions for the sample shop; none: no actions." env:"SLUICE_TOOLS"`
	Agents       besideFile    `help:"File or folder of agents that flows may name." env:"SLUICE_AGENTS"`
	Faults       slacksim.Plan `placeholder:"SHARES" help:"Make a share of the small Slack's calls and deliveries go wrong, in percent, as in 429=10,5xx=5,timeout=1,drop=2,cut=2,lost=2,duplicate=10,late=10,seed=7; the same seed strikes the same ones again."`
	Limits       float64       `placeholder:"TIMES" help:"Let the small Slack answer 429 beyond so many times Slack's rate limits; 1 = Slack's own, 0 = no limits."`
	NoBot        bool          `help:"Start the small Slack and the shop only."`
	SecondPerson string        `default:"off" env:"SLUICE_SECOND_PERSON" help:"Must a second person approve what a flow newly allows? (on, off)"`
	Approvers    []string      `env:"SLUICE_APPROVERS" help:"Who may be that second person."`
	Admins       []string      `env:"SLUICE_ADMINS" help:"User ids of admins; default: the admins of the small Slack."`
	DatabaseURL  string        `name:"database-url" env:"DATABASE_URL" help:"The bot's database; empty = a SQLite file in the data directory."`
	models.Settings
	limits.Ceilings `group:"Limits of flows:"`
	limits.Pacing   `group:"Pace of runs:"`
	LogLevel        string `default:"warn" env:"SLUICE_LOG_LEVEL" help:"How much is logged (debug, info, warn, error)."`
}

//go:embed dev_actions.yaml
var devActions string

// Run starts the small Slack, the shop and the bot in this process.
func (c *devCmd) Run(ctx context.Context, std stdio) error {
	began := time.Now()
	cfg := c.config()
	if err := errors.Join(cfg.problems(false), loopbackOnly(c.Addr)); err != nil {
		return err
	}
	if err := cfg.makeData(); err != nil {
		return err
	}
	unlock, err := lockData(cfg.Data)
	if err != nil {
		return err
	}
	defer unlock()
	if c.Fresh {
		if err := c.forget(); err != nil {
			return err
		}
	}
	ln, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w (is another sluice dev running? try --addr 127.0.0.1:0)", c.Addr, err)
	}
	log := cfg.logger(std.err)
	clock := engine.NewClock()
	sim, err := c.smallSlack(cfg, clock, log, "http://"+ln.Addr().String())
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	return c.serve(ctx, std, cfg, sim, ln, clock, log, began)
}

// lockData keeps a second sluice dev away from the small Slack's and the shop's files.
func lockData(dir string) (unlock func(), err error) {
	l := flock.New(filepath.Join(dir, "dev.lock"))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	if !ok {
		return nil, fmt.Errorf("another sluice dev uses %s: stop it, or choose another directory with --data", dir)
	}
	return func() { _ = l.Unlock() }, nil
}

func (c *devCmd) config() *config {
	return &config{
		DatabaseURL: c.DatabaseURL, Data: c.Data, Tools: c.Tools.named(), Agents: c.Agents.named(), Settings: c.Settings,
		SecondPerson: c.SecondPerson, Approvers: c.Approvers, Admins: c.Admins, Timezone: "UTC", CatchUpWindow: limits.Span(24 * time.Hour), ScheduleQueue: 100, MessageRate: c.messageRate(), LogLevel: c.LogLevel,
		Ceilings: c.Ceilings, Pacing: c.Pacing,
	}
}

// messageRate is how many edits a minute the bot makes here: few where the small Slack counts as Slack does.
func (c *devCmd) messageRate() limits.Whole {
	const usual, bySlack = 300, 40
	if c.Limits > 0 {
		return max(1, min(usual, limits.Whole(bySlack*c.Limits)))
	}
	return usual
}

// loopbackOnly refuses addresses that other machines can reach: in the small Slack anybody can act as any person.
func loopbackOnly(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w", addr, err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--addr %s: the development server only listens on loopback, such as 127.0.0.1:8086", addr)
}

// forget removes the files of an earlier dev from the data directory, and no others.
func (c *devCmd) forget() error {
	for _, name := range []string{"slack", "shop", "actions.yaml", "sluice.db", "sluice.db-wal", "sluice.db-shm"} {
		if err := os.RemoveAll(filepath.Join(c.Data, name)); err != nil {
			return fmt.Errorf("forget the earlier state: %w", err)
		}
	}
	return nil
}

// smallSlack makes the small Slack with the shop beside it, and points the configuration at them.
func (c *devCmd) smallSlack(cfg *config, clock *engine.Clock, log *slog.Logger, base string) (*slacksim.Server, error) {
	seed := slacksim.DefaultSeed()
	if c.Seed != "" {
		var err error
		if seed, err = slacksim.LoadSeed(c.Seed); err != nil {
			return nil, err
		}
	}
	sh, err := shop.New(shop.Options{Dir: filepath.Join(cfg.Data, "shop"), Log: log})
	if err != nil {
		return nil, fmt.Errorf("open the shop: %w", err)
	}
	sim, err := slacksim.New(slacksim.Options{
		Dir: filepath.Join(cfg.Data, "slack"), Seed: seed, Log: log.With("component", "slacksim"), Shop: sh, ClockHook: clock.Advance,
		Faults: c.Faults, Limits: c.Limits,
	})
	if err != nil {
		return nil, fmt.Errorf("open the small Slack: %w", err)
	}
	sim.SetBaseURL(base)
	if len(cfg.Admins) == 0 {
		cfg.Admins = seed.Admins()
	}
	cfg.SlackBotToken, cfg.SlackAppToken, cfg.SlackAPIURL = seed.Bot.Token, seed.Bot.AppToken, base+"/api/"
	if c.Tools == "" {
		cfg.Tools = filepath.Join(cfg.Data, "actions.yaml")
		text := strings.ReplaceAll(devActions, "http://SHOP", base+"/shop")
		if err := os.WriteFile(cfg.Tools, []byte(text), 0o600); err != nil {
			return nil, fmt.Errorf("write the shop's actions: %w", err)
		}
	}
	return sim, nil
}

func (c *devCmd) serve(ctx context.Context, std stdio, cfg *config, sim *slacksim.Server, ln net.Listener, clock *engine.Clock, log *slog.Logger, began time.Time) error {
	g, ctx := errgroup.WithContext(ctx)
	api := cfg.server(log.With("component", "http"))
	cfg.HTTPAddr = ln.Addr().String() // webhooks have the same address as the small Slack
	srv := &http.Server{
		Handler:           browser.OwnPages(browser.Loopback(ln), log, "Open http://"+ln.Addr().String()+" itself.", browser.TypedControl(beside(api, sim.Handler()))),
		ReadHeaderTimeout: 10 * time.Second,
	}
	g.Go(func() error { return ignoreClosed(srv.Serve(ln)) })
	stopped := make(chan struct{}) // the bot has stopped: until then its last steps need the shop
	g.Go(func() error {
		<-ctx.Done()
		<-stopped
		return errors.Join(sim.Close(), srv.Close())
	})
	if c.NoBot {
		close(stopped)
		c.greet(std, cfg, ln, began)
	} else {
		g.Go(func() error {
			defer close(stopped)
			at, err := openBackend(ctx, cfg, log)
			if err != nil {
				return err
			}
			defer at.close(log)
			return serveBackend(ctx, cfg, at, clock, api, log, func(*app) { c.greet(std, cfg, ln, began) })
		})
	}
	return g.Wait()
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// greet says where the small Slack is and what to try.
func (c *devCmd) greet(std stdio, cfg *config, ln net.Listener, began time.Time) {
	base := "http://" + ln.Addr().String()
	fmt.Fprintf(std.out, "\n  A small Slack is open at %s  (ready in %d ms)\n", base, time.Since(began).Milliseconds())
	fmt.Fprintf(std.out, "  Data: %s   Actions: %s\n", cfg.Data, cfg.Tools)
	if c.NoBot {
		fmt.Fprintf(std.out, "\n  No bot is connected. Connect one:\n\n    SLACK_BOT_TOKEN=%s SLACK_APP_TOKEN=%s SLACK_API_URL=%s/api/ sluice serve --tools %s\n\n", cfg.SlackBotToken, cfg.SlackAppToken, base, cfg.Tools)
		return
	}
	fmt.Fprint(std.out, `
  You are ana. Go to #support and write:

    @Sluice new refund: 1. get the order from the shop  2. if the amount is over 100 ask @finance to approve  3. refund it  4. tell #support

  Then: reply "2. if the amount is over 200 ask @finance to approve" in the thread, press Approve, and write

    /flow run refund order_id=A-1001

  Switch to fin, who is in @finance, to answer the question. Stop with Ctrl-C.

`)
}
