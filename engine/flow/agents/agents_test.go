package agents_test

import (
	"fmt"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/agents"
	"sluice/engine/flow/file"
)

const naming = `
name: letters
agents: [{id: own, subagents: [checker]}]
flow:
  entry: write
  nodes:
    - {id: write, type: agent, agent: writer, routes: [{to: look}]}
    - {id: look, type: agent, agent: own, routes: [{to: gone}]}
    - {id: gone, type: agent, agent: nobody, routes: [{to: end}]}
`

// known are the agents of an installation.
func known() []flow.Agent {
	return []flow.Agent{
		{ID: "writer", Instructions: "Write.", Subagents: []string{"checker"}, Tools: []string{"shop.get"}},
		{ID: "checker", Instructions: "Check."},
		{ID: "own", Instructions: "Not this one."},
		{ID: "idle"},
	}
}

func read() *flow.Flow {
	doc, _ := file.Parse("letters.yaml", []byte(naming))
	return doc.Flow
}

// A flow gets copies of the agents that it names. Its file has none of them.
func Example() {
	f := read()
	before := flow.Hash(f)
	agents.Resolve(f, known())
	for _, a := range f.Agents {
		fmt.Println(a.ID, a.Registered)
	}
	fmt.Println(f.ToolNames(), flow.Hash(f) == before, flow.Hash(agents.Without(f)) == before)
	// Output:
	// own false
	// writer true
	// checker true
	// [shop.get] false true
}

// Copies are made anew, and stay where no agents are known.
func TestResolveAgain(t *testing.T) {
	t.Parallel()
	f := read()
	agents.Resolve(f, known())
	agents.Resolve(f, nil)
	if f.AgentByID("writer") == nil {
		t.Error("the copies were dropped without any agents to make them of")
	}
	changed := known()
	changed[0].Instructions, changed[0].Subagents = "Write short.", nil
	agents.Resolve(f, changed)
	if a := f.AgentByID("writer"); a.Instructions != "Write short." || f.AgentByID("own").Registered {
		t.Errorf("they are %+v", f.Agents)
	}
	agents.Resolve(f, []flow.Agent{})
	if len(f.Agents) != 1 {
		t.Errorf("of no agents it has %+v", f.Agents)
	}
}

// The hash covers the content alone, and all of it.
func TestHash(t *testing.T) {
	t.Parallel()
	a := known()[0]
	b := a
	b.Registered = true
	if agents.Hash(a) != agents.Hash(b) {
		t.Error("a copy has another hash")
	}
	warm := 0.5
	for name, change := range map[string]func(*flow.Agent){
		"tools": func(x *flow.Agent) { x.Tools = nil }, "words": func(x *flow.Agent) { x.Instructions = "" },
		"temperature": func(x *flow.Agent) { x.Temperature = &warm }, "model": func(x *flow.Agent) { x.Model = "m" },
	} {
		c := a
		change(&c)
		if agents.Hash(a) == agents.Hash(c) {
			t.Errorf("with other %s it has the same hash", name)
		}
	}
}
