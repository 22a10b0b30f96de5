package chatcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"sluice/bot/drafts"
	"sluice/bot/gates"
	"sluice/bot/operate"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/lock"
	"sluice/engine/naming"
	"sluice/engine/people"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Config is what commands are given with.
type Config struct {
	Store     storage.Store
	Directory people.Directory // nil = ids and names are taken as they are
	Tools     tool.Catalogue
	Agents    lock.Agents
	LLM       llm.Model // nil = none is configured
	Models    []string  // that are listed
	Secret    func(name string) bool
	HookWrong func(name string, w flow.WebhookTrigger) string // as drafts.Ports.HookProblem
	Ceilings  flow.Ceilings
	Approvers []string
	Second    bool           // somebody else than its author approves what a flow newly allows
	Person    string         // user id of the person who gives them
	Zone      *time.Location // of the times that are read and printed
	Out       io.Writer
}

// Reading are the commands that change nothing, Changing those that a bot may serve the same database beside, and Clocks those that a bot
// would notice late.
var (
	Reading  = []string{"list", "runs", "find", "history", "schedules", "audit"}
	Changing = []string{"rollback", "remove", "delegate"}
	Clocks   = []string{"skip", "pause", "resume"}
)

// Changes reports whether a command writes to the database, and whether it is one of Clocks.
func Changes(text string) (changes, clocks bool) {
	c, _ := request.ParseCommand(text)
	clocks = slices.Contains(Clocks, c.Verb)
	return clocks || slices.Contains(Changing, c.Verb), clocks
}

// Do gives one command, as it stands behind the slash command, and prints its answer. A *usererror.Error says what is wrong with it.
func Do(ctx context.Context, cfg Config, text string) error {
	c, err := request.ParseCommand(text)
	if err != nil {
		return request.BadQuote(err, "`"+c.Verb+"`")
	}
	d, in, err := newCommander(ctx, cfg)
	if err != nil {
		return err
	}
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
		err := lists.Audit(ctx, in, c)
		if said, ok := errors.AsType[*usererror.Error](err); ok && said.Code == "no_person" && cfg.Directory == nil {
			said.Hint = "Without SLACK_BOT_TOKEN people are known by their ids alone, as in: audit @U012AB3CD"
		}
		return err
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
	case "remove":
		return holds.Remove(ctx, in, c)
	case "delegate":
		err := d.gates.Delegate(ctx, in, c)
		if no, ok := errors.AsType[*people.NotAllowedError](err); ok {
			return &usererror.Error{Code: "not_decider", Text: "Only " + naming.List(namesOf(no.Who), "or") + " may answer this question.", Err: err}
		}
		return err
	}
	return &usererror.Error{Code: "no_command", Text: fmt.Sprintf("%q is no command of the terminal.", c.Verb), Hint: "There are " + strings.Join(slices.Concat(Reading, Changing, Clocks), ", ") + "; all others are given in Slack."}
}

func namesOf(who []people.Principal) (names []string) {
	for _, p := range who {
		names = append(names, p.Name)
	}
	return names
}

// commander gives commands as a person.
type commander struct {
	ports  *operate.Ports
	drafts drafts.Ports
	gates  *gates.Gates
}

// newCommander makes the commander of a person of the workspace.
func newCommander(ctx context.Context, cfg Config) (commander, request.Incoming, error) {
	who := directory{cfg}
	store := printing{cfg.Store, cfg}
	messages := project.New() // stores those that a change of a run needs; the bot sends them
	e := engine.New(engine.Config{
		Store: store, Tools: cfg.Tools, Agents: cfg.Agents, Model: cfg.LLM, Directory: who, Admins: []string{cfg.Person}, Ceilings: cfg.Ceilings, Worker: "terminal", Surfaces: messages, Dispatcher: local.New(local.Options{}),
	})
	messages.Connect(e)
	access := &request.Access{Engine: e, Store: store, Directory: who, Now: e.Now, Admins: []string{cfg.Person}, Approvers: cfg.Approvers}
	replies := &request.Replies{Engine: e, Store: store, Wake: func() {}, Command: "/flow", Name: "Sluice"}
	cards := &surface.Cards{Engine: e, Wake: func() {}, Command: replies.Command, Name: replies.Name}
	d := commander{
		ports: &operate.Ports{Engine: still{e}, Store: store, Access: access, Replies: replies, Directory: who, Tools: cfg.Tools, Cards: cards},
		drafts: drafts.Ports{
			Engine: e, Store: store, Access: access, Replies: replies, Tools: cfg.Tools, Directory: who, Cards: cards, Log: slog.New(slog.DiscardHandler),
			Ceilings: cfg.Ceilings, SecondPerson: cfg.Second, Approvers: cfg.Approvers, Model: cfg.LLM != nil, Models: cfg.Models, Secret: cfg.Secret, HookProblem: cfg.HookWrong,
		},
		gates: &gates.Gates{Engine: e, Store: store, Access: access, Replies: replies, Cards: cards, Tools: cfg.Tools},
	}
	in := request.Incoming{Kind: request.KindTerminal, User: cfg.Person, Name: cfg.Person}
	if p, err := who.Person(ctx, in.User); err == nil {
		in.Name = p.Name
	}
	return d, in, d.known(ctx, in)
}

// standings say why a person may not give commands.
var standings = map[authority.Standing]string{
	authority.Unknown: "Slack knows nobody with this id", authority.Inactive: "this account is deactivated", authority.Bot: "this is a bot",
	authority.Foreign: "this is somebody of another workspace", authority.Guest: "this is a guest",
}

// known refuses a person whom the directory does not know, and who could ask for nothing in Slack either.
func (d commander) known(ctx context.Context, in request.Incoming) error {
	err := d.ports.Access.May(ctx, in, authority.Talk, people.About{})
	if denied, ok := request.AsDenied(err); ok {
		return &usererror.Error{Code: "no_person", Text: fmt.Sprintf("--as %s: %s.", in.User, standings[denied.Principal.Standing]), Hint: "Name a member of the workspace (in Slack: the person's profile, Copy member ID)."}
	}
	return err
}

// rollback proposes an earlier version in the channel where its flow lives.
func (d commander) rollback(ctx context.Context, in request.Incoming, c request.Command) error {
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
