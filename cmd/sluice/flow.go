package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/cmd/sluice/chatcmd"
	"sluice/engine/outbox"
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
	return `Gives a command of Slack here, on the database of a bot: list, runs, find, history, schedules and audit read, also while the bot serves. rollback FLOW VERSION proposes an
earlier version in the flow's channel, skip next FLOW leaves out the next start of its schedule, and pause FLOW schedule until monday and resume hold schedules; for
these a SQLite file must not be served meanwhile. A person who can open the database sees everything in it.`
}

// Run gives the command.
func (c *flowCmd) Run(ctx context.Context, std stdio) error {
	if err := c.problems(false); err != nil {
		return err
	}
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil || !userID.MatchString(c.As) {
		return &exitError{exitBadFile, fmt.Sprintf("--as %s: write a user id such as U012AB3CD (in Slack: the person's profile, Copy member ID)", c.As)}
	}
	text := strings.Join(c.Words, " ")
	store, done, err := c.open(ctx, chatcmd.Changes(text))
	if err != nil {
		return err
	}
	defer done()
	tools, err := openTools(&c.config, &outbox.Outbox{Store: store, Wake: func() {}, Now: time.Now})
	if err != nil {
		return err
	}
	err = chatcmd.Do(ctx, chatcmd.Config{
		Store: store, Tools: tools.set, Agents: registry.New(tools.agents), Ceilings: c.OfFlows(), Approvers: c.Approvers, Second: c.SecondPerson == "on", Person: c.As, Zone: zone, Out: std.out,
	}, text)
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		return &exitError{exitBadFile, refusal(ue)}
	}
	return err
}

// open opens the database: to change it, as the only one where that is a SQLite file.
func (c *flowCmd) open(ctx context.Context, changes bool) (storage.Store, func(), error) {
	if changes {
		return openAside(ctx, &c.config, "sluice flow")
	}
	store, _, err := openExisting(ctx, &c.config)
	return store, func() { _ = store.Close() }, err
}
