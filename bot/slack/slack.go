package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"
	"golang.org/x/sync/errgroup"

	"sluice/bot"
	"sluice/bot/inbox"
	"sluice/render"
	"sluice/storage"
)

// Store is what the connection needs of the database.
type Store interface {
	inbox.Store
	Write(ctx context.Context, b *storage.Batch) error
}

// Config is what the connection to Slack is made of.
type Config struct {
	BotToken string // xoxb-...
	AppToken string // xapp-...
	APIURL   string // "" = Slack itself; ends in "/"
	Store    Store
	Render   *render.Renderer
	Log      *slog.Logger
	Surfaces Surfaces // is told what Slack says about messages and channels; nil = none
	Sockets  int      // default 2
	Holder   string   // names this process where several serve the store; "" = it serves alone
	// PerMinute is how many edits of messages the workspace gets in a minute, 40 when zero; new messages have budgets in proportion.
	PerMinute int
}

// App is one installation of the bot in a workspace.
type App struct {
	cfg    Config
	api    *slackgo.Client
	log    *slog.Logger
	budget *budget
	people *directory
	web    *http.Client // for what is no call of the API

	account
	sent sentMessages

	connection connection
	pace       pace

	ready     chan struct{} // closed at the first hello
	readyOnce sync.Once
	inbox     *inbox.Inbox
	concerns  concerns
	forms     forms
}

// New checks the tokens against Slack and learns who the bot is. IsAway tells an error that time may mend from one of the tokens.
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
	web := &http.Client{Timeout: callTimeout}
	opts := []slackgo.Option{slackgo.OptionAppLevelToken(cfg.AppToken), slackgo.OptionHTTPClient(web)}
	if cfg.APIURL != "" {
		opts = append(opts, slackgo.OptionAPIURL(strings.TrimSuffix(cfg.APIURL, "/")+"/"))
	}
	a := &App{
		cfg: cfg, api: slackgo.New(cfg.BotToken, opts...), log: cfg.Log, budget: newBudget(cfg.PerMinute), web: web,
		ready: make(chan struct{}), inbox: inbox.New(inbox.Config{Store: cfg.Store, Holder: cfg.Holder, Log: cfg.Log}), pace: defaultPace, connection: connection{log: cfg.Log},
	}
	who, err := a.api.AuthTestContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("check the bot token with Slack: %w", err)
	}
	a.account, a.sent = newAccount(who), sentMessages{a.api, a.budget}
	a.people = newDirectory(a.api, a.team, a.user)
	a.forms.app = a
	return a, nil
}

// IsAway reports whether an error means that Slack cannot be reached, or asks for a pause.
func IsAway(err error) bool {
	var network net.Error
	var limited *slackgo.RateLimitedError
	var status slackgo.StatusCodeError
	return errors.As(err, &network) || errors.As(err, &limited) || errors.As(err, &status) && status.Code >= http.StatusInternalServerError ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// callTimeout bounds one call of Slack's API.
const callTimeout = 30 * time.Second

// Directory answers who people are.
func (a *App) Directory() *directory { return a.people }

// Ready is closed when the first socket has said hello.
func (a *App) Ready() <-chan struct{} { return a.ready }

// Run keeps the sockets open and works on the inbox until ctx ends.
func (a *App) Run(ctx context.Context, b *bot.Bot) error {
	a.concerns, a.forms.asker = b.Concerns, b
	defer a.forms.working.Wait()
	defer a.inbox.Settle()
	g, ctx := errgroup.WithContext(ctx)
	for range a.cfg.Sockets {
		g.Go(func() error { return a.listen(ctx) })
	}
	g.Go(func() error {
		a.inbox.Work(ctx, deliveries{a, b})
		return nil
	})
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
