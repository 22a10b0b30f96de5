package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/naming"
	"sluice/engine/registry"
	"sluice/storage"
)

// agentsCmd has the commands for the agents of the installation.
type agentsCmd struct {
	List   agentsListCmd   `cmd:"" help:"List the agents that flows may name."`
	Show   agentsShowCmd   `cmd:"" help:"Show what an agent is told and may do."`
	Add    agentsAddCmd    `cmd:"" help:"Add the agents of a file to the database, or change them there."`
	Remove agentsRemoveCmd `cmd:"" help:"Remove an agent from the database."`
}

type agentsListCmd struct{ config }

// Run lists the agents, with where they are declared.
func (c *agentsListCmd) Run(ctx context.Context, std stdio) error {
	tools, rows, err := c.agentsThere(ctx)
	if err != nil {
		return toolsError(std, err)
	}
	if len(tools.agents)+len(rows) == 0 {
		fmt.Fprintln(std.err, "sluice: there are no agents: name the file or the folder that declares them with --agents (or SLUICE_AGENTS), or add one to the database with sluice agents add")
	}
	t := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
	line := func(a flow.Agent, where string) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", a.ID, where, cmp.Or(a.Model, "(default model)"), cmp.Or(strings.Join(a.Tools, ", "), "(no tools)"), a.Description)
	}
	for _, a := range tools.agents {
		line(a, "file")
	}
	for _, row := range rows {
		a, readable := registry.Read(row)
		switch {
		case slices.Contains(tools.agentNames(), row.ID):
			fmt.Fprintf(std.err, "sluice: the agent %s is in the database, too: that of the file counts\n", row.ID)
		case !readable:
			fmt.Fprintf(std.err, "sluice: the agent %s of the database cannot be read: sluice agents show %s prints it\n", row.ID, row.ID)
		default:
			line(a, "database")
		}
	}
	return t.Flush()
}

type agentsShowCmd struct {
	config
	ID string `arg:"" help:"Id of the agent, as sluice agents list shows it."`
}

// Run shows an agent.
func (c *agentsShowCmd) Run(ctx context.Context, std stdio) error {
	tools, rows, err := c.agentsThere(ctx)
	if err != nil {
		return toolsError(std, err)
	}
	i, k := slices.Index(tools.agentNames(), c.ID), slices.IndexFunc(rows, func(row storage.Agent) bool { return row.ID == c.ID })
	var text []byte
	switch {
	case i >= 0:
		text = file.FormatAgent(tools.agents[i])
	case k >= 0:
		text = []byte(rows[k].Source)
	default:
		return unknownAgent(c.ID, tools, rows)
	}
	_, err = std.out.Write(text)
	return err
}

type agentsAddCmd struct {
	config
	File string `arg:"" help:"File of agents." type:"path"`
}

// Help describes the agents of the database.
func (*agentsAddCmd) Help() string {
	return `The agents are checked together with all others, as those of files are. Every process that serves the database has them at once. An agent with the same id takes the place of the
one before; flows that name it ask for approval again, because what they do has changed. Agents that a file declares (--agents) are changed in their file: a file counts before the database.`
}

// Run adds agents.
func (c *agentsAddCmd) Run(ctx context.Context, std stdio) error {
	src, err := readSource(c.File)
	if err != nil {
		return &exitError{exitBadFile, err.Error()}
	}
	return c.changeAgents(ctx, std, func(ch registry.Change, s storage.Store, _ *toolbox) error {
		ids, err := ch.Add(ctx, s, displayPath(c.File), src)
		if err == nil {
			fmt.Fprintf(std.out, "in the database: %s\n", strings.Join(ids, ", "))
		}
		return err
	})
}

type agentsRemoveCmd struct {
	config
	ID string `arg:"" help:"Id of the agent, as sluice agents list shows it."`
}

// Run removes an agent.
func (c *agentsRemoveCmd) Run(ctx context.Context, std stdio) error {
	return c.changeAgents(ctx, std, func(ch registry.Change, s storage.Store, tools *toolbox) error {
		err := ch.Remove(ctx, s, c.ID)
		if errors.Is(err, storage.ErrNotFound) {
			rows, _ := s.Agents(ctx) // without them there is no hint
			return unknownAgent(c.ID, tools, rows)
		}
		if err == nil {
			fmt.Fprintf(std.out, "the agent %s is removed: flows that name it start no runs until there is one again\n", c.ID)
		}
		return err
	})
}

// changeAgents opens the database to change its agents, and says why something is refused.
func (c *config) changeAgents(ctx context.Context, std stdio, do func(registry.Change, storage.Store, *toolbox) error) error {
	if err := c.problems(false); err != nil {
		return err
	}
	tools, err := openTools(c, postNowhere{})
	if err != nil {
		return toolsError(std, err)
	}
	store, _, err := openExisting(ctx, c)
	if err != nil {
		return err
	}
	defer store.Close()
	err = do(registry.Change{Files: tools.agents, Checks: tools.checks(), By: history.Actor{Via: history.ViaCLI}, Now: time.Now()}, store, tools)
	var declared *registry.DeclaredError
	var needed *registry.NeededError
	switch {
	case errors.As(err, &declared):
		return &exitError{exitBadFile, fmt.Sprintf("a file declares the agent %s (%s), and counts before the database: change it there", declared.ID, displayPath(c.Agents))}
	case errors.As(err, &needed):
		return &exitError{exitBadFile, fmt.Sprintf("the agent %s may ask %s: change that first", needed.By, needed.ID)}
	case errors.As(err, new(flow.Problems)):
		return toolsError(std, err)
	}
	return err
}

// agentsThere gives the agents of files, and those of the database where there is one.
func (c *config) agentsThere(ctx context.Context) (*toolbox, []storage.Agent, error) {
	tools, err := openTools(c, postNowhere{})
	if err != nil {
		return nil, nil, err
	}
	kind, dsn, err := storage.ParseURL(c.DatabaseURL, c.Data)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(dsn); kind == storage.SQLite && err != nil {
		return tools, nil, nil // no bot has served here
	}
	store, err := openStore(ctx, c.DatabaseURL, c.Data)
	if err != nil {
		return nil, nil, err
	}
	rows, err := store.Agents(ctx)
	return tools, rows, errors.Join(err, store.Close())
}

func unknownAgent(id string, tools *toolbox, rows []storage.Agent) error {
	known := tools.agentNames()
	for _, row := range rows {
		known = append(known, row.ID)
	}
	return &exitError{exitBadFile, fmt.Sprintf("there is no agent %q; %s", id, cmp.Or(naming.Suggest(id, known), "sluice agents list shows them"))}
}
