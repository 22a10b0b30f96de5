package registry_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/registry"
	"sluice/storage"
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

// rows are the agents of a database, and what the audit says of them.
type rows struct {
	agents []storage.Agent
	audit  []string
}

func (r *rows) Agents(context.Context) ([]storage.Agent, error) { return slices.Clone(r.agents), nil }

func (r *rows) Write(_ context.Context, b *storage.Batch) error {
	gone := slices.Clone(b.NoAgents)
	for _, a := range b.Agents {
		gone = append(gone, a.ID)
	}
	r.agents = append(slices.DeleteFunc(r.agents, func(a storage.Agent) bool { return slices.Contains(gone, a.ID) }), b.Agents...)
	for _, a := range b.Audit {
		r.audit = append(r.audit, a.Via+" "+a.What+" "+a.Ref)
	}
	return nil
}

// TestRows: agents are added to the database, changed and removed; a registry has them at once, but not those that a file declares.
func TestRows(t *testing.T) {
	t.Parallel()
	files, _ := read(t, map[string]string{"a.yaml": "id: writer\ninstructions: Write."})
	db := &rows{agents: []storage.Agent{{ID: "writer", Source: "id: writer\ninstructions: Other."}, {ID: "later", Source: "id: later\nlater: yes"}}}
	reg := registry.New(files.Agents, db)
	c := registry.Change{Files: files.Agents, By: history.Actor{Via: history.ViaCLI}, Now: time.Unix(1, 0)}
	told := func() (out []string) {
		all, err := reg.Agents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range all {
			out = append(out, a.ID+": "+a.Instructions)
		}
		return out
	}
	want := func(all ...string) {
		t.Helper()
		if got := told(); !slices.Equal(got, all) {
			t.Errorf("the agents are %q, and not %q", got, all)
		}
	}
	want("writer: Write.")
	for src, problem := range map[string]string{
		"id: x\ninstruction: hi":                "unknown key 'instruction'",
		"id: x\nsubagents: [y]":                 "unknown agent 'y'",
		"agents: []":                            "'agents' is empty",
		"id: x\ninstructions: '{{secret.KEY}}'": "only for the params of a tool",
	} {
		db.agents = db.agents[:1]
		if _, err := c.Add(t.Context(), db, "new.yaml", []byte(src)); err == nil || !strings.Contains(err.Error(), problem) || !strings.Contains(err.Error(), "new.yaml") {
			t.Errorf("%s is added: %v", src, err)
		}
	}
	if _, err := c.Add(t.Context(), db, "new.yaml", []byte("id: writer\ninstructions: Mine.")); !errors.As(err, new(*registry.DeclaredError)) {
		t.Errorf("an agent of a file is added: %v", err)
	}
	ids, err := c.Add(t.Context(), db, "new.yaml", []byte("agents:\n  - {id: chief, subagents: [checker], instructions: Lead.}\n  - {id: checker, instructions: Check.}\n"))
	if err != nil || !slices.Equal(ids, []string{"chief", "checker"}) {
		t.Fatal(ids, err)
	}
	want("writer: Write.", "chief: Lead.", "checker: Check.")
	text := "# mine\nid: checker\ninstructions: Check well."
	if _, err := c.Add(t.Context(), db, "new.yaml", []byte(text)); err != nil {
		t.Fatal(err)
	}
	want("writer: Write.", "chief: Lead.", "checker: Check well.")
	if db.agents[len(db.agents)-1].Source != text {
		t.Errorf("the text is kept as %q", db.agents[len(db.agents)-1].Source)
	}
	for id, is := range map[string]error{"checker": new(registry.NeededError), "nobody": storage.ErrNotFound} {
		err := c.Remove(t.Context(), db, id)
		if _, needed := is.(*registry.NeededError); needed && !errors.As(err, new(*registry.NeededError)) || !needed && !errors.Is(err, is) {
			t.Errorf("%s is removed: %v", id, err)
		}
	}
	for _, id := range []string{"chief", "checker", "writer"} {
		if err := c.Remove(t.Context(), db, id); err != nil {
			t.Error(err)
		}
	}
	if err := c.Remove(t.Context(), db, "writer"); !errors.As(err, new(*registry.DeclaredError)) {
		t.Errorf("an agent of a file is removed: %v", err)
	}
	want("writer: Write.")
	if !slices.Contains(db.audit, "cli agent_added agent:chief") || !slices.Contains(db.audit, "cli agent_removed agent:chief") {
		t.Errorf("recorded: %q", db.audit)
	}
}
