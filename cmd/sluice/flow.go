package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/bot/slack"
	"sluice/cmd/sluice/chatcmd"
	"sluice/engine/llm"
	"sluice/engine/outbox"
	"sluice/engine/people"
	"sluice/engine/registry"
	"sluice/engine/usererror"
	"sluice/storage"
)

type flowCmd struct {
	config
	As    string   `required:"" placeholder:"USER" help:"User id of the person who asks, as in U012AB3CD; what is changed is recorded as theirs."`
	Words []string `arg:"" help:"What stands behind /flow in Slack, such as: history refund."`
}

// Help lists the commands.
func (*flowCmd) Help() string {
	return `Gives a command of Slack here, on the database of a bot: list, runs, find, history, schedules and audit read. rollback FLOW VERSION proposes an earlier version in the
flow's channel, remove FLOW go lets no run of it start any more, and delegate RUN @PERSON asks somebody else who may answer its question; all of this also while the bot
serves. skip next FLOW leaves out the next start of its schedule, and pause FLOW schedule until monday and resume hold schedules; for these a SQLite file must not be served
meanwhile. A person who can open the database sees everything in it. With SLACK_BOT_TOKEN the person is looked up in Slack, and people are called by their names.`
}

// Run gives the command.
func (c *flowCmd) Run(ctx context.Context, std stdio) error {
	text := strings.Join(c.Words, " ")
	changes, clocks := chatcmd.Changes(text)
	cfg, done, err := c.commandsAs(ctx, std, c.As, clocks)
	if err != nil {
		return err
	}
	defer done()
	if changes && cfg.Directory == nil {
		fmt.Fprintf(std.err, "sluice: SLACK_BOT_TOKEN is not set: it is not looked up who %s is\n", c.As)
	}
	return refusedBy(chatcmd.Do(ctx, cfg, text))
}

// refusedBy is the refusal in an error.
func refusedBy(err error) error {
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		return &exitError{exitBadFile, refusal(ue)}
	}
	return err
}

// commandsAs opens the database of a bot to give commands there as a person. exclusive: as the only one, where that is a SQLite file.
func (c *config) commandsAs(ctx context.Context, std stdio, person string, exclusive bool) (cfg chatcmd.Config, done func(), err error) {
	if err := c.problems(false); err != nil {
		return cfg, nil, err
	}
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil || !userID.MatchString(person) {
		return cfg, nil, &exitError{exitBadFile, fmt.Sprintf("--as %s: write a user id such as U012AB3CD (in Slack: the person's profile, Copy member ID)", person)}
	}
	store, done, err := c.openFor(ctx, exclusive)
	if err != nil {
		return cfg, nil, err
	}
	tools, err := openTools(c, &outbox.Outbox{Store: store, Wake: func() {}, Now: time.Now})
	var model llm.Model
	if err == nil {
		model, err = c.Open()
	}
	var who people.Directory
	if err == nil && c.SlackBotToken != "" {
		who, err = c.people(ctx, store)
	}
	if err != nil {
		done()
		return cfg, nil, err
	}
	return chatcmd.Config{
		Store: store, Directory: who, Tools: tools.set, Agents: registry.New(tools.agents, store), LLM: model, Models: c.Listed(),
		Secret:    func(name string) bool { return slices.Contains(tools.secrets.Names(), name) },
		HookWrong: hookProblem(ctx, c, tools.secrets), Ceilings: c.OfFlows(), Approvers: c.Approvers, Second: c.SecondPerson == "on", Person: person, Zone: zone, Out: std.out,
	}, done, nil
}

// openFor opens the database of a bot.
func (c *config) openFor(ctx context.Context, exclusive bool) (storage.Store, func(), error) {
	if exclusive {
		return openToChange(ctx, c, "sluice flow")
	}
	store, _, err := openExisting(ctx, c)
	return store, func() { _ = store.Close() }, err
}

// people are those of the workspace, as Slack knows them.
func (c *config) people(ctx context.Context, store storage.Store) (people.Directory, error) {
	a, err := slack.New(ctx, slack.Config{BotToken: c.SlackBotToken, APIURL: c.SlackAPIURL, Store: store})
	if err != nil {
		return nil, fmt.Errorf("%w; with an empty SLACK_BOT_TOKEN nobody is looked up", err)
	}
	return a.Directory(), nil
}
