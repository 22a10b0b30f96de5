package chatcmd

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"sluice/bot/drafts"
	"sluice/bot/operate"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/lock"
	"sluice/engine/people"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Config is what commands are given with.
type Config struct {
	Store     storage.Store
	Tools     tool.Catalogue
	Agents    lock.Agents
	Ceilings  flow.Ceilings
	Approvers []string
	Second    bool           // somebody else than its author approves what a flow newly allows
	Person    string         // user id of the person who gives them
	Zone      *time.Location // of the times that are read and printed
	Out       io.Writer
}

// Reading are the commands that change nothing, Changing the others.
var (
	Reading  = []string{"list", "runs", "find", "history", "schedules", "audit"}
	Changing = []string{"rollback", "skip", "pause", "resume"}
)

// Changes reports whether a command writes to the database.
func Changes(text string) bool {
	c, _ := request.ParseCommand(text)
	return slices.Contains(Changing, c.Verb)
}

// Do gives one command, as it stands behind the slash command, and prints its answer. A *usererror.Error says what is wrong with it.
func Do(ctx context.Context, cfg Config, text string) error {
	c, err := request.ParseCommand(text)
	if err != nil {
		return request.BadQuote(err, "`"+c.Verb+"`")
	}
	d := newDesk(cfg)
	in := request.Incoming{Kind: request.KindTerminal, User: cfg.Person}
	lists, holds := operate.Lists{Ports: d.ports}, operate.Holds{Ports: d.ports}
	switch c.Verb {
	case "list":
		return lists.Flows(ctx, in, c)
	case "runs":
		return lists.Runs(ctx, in, c)
	case "find":
		return lists.Find(ctx, in, c)
	case "history":
		return lists.History(ctx, in, c)
	case "audit":
		return lists.Audit(ctx, in, c)
	case "schedules":
		return holds.Schedules(ctx, in, c)
	case "pause":
		return holds.Pause(ctx, in, c)
	case "resume":
		return holds.Resume(ctx, in, c)
	case "skip":
		if mine, err := holds.SkipNext(ctx, in, c); mine || err != nil {
			return err
		}
		return &usererror.Error{Code: "in_chat", Text: "Only the next start of a schedule is left out here; a failed step is skipped in Slack.", Hint: "For example: skip next refund"}
	case "rollback":
		return d.rollback(ctx, in, c)
	}
	return &usererror.Error{Code: "no_command", Text: fmt.Sprintf("%q is no command of the terminal.", c.Verb), Hint: "There are " + strings.Join(slices.Concat(Reading, Changing), ", ") + "; all others are given in Slack."}
}

// desk has what commands need.
type desk struct {
	ports  *operate.Ports
	drafts drafts.Ports
}

func newDesk(cfg Config) desk {
	who := directory{cfg.Zone.String()}
	store := printing{cfg.Store, cfg}
	e := engine.New(engine.Config{Store: store, Tools: cfg.Tools, Agents: cfg.Agents, Directory: who, Admins: []string{cfg.Person}, Ceilings: cfg.Ceilings, Worker: "terminal"})
	access := &request.Access{Engine: e, Store: store, Directory: who, Now: e.Now, Admins: []string{cfg.Person}, Approvers: cfg.Approvers}
	replies := &request.Replies{Engine: e, Store: store, Wake: func() {}, Command: "/flow", Name: "Sluice"}
	cards := &surface.Cards{Engine: e, Wake: func() {}, Command: replies.Command, Name: replies.Name}
	return desk{
		ports: &operate.Ports{Engine: still{e}, Store: store, Access: access, Replies: replies, Directory: who, Tools: cfg.Tools, Cards: cards},
		drafts: drafts.Ports{
			Engine: e, Store: store, Access: access, Replies: replies, Tools: cfg.Tools, Directory: who, Cards: cards, Log: slog.New(slog.DiscardHandler),
			Ceilings: cfg.Ceilings, SecondPerson: cfg.Second, Approvers: cfg.Approvers,
		},
	}
}

// rollback proposes an earlier version in the channel where its flow lives.
func (d desk) rollback(ctx context.Context, in request.Incoming, c request.Command) error {
	if c.Arg(0) != "" {
		f, err := d.ports.Access.Flow(ctx, in, c.Arg(0))
		if err != nil {
			return err
		}
		in.Channel = f.Channel
	}
	if err := drafts.New(d.drafts).Words.Rollback(ctx, in, c); err != nil {
		return err
	}
	return d.ports.Replies.SayText(ctx, in, proposed)
}

// still is an engine whose runs are left alone: nothing performs their steps here.
type still struct{ *engine.Engine }

var inChat = &usererror.Error{Code: "in_chat", Text: "Runs and flows are paused and resumed in Slack; here schedules are.", Hint: "For example: pause refund schedule until monday"}

func (still) PauseRun(context.Context, string, history.Actor, string, ...int64) error { return inChat }

func (still) ResumeRun(context.Context, string, history.Actor, string, ...int64) ([]history.Hold, error) {
	return nil, inChat
}

func (still) PauseFlow(context.Context, string, history.Actor, string, func(*storage.Batch)) (int, error) {
	return 0, inChat
}

func (still) ResumeFlow(context.Context, string, history.Actor, string, func(*storage.Batch)) (int, error) {
	return 0, inChat
}

// directory knows people, groups and channels by what they are called alone.
type directory struct{ zone string }

// Resolve takes a name as it is.
func (directory) Resolve(_ context.Context, name string) (people.Principal, error) {
	p := people.Principal{Kind: "group", ID: name, Name: name}
	switch {
	case strings.HasPrefix(name, "#"), strings.HasPrefix(name, "C"), strings.HasPrefix(name, "G"), strings.HasPrefix(name, "D"):
		p.Kind = "channel"
	case strings.HasPrefix(name, "U"), strings.HasPrefix(name, "W"):
		p.Kind = "user"
	}
	return p, nil
}

// Members are not known.
func (directory) Members(context.Context, people.Principal) ([]string, error) { return nil, nil }

// Person is somebody of the workspace.
func (d directory) Person(_ context.Context, id string) (people.Person, error) {
	return people.Person{ID: id, Name: id, Zone: d.zone, Active: true}, nil
}
