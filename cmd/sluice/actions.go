package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sluice/cmd/sluice/standins"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/registry"
	"sluice/engine/typecheck"
)

// nearby are the settings for files beside a flow file, actions and agents, and for the folder of the files that flows use.
type nearby struct {
	Workspace string `env:"SLUICE_WORKSPACE" help:"Folder that the tools files.* read and write; without one there are no such tools." type:"path"`

	Tools  besideFile `help:"File of declared actions; default: actions.yaml beside the flow; none: no actions." env:"SLUICE_TOOLS"`
	With   []string   `name:"with" placeholder:"name=thing" sep:"none" help:"What stands here for a name of the file: tool:web_search=http.get, agent:a-1=writer, model:m=default, person:@ana=@bob, channel:#a=#b; leave: nothing does. Repeat for more."`
	Agents besideFile `help:"File or folder of agents that flows may name; default: agents.yaml or the folder agents beside the flow; none: no agents." env:"SLUICE_AGENTS"`
}

// of completes a configuration with the files beside a flow file, and names those that no setting has named.
func (n nearby) of(std stdio, flowFile string, c *config) *config {
	c.Tools = n.Tools.beside(std, flowFile, "actions", "--tools", "actions.yaml", "actions.yml", "actions.json")
	c.Workspace = n.Workspace
	c.Agents = n.Agents.beside(std, flowFile, "agents", "--agents", "agents.yaml", "agents.yml", "agents")
	if c.With == nil {
		c.With = standins.New(n.With)
	}
	return c
}

// besideFile is the setting that names such a file. Empty: the one beside the flow file, when there is one. "none", or an empty value on
// the command line: none.
type besideFile string

// noFile is the value for no file.
const noFile besideFile = "none"

// UnmarshalText never fails.
func (a *besideFile) UnmarshalText(text []byte) error {
	if *a = besideFile(strings.TrimSpace(string(text))); *a == "" {
		*a = noFile
	}
	return nil
}

// beside gives the file to load for a flow file. what is what it holds, and flag its setting. A name without an extension is a folder.
func (a besideFile) beside(std stdio, flowFile, what, flag string, names ...string) string {
	switch a {
	case noFile:
		return ""
	case "":
	default:
		return a.named()
	}
	for _, name := range names {
		path := filepath.Join(filepath.Dir(flowFile), name)
		if info, err := os.Stat(path); err == nil && path != flowFile && (info.Mode().IsRegular() || info.IsDir() && filepath.Ext(name) == "") {
			fmt.Fprintf(std.err, "sluice: the %s are those of %s, beside the flow (%s FILE for others, %s none for none)\n", what, displayPath(path), flag, flag)
			return path
		}
	}
	return ""
}

// named is the file of a setting that has no flow file beside it.
func (a besideFile) named() string {
	if a == noFile || a == "" {
		return ""
	}
	if file, err := filepath.Abs(string(a)); err == nil {
		return file
	}
	return string(a)
}

// loadAgents reads the agents that flows may name. What is wrong with them is the error.
func (t *toolbox) loadAgents(path string) error {
	t.agents = []flow.Agent{}
	if path == "" {
		return nil
	}
	files, problems, err := t.readAgents(path)
	if err != nil {
		return err
	}
	t.agents = slices.Concat(t.agents, files.Agents)
	return problems.Errors().Err()
}

// readAgents reads and checks agents.
func (t *toolbox) readAgents(path string) (registry.Files, flow.Problems, error) {
	files, err := registry.ReadFiles(path, displayPath)
	if err != nil {
		return files, nil, err
	}
	problems := files.Check(t.checks())
	t.hint(problems)
	return files, problems, nil
}

// checks are the checks of tools' and agents' names.
func (t *toolbox) checks() flow.Checks {
	c := engine.Checks(t.set)
	c.Ceilings, c.Priced, c.Agents = t.ceilings, t.priced, t.agents
	return c
}

// world is what there is beside a flow file.
func (t *toolbox) world() typecheck.World {
	return typecheck.World{Tools: t.set.All(), Models: t.models, FullModel: t.fullModel, Agents: t.agentNames()}
}

func (t *toolbox) agentNames() []string {
	out := []string{}
	for _, a := range t.agents {
		out = append(out, a.ID)
	}
	return out
}

func (t *toolbox) fullModel(name string) string {
	if t.priced == nil {
		return name
	}
	full, _ := t.priced(name)
	return full
}
