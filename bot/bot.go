package bot

import (
	"context"
	"errors"
	"log/slog"

	"sluice/bot/gates"
	"sluice/bot/operate"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/bot/triggers"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/tool"
)

// Slack is what the conversation asks of Slack at once and without a record; everything else is a surface.
type Slack interface {
	// React adds an emoji to a message: a sign that it was heard. Failing is no harm.
	React(ctx context.Context, channel, ts, emoji string) error
	// File reads a file that somebody attached to a message, if it has at most so many bytes. ErrFileGone, ErrFileClosed and
	// ErrFileBig stay as they are when it is tried again; any other error is a fault.
	File(ctx context.Context, f request.File, most int) ([]byte, error)
	triggers.Slack
}

// Why a file cannot be read, wrapped with what was being done.
var (
	ErrFileGone   = errors.New("the file was deleted")
	ErrFileClosed = errors.New("the file cannot be read")
	ErrFileBig    = errors.New("the file is too big")
)

// Config is what the bot is made of.
type Config struct {
	Engine    *engine.Engine
	Tools     tool.Catalogue
	Directory engine.Directory
	Slack     Slack
	Cards     *project.Projector // what runs and flows look like
	Wake      func()             // called after surfaces were written
	Log       *slog.Logger
	Secret    func(name string) bool // is a secret set; nil = not known
	Model     bool                   // a language model answers for agents
	// Ceilings are what no flow may pass.
	Ceilings flow.Ceilings
	// HookProblem says what keeps a webhook of a flow from being heard, and what to do about it; empty = nothing. nil = not known.
	HookProblem func(name string, w flow.WebhookTrigger) string
	Arrived     func() // called after a delivery was put into the inbox; nil = the inbox's worker looks by itself
	// SecondPerson demands that somebody else than an edit's author approves what a revision newly allows.
	SecondPerson bool
	Approvers    []string // "@group", "@user" or ids who may be that second person for any flow
	Admins       []string // user ids
	Command      string   // the slash command, "/flow"
	Name         string   // the bot's name in chat, "Sluice"
}

// Bot answers people. Its methods are safe for concurrent use; deliveries of one thread must come in order.
type Bot struct {
	Config
	Access  *request.Access
	Replies *request.Replies
	gates   *gates.Gates
	starts  operate.Starts
	lists   operate.Lists
	runs    operate.Runs
	holds   operate.Holds
	starter *triggers.Starter

	// Hooks takes the deliveries of webhooks; Concerns says which messages are part of the bot's work.
	Hooks    *triggers.Hooks
	Concerns *triggers.Concerns
	store    store
	files    chan struct{} // holds one file at a time: reading large ones side by side would take the processor from everybody's questions
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
	if c.Wake == nil {
		c.Wake = func() {}
	}
	store := c.Engine.Store()
	access := &request.Access{Engine: c.Engine, Store: store, Directory: c.Directory, Admins: c.Admins, Approvers: c.Approvers}
	replies := &request.Replies{Engine: c.Engine, Store: store, Wake: c.Wake, Command: c.Command, Name: c.Name}
	b := &Bot{
		Config: c, store: store, files: make(chan struct{}, 1), Access: access, Replies: replies,
		gates:    &gates.Gates{Engine: c.Engine, Store: store, Access: access, Replies: replies, Cards: c.Cards},
		starter:  &triggers.Starter{Engine: c.Engine, Store: store, Access: access, Replies: replies, Slack: c.Slack, Log: c.Log},
		Hooks:    &triggers.Hooks{Engine: c.Engine, Store: store, Access: access, Replies: replies, Arrived: c.Arrived, Log: c.Log},
		Concerns: &triggers.Concerns{Store: store},
	}
	runs := &operate.Ports{
		Engine: c.Engine, Store: store, Access: access, Replies: replies, Directory: c.Directory, Tools: c.Tools, Cards: c.Cards,
		Example: b.exampleOutline,
	}
	b.starts, b.lists, b.runs, b.holds = operate.Starts{Ports: runs}, operate.Lists{Ports: runs}, operate.Runs{Ports: runs}, operate.Holds{Ports: runs}
	return b
}
