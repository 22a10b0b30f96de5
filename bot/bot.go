package bot

import (
	"context"
	"log/slog"

	"sluice/bot/card"
	"sluice/bot/drafts"
	"sluice/bot/gates"
	"sluice/bot/hometab"
	"sluice/bot/operate"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/bot/triggers"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/people"
	"sluice/engine/tool"
	"sluice/storage"
)

// Slack has the calls to Slack that are made at once and without a record; everything else is a surface.
type Slack interface {
	drafts.Slack
	triggers.Slack
}

// Config is what the bot is made of.
type Config struct {
	Engine    *engine.Engine
	Tools     tool.Catalogue
	Directory people.Directory
	Slack     Slack
	Cards     *surface.Cards // what runs and flows look like
	Wake      func()         // called after surfaces were written
	Log       *slog.Logger
	Secret    func(name string) bool // is a secret set; nil = not known
	Model     bool                   // a language model answers for agents
	Models    []string               // the models that the installation lists; nil = none is configured
	// Ceilings are the limits that no flow may exceed.
	Ceilings flow.Ceilings
	// HookProblem says why a webhook of a flow would not be received, and what to do about it; empty = it would be. nil = not known.
	HookProblem func(name string, w flow.WebhookTrigger) string
	Arrived     func() // called after a delivery was put into the inbox; nil = the inbox's worker looks by itself
	// SecondPerson demands that somebody else than an edit's author approves what a revision newly allows.
	SecondPerson bool
	Approvers    []string // "@group", "@user" or ids who may be that second person for any flow
	Admins       []string // user ids
	// HomeChanged is called after something that a person's Home shows may have changed; "" = everybody's.
	HomeChanged func(user string)
	Command     string // the slash command, "/flow"
	Name        string // the bot's name in chat, "Sluice"
}

// Bot answers people. Its methods are safe for concurrent use; deliveries of one thread must come in order.
type Bot struct {
	Config
	// Hooks takes the deliveries of webhooks; Concerns says which messages are part of the bot's work.
	Hooks    *triggers.Hooks
	Concerns *triggers.Concerns

	store   store
	access  *request.Access
	replies *request.Replies
	drafts  *drafts.Drafts
	gates   *gates.Gates
	starts  operate.Starts
	lists   operate.Lists
	runs    operate.Runs
	holds   operate.Holds
	starter *triggers.Starter
	home    hometab.Home
}

// New makes a bot.
func New(c Config) *Bot {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Command == "" {
		c.Command = "/flow"
	}
	if c.Name == "" {
		c.Name = "Sluice"
	}
	if c.HomeChanged == nil {
		c.HomeChanged = func(string) {}
	}
	if c.Wake == nil {
		c.Wake = func() {}
	}
	store := c.Engine.Store()
	access := &request.Access{Engine: c.Engine, Store: store, Directory: c.Directory, Now: c.Engine.Now, Admins: c.Admins, Approvers: c.Approvers}
	replies := &request.Replies{Engine: c.Engine, Store: store, Wake: c.Wake, FlowsChanged: func() { c.HomeChanged("") }, Command: c.Command, Name: c.Name}
	runs := &operate.Ports{
		Engine: c.Engine, Store: store, Access: access, Replies: replies, Directory: c.Directory, Tools: c.Tools, Cards: c.Cards,
		Example: func() string { return drafts.Example(c.Tools.All()) },
	}
	return &Bot{
		Config: c, store: store, access: access, replies: replies,
		Hooks:    &triggers.Hooks{Engine: c.Engine, Store: store, Access: access, Replies: replies, Arrived: c.Arrived, Log: c.Log},
		Concerns: &triggers.Concerns{Store: store},
		drafts: drafts.New(drafts.Ports{
			Engine: c.Engine, Store: store, Access: access, Replies: replies, Tools: c.Tools, Directory: c.Directory, Slack: c.Slack,
			Cards: c.Cards, Log: c.Log, Secret: c.Secret, Model: c.Model, Models: c.Models, Ceilings: c.Ceilings, HookProblem: c.HookProblem,
			SecondPerson: c.SecondPerson, Approvers: c.Approvers,
		}),
		gates:  &gates.Gates{Engine: c.Engine, Store: store, Access: access, Replies: replies, Cards: c.Cards, Tools: c.Tools},
		starts: operate.Starts{Ports: runs}, lists: operate.Lists{Ports: runs}, runs: operate.Runs{Ports: runs}, holds: operate.Holds{Ports: runs},
		starter: &triggers.Starter{Engine: c.Engine, Store: store, Access: access, Replies: replies, Slack: c.Slack, Log: c.Log},
		home:    hometab.Home{Engine: c.Engine, Store: store, Access: access, Cards: c.Cards, URL: c.Cards.URL, Name: c.Name},
	}
}

// Home is what a person's Home shows.
func (b *Bot) Home(ctx context.Context, user string) (card.Card, error) {
	return b.home.Card(ctx, user)
}

// store is what the router itself needs of the database: the commands that it keeps.
type store interface {
	Draft(ctx context.Context, id string) (storage.Draft, error)
	DraftInThread(ctx context.Context, channel, thread string) (storage.Draft, error)
}
