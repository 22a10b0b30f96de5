package bot

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/storage"
)

// Slack is what the conversation asks of Slack at once and without a record; everything else is a surface.
type Slack interface {
	// React adds an emoji to a message: a sign that it was heard. Failing is no harm.
	React(ctx context.Context, channel, ts, emoji string) error
	// File reads a file that somebody attached to a message, if it has at most so many bytes. ErrFileGone, ErrFileClosed and
	// ErrFileBig stay as they are when it is tried again; any other error is a fault.
	File(ctx context.Context, f File, most int) ([]byte, error)
	// Message reads a message of a channel that the bot is in. ErrNoMessage: it is gone.
	Message(ctx context.Context, channel, ts string) (Message, error)
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
	store store
	files chan struct{} // holds one file at a time: reading large ones side by side would take the processor from everybody's questions
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
	return &Bot{Config: c, store: c.Engine.Store(), files: make(chan struct{}, 1)}
}

// write stores a batch as the effect of a delivery.
func (b *Bot) write(ctx context.Context, in Incoming, batch *storage.Batch) error {
	if in.Inbox != 0 {
		batch.InboxDone = append(batch.InboxDone, in.Inbox)
	}
	if err := b.store.Write(ctx, batch); err != nil {
		return err
	}
	if len(batch.Surfaces)+len(batch.Stale) > 0 {
		b.Wake()
	}
	return nil
}

// private makes a line that only the asking person sees, where they asked.
func (b *Bot) private(in Incoming, c card.Card) storage.Surface {
	body, _ := json.Marshal(project.PrivateBody{Card: c, Reply: in.Reply})
	id := b.Engine.NewID()
	return storage.Surface{
		ID: id, Kind: "private", Ref: "private:" + id, Channel: in.Channel, Thread: in.Thread, User: in.User, Body: body,
		Created: b.Engine.Now(),
	}
}

// say answers privately; that answer is the whole effect of the delivery.
func (b *Bot) say(ctx context.Context, in Incoming, c card.Card) error {
	return b.write(ctx, in, &storage.Batch{Surfaces: []storage.Surface{b.private(in, c)}})
}

func (b *Bot) sayText(ctx context.Context, in Incoming, text card.Text) error {
	return b.say(ctx, in, card.Card{Text: text})
}

func actor(in Incoming) history.Actor {
	via := history.ViaCommand
	switch in.Kind {
	case KindClick:
		via = history.ViaButton
	case KindMention, KindMessage:
		via = history.ViaMessage
	case KindReaction:
		via = history.ViaReaction
	}
	return history.Actor{User: in.User, Team: in.Team, Name: in.Name, Via: via}
}

func (b *Bot) audit(in Incoming, what, ref string, detail any) storage.Audit {
	d, _ := json.Marshal(detail)
	a := actor(in)
	return storage.Audit{At: b.Engine.Now(), User: a.User, Team: a.Team, Via: string(a.Via), What: what, Ref: ref, Detail: d}
}
