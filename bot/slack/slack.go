package slack

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"
	"golang.org/x/sync/errgroup"

	"sluice/bot"
	"sluice/render"
	"sluice/storage"
)

// Config is what the connection to Slack is made of.
type Config struct {
	BotToken string // xoxb-...
	AppToken string // xapp-...
	APIURL   string // "" = Slack itself; ends in "/"
	Store    storage.Store
	Render   *render.Renderer
	Log      *slog.Logger
	Sockets  int    // default 2
	Holder   string // names this process where several serve the store; "" = it serves alone
	// PerMinute is the budget of messages for the whole workspace, 40 when zero.
	PerMinute int
}

// App is one installation of the bot in a workspace.
type App struct {
	cfg    Config
	api    *slackgo.Client
	log    *slog.Logger
	budget *budget
	people *directory

	botUser, botID, team, name string

	ready     chan struct{} // closed at the first hello
	readyOnce sync.Once
	arrived   chan struct{} // an inbox row was stored
}

// New checks the tokens against Slack and learns who the bot is.
func New(ctx context.Context, cfg Config) (*App, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Sockets == 0 {
		cfg.Sockets = 2
	}
	if cfg.PerMinute == 0 {
		cfg.PerMinute = 40
	}
	opts := []slackgo.Option{slackgo.OptionAppLevelToken(cfg.AppToken), slackgo.OptionHTTPClient(&http.Client{Timeout: callTimeout})}
	if cfg.APIURL != "" {
		opts = append(opts, slackgo.OptionAPIURL(strings.TrimSuffix(cfg.APIURL, "/")+"/"))
	}
	a := &App{
		cfg: cfg, api: slackgo.New(cfg.BotToken, opts...), log: cfg.Log, budget: newBudget(cfg.PerMinute),
		ready: make(chan struct{}), arrived: make(chan struct{}, 1),
	}
	who, err := a.api.AuthTestContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("check the bot token with Slack: %w", err)
	}
	a.botUser, a.botID, a.team, a.name = who.UserID, who.BotID, who.TeamID, who.User
	a.people = newDirectory(a.api, a.team, a.botUser)
	return a, nil
}

// callTimeout bounds one call of Slack's API.
const callTimeout = 30 * time.Second

// Directory answers who people are.
func (a *App) Directory() *directory { return a.people }

// Name is the bot's name in chat.
func (a *App) Name() string { return a.name }

// Ready is closed when the first socket has said hello.
func (a *App) Ready() <-chan struct{} { return a.ready }

// Run keeps the sockets open and works on the inbox until ctx ends.
func (a *App) Run(ctx context.Context, b *bot.Bot) error {
	g, ctx := errgroup.WithContext(ctx)
	for range a.cfg.Sockets {
		g.Go(func() error { return a.listen(ctx) })
	}
	g.Go(func() error { return a.work(ctx, b) })
	return g.Wait()
}

// React adds an emoji to a message.
func (a *App) React(ctx context.Context, channel, ts, emoji string) error {
	err := a.api.AddReactionContext(ctx, emoji, slackgo.NewRefToMessage(channel, ts))
	if err != nil && err.Error() != "already_reacted" {
		return err
	}
	return nil
}
