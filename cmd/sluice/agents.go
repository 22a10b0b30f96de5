package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/naming"
)

// agentsCmd has the commands for the agents of the installation.
type agentsCmd struct {
	List agentsListCmd `cmd:"" help:"List the agents that flows may name."`
	Show agentsShowCmd `cmd:"" help:"Show what an agent is told and may do."`
}

type agentsListCmd struct{ config }

// Run lists the agents.
func (c *agentsListCmd) Run(std stdio) error {
	tools, err := openTools(&c.config, postNowhere{})
	if err != nil {
		return toolsError(std, err)
	}
	if len(tools.agents) == 0 {
		fmt.Fprintln(std.err, "sluice: there are no agents: name the file or the folder that declares them with --agents (or SLUICE_AGENTS)")
	}
	t := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
	for _, a := range tools.agents {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", a.ID, cmp.Or(a.Model, "(default model)"), cmp.Or(strings.Join(a.Tools, ", "), "(no tools)"), a.Description)
	}
	return t.Flush()
}

type agentsShowCmd struct {
	config
	ID string `arg:"" help:"Id of the agent, as sluice agents list shows it."`
}

// Run shows an agent.
func (c *agentsShowCmd) Run(std stdio) error {
	tools, err := openTools(&c.config, postNowhere{})
	if err != nil {
		return toolsError(std, err)
	}
	i := slices.IndexFunc(tools.agents, func(a flow.Agent) bool { return a.ID == c.ID })
	if i < 0 {
		return &exitError{exitBadFile, fmt.Sprintf("there is no agent %q; %s", c.ID, cmp.Or(naming.Suggest(c.ID, tools.agentNames()), "sluice agents list shows them"))}
	}
	_, err = std.out.Write(file.FormatAgent(tools.agents[i]))
	return err
}
