package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
)

// MaxAgents is how many agents an installation may have.
const MaxAgents = 500

// Files are files of agents that were read.
type Files struct {
	Agents []flow.Agent // in the order of the files

	docs     []*file.Document
	problems flow.Problems
}

// ReadFiles reads a file of agents, or the YAML and JSON files of a directory in the order of their names. shown is how a file is called
// in problems. The error is only about reading the files themselves.
func ReadFiles(path string, shown func(path string) string) (Files, error) {
	names, err := list(path)
	if err != nil {
		return Files{}, err
	}
	var all Files
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return Files{}, fmt.Errorf("read the agents: %w", err)
		}
		all.add(shown(name), src)
	}
	return all, nil
}

// list gives the files of agents at a path.
func list(path string) (names []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the agents: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != path:
			return fs.SkipDir
		case slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name))):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the agents: %w", err)
	}
	return names, nil
}

// add reads one file.
func (f *Files) add(name string, src []byte) {
	doc, problems := file.ParseAgents(name, src)
	f.problems = append(f.problems, problems...)
	for i, a := range doc.Flow.Agents {
		path := fmt.Sprintf("agents[%d].id", i)
		switch first := f.find(a.ID); {
		case a.ID != "" && first >= 0:
			f.problems = append(f.problems, doc.Problem(path, "duplicate-id", fmt.Sprintf("agent id '%s' is used twice", a.ID), "give one of them another id"))
		case len(f.Agents) == MaxAgents:
			f.problems = append(f.problems, doc.Problem(path, "too-large", fmt.Sprintf("an installation may have %d agents", MaxAgents), ""))
			return
		default:
			f.Agents = append(f.Agents, a)
		}
	}
	f.docs = append(f.docs, doc)
}

func (f *Files) find(id string) int {
	return slices.IndexFunc(f.Agents, func(a flow.Agent) bool { return a.ID == id })
}

// Check gives the problems of the agents: of form, and of how they fit together and to what there is.
func (f *Files) Check(c flow.Checks) flow.Problems {
	all := slices.Clone(f.problems)
	for _, doc := range f.docs {
		all = append(all, doc.CheckAgents(f.Agents, c)...)
		for i, a := range doc.Flow.Agents {
			if words := unreadable(a.Instructions); words != "" {
				all = append(all, doc.Problem(fmt.Sprintf("agents[%d].instructions", i), "unknown-name", words, "the instructions of an agent can read "+strings.Join(roots, ", ")))
			}
		}
	}
	return all
}

// roots are the names that instructions can read.
var roots = []string{"input", "previous", "run"}

// unreadable says which name in a template of instructions is not one that they can read.
func unreadable(instructions string) string {
	t, err := expr.ParseTemplate(instructions, nil)
	if err != nil {
		return "" // the check of the agent says so
	}
	for _, path := range t.Reads() {
		if !slices.Contains(roots, path[0]) && path[0] != "secret" { // the check of the agent says that secrets are not for models
			return fmt.Sprintf("nothing gives '%s' to the instructions of an agent", strings.Join(path, "."))
		}
	}
	return ""
}

// Reading is what the instructions of an agent can read in one step.
type Reading struct {
	Input    map[string]any // what the step gives the agent
	Previous string         // what the step before said
	Run      map[string]any // name, title and started_by of the run
}

// Instructions renders what an agent is told.
func Instructions(a flow.Agent, r Reading) (string, error) {
	if !a.Registered || !strings.Contains(a.Instructions, "{{") {
		return a.Instructions, nil
	}
	t, err := expr.ParseTemplate(a.Instructions, nil)
	if err != nil {
		return "", fmt.Errorf("the instructions of the agent %s: %w", a.ID, err)
	}
	v, err := t.Render(expr.Map{"input": r.Input, "previous": r.Previous, "run": r.Run}, expr.Options{})
	if err != nil {
		return "", errors.Join(fmt.Errorf("the instructions of the agent %s", a.ID), err)
	}
	return expr.Text(v), nil
}
