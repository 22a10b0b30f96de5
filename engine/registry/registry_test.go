package registry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/registry"
)

// An agent of the installation is told what the step and the run say.
func ExampleInstructions() {
	a := flow.Agent{ID: "writer", Instructions: "Write in {{input.language}}, for {{run.title}}.", Registered: true}
	words, err := registry.Instructions(a, registry.Reading{
		Input: map[string]any{"language": "German {{run.name}}"}, Run: map[string]any{"title": "Refund A-1"},
	})
	fmt.Println(words, err)
	a.Registered = false // an agent that a flow declares is told what is written
	fmt.Println(registry.Instructions(a, registry.Reading{}))
	// Output:
	// Write in German {{run.name}}, for Refund A-1. <nil>
	// Write in {{input.language}}, for {{run.title}}. <nil>
}

// read gives the agents of files, by their names.
func read(t *testing.T, files map[string]string) (registry.Files, flow.Problems) {
	t.Helper()
	dir := t.TempDir()
	for name, src := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := registry.ReadFiles(dir, filepath.Base)
	if err != nil {
		t.Fatal(err)
	}
	return all, all.Check(flow.Checks{})
}

func TestReadFiles(t *testing.T) {
	t.Parallel()
	all, problems := read(t, map[string]string{
		"a.yaml":      "id: writer\nprovider: acme\nmodel: small\ntemperature: 0.2\ninstructions: 'Write in {{input.language}}.'\nsubagents: [checker]\n",
		"b.json":      `{"agents": [{"id": "checker", "instructions": "Check {{previous}}."}]}`,
		"readme.md":   "no agent",
		"old/c.yaml":  "id: writer",
		"later.yaml~": "id: writer",
	})
	if len(problems) > 0 || len(all.Agents) != 2 {
		t.Fatalf("%v\n%+v", problems, all.Agents)
	}
	if a := all.Agents[0]; a.ID != "writer" || a.Model != "acme/small" || *a.Temperature != 0.2 || a.Provider != "" {
		t.Errorf("the agent is %+v", a)
	}
	if _, err := registry.ReadFiles(filepath.Join(t.TempDir(), "gone"), filepath.Base); err == nil {
		t.Error("what is not there was read")
	}
}

// What is wrong with agents has a place, also across files.
func TestProblems(t *testing.T) {
	t.Parallel()
	for want, src := range map[string]string{
		"b.yaml:2:1: unknown key 'instruction' on agent 'x'":                      "id: x\ninstruction: hi\ninstructions: hi",
		"b.yaml:1:5: agent id 'writer' is used twice":                             "id: writer\ninstructions: again",
		"b.yaml:2:13: unknown agent 'chequer' on agent 'x'":                       "id: x\nsubagents: [chequer]\ninstructions: hi",
		"did you mean 'checker'?":                                                 "id: x\nsubagents: [chequer]\ninstructions: hi",
		"agents call each other in a circle":                                      "agents: [{id: x, subagents: [y]}, {id: y, subagents: [x]}]",
		"b.yaml:2:15: nothing gives 'vars.x' to the instructions":                 "id: x\ninstructions: 'Say {{vars.x}}'",
		"b.yaml:2:14: 'temperature' must be from 0 to 2 on agent 'x'":             "id: x\ntemperature: 3\ninstructions: hi",
		"b.yaml:2:16: the output of an agent must be an object on agent 'x'":      "id: x\noutput: {type: string}\ninstructions: hi",
		"b.yaml:1:1: a flow file must be a mapping":                               "- id: x",
		"b.yaml:1:1: 'agents' is missing":                                         "name: x",
		"b.yaml:1:9: not readable as YAML":                                        "agents: [",
		"b.yaml:2:15: 'secret.KEY' is only for the params of a tool on agent 'x'": "id: x\ninstructions: 'use {{secret.KEY}}'",
	} {
		_, problems := read(t, map[string]string{"a.yaml": "agents: [{id: writer}, {id: checker}]", "b.yaml": src})
		if got := problems.Error(); !strings.Contains(got, want) {
			t.Errorf("%s\ngot %s\nwant %s", src, got, want)
		}
	}
}
