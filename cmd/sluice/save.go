package main

import (
	"context"
	"errors"
	"fmt"

	"sluice/cmd/sluice/chatcmd"
	"sluice/engine/flow"
)

type saveCmd struct {
	config
	File    string `arg:"" help:"Flow file of any format." type:"path"`
	As      string `required:"" placeholder:"USER" help:"User id of the person who proposes it, as in U012AB3CD."`
	Channel string `placeholder:"CHANNEL" help:"Where a new flow is to live: the channel's id or #name. A flow that is there already stays where it lives."`
}

// Help describes what is saved.
func (*saveCmd) Help() string {
	return `Makes a draft of a flow file in the database of a bot, also while the bot serves: Sluice posts it in the flow's channel, where it is approved as every draft. A file whose
flow is there already (by its name, or its id in the file) proposes the next version of it, and replaces the draft that was saved before and is open. The same file again
changes nothing. sluice flow --as USER remove FLOW go removes a flow. A program can do both by HTTP: PUT and DELETE /api/workflows/ID.`
}

// Run makes the draft.
func (c *saveCmd) Run(ctx context.Context, std stdio) error {
	if c.SlackBotToken == "" {
		return &exitError{exitBadFile, "SLACK_BOT_TOKEN is not set: who saves it, and the people and channels that the file names, are looked up in Slack"}
	}
	src, err := readSource(c.File)
	if err != nil {
		return &exitError{exitBadFile, err.Error()}
	}
	cfg, done, err := c.commandsAs(ctx, std, c.As, false)
	if err != nil {
		return err
	}
	defer done()
	err = chatcmd.Save(ctx, cfg, chatcmd.Definition{File: displayPath(c.File), Source: src, Channel: c.Channel})
	if all, ok := errors.AsType[flow.Problems](err); ok {
		for _, p := range all {
			p.File = displayPath(c.File)
			fmt.Fprintln(std.err, p.String())
		}
		return &exitError{code: exitBadFile}
	}
	return refusedBy(err)
}
