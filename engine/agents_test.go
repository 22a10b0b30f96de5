package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/engine/view"
)

// roster are the agents of an installation, which may change.
type roster struct{ all []flow.Agent }

func (r *roster) Agents(context.Context) ([]flow.Agent, error) { return r.all, nil }

const naming = `
name: letters
inputs: {language: {type: string}}
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "Write?", routes: [{to: write}]}
    - {id: write, type: agent, agent: writer, input: {task: "write", language: "{{inputs.language}}"}, routes: [{to: end}]}
`

// saveNaming stores a flow file as an approved revision that may name agents of the installation.
func (w *world) saveNaming(src string) *flow.Flow {
	w.t.Helper()
	c := engine.Checks(w.tools)
	var err error
	if c.Agents, err = w.engine.Agents(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	doc, problems := file.Check("flow.yaml", []byte(src), c)
	if problems.HasErrors() {
		w.t.Fatal(problems)
	}
	w.saveFlow(doc.Flow)
	return doc.Flow
}

// modelOf answers on the wire.
func modelOf(t *testing.T) (*llmtest.Server, llm.Model) {
	server := llmtest.New(t)
	return server, llm.NewOpenAI(llm.OpenAIOptions{BaseURL: server.URL, Model: "small", Backoff: time.Millisecond, Attempts: 1})
}

// A run goes on with the agents that were approved; the next one asks for approval when one of them has changed since.
func TestAgentsByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cold := 0.0
	here := &roster{[]flow.Agent{
		{ID: "writer", Instructions: "Write in {{input.language}} for {{run.started_by}}.", Temperature: &cold, Model: "large", Tools: []string{"shop.get"}, Subagents: []string{"checker"}},
		{ID: "checker", Instructions: "Check {{input.language}}."},
	}}
	w.record("shop.get", flow.EffectsRead)
	var server *llmtest.Server
	server, w.model = modelOf(t)
	w.agents = here
	w.serve()
	f := w.saveNaming(naming)
	if got := f.ToolNames(); len(got) != 1 {
		t.Errorf("the flow may call %v", got)
	}
	r := w.start("letters", map[string]any{"language": "German"})
	g := w.gate(r.ID)

	here.all[0].Instructions, here.all[0].Tools = "Forget all that.", []string{"shop.get", "shop.pay"}
	server.Reply(
		llmtest.Calls(llmtest.Call{Name: "agent__checker", Args: map[string]any{"task": "look"}}),
		llmtest.Text("fine"), llmtest.Text("Sehr geehrte Frau"),
	)
	if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Choice: "approve", Shown: shown(w.engine, g.ID), Actor: ana}); err != nil {
		t.Fatal(err)
	}
	w.until(r.ID, "it is over", func(v *view.View) bool { return v.Run.Status == string(history.Succeeded) })
	asked := server.Requests()
	if len(asked) != 3 || !strings.Contains(asked[0].System(), "Write in German for ana.") || !strings.Contains(asked[1].System(), "Check German.") {
		t.Fatalf("the model was asked %+v", asked)
	}
	if asked[0].Model != "large" || asked[0].Temperature == nil || *asked[0].Temperature > 0.01 || len(asked[0].Offered()) != 2 {
		t.Errorf("%s at %v is offered %v", asked[0].Model, asked[0].Temperature, asked[0].Offered())
	}

	_, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: "letters", Actor: ana})
	if err == nil || !strings.Contains(err.Error(), "must be approved again: since version 1 of letters was approved: the agent writer changed") {
		t.Errorf("another run: %v", err)
	}
	here.all = here.all[:1]
	_, err = w.engine.Start(t.Context(), engine.StartRequest{Flow: "letters", Actor: ana})
	if err == nil || !strings.Contains(err.Error(), "the agent checker is gone") {
		t.Errorf("another run without an agent: %v", err)
	}
}
