package app_test

import (
	"strings"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/importer/app"
)

const named = `
app: {app_id: desk}
agents:
  - id: own
    system_prompt: Help.
    brain: {provider: acme, model: small, temperature: 0.2, config: {api_key: none}}
flow:
  id: main
  entry: x
  nodes:
    - {id: x, type: agent, agent: own, routes: [{to: y}]}
    - {id: y, type: agent, agent: writer}
`

// Agents of an app ask the model that it names, where the installation lists it. Those that the app does not declare are agents of the
// installation; the file is given back without them.
func TestAgentsOfTheInstallation(t *testing.T) {
	t.Parallel()
	doc, err := app.Decode("desk.yaml", []byte(named))
	if err != nil {
		t.Fatal(err)
	}
	all := doc.Check(flow.Checks{
		Agents: []flow.Agent{{ID: "writer", Instructions: "Write.", Model: "other"}},
		Priced: func(model string) (string, bool) { return model, model == "acme/large" },
	})
	if got := all.Error(); all.HasErrors() || !strings.Contains(got, "desk.yaml:6:36: warning: the model 'acme/small' is not one") || !strings.Contains(got, "the addresses and keys") {
		t.Errorf("got %v", all)
	}
	if a := doc.Flow.AgentByID("own"); a.Model != "acme/small" || a.Temperature == nil || *a.Temperature != 0.2 {
		t.Errorf("its own agent is %+v", a)
	}
	if a := doc.Flow.AgentByID("writer"); a == nil || a.Instructions != "Write." {
		t.Errorf("the agents are %+v", doc.Flow.Agents)
	}
	stored, err := flow.FromJSON(flow.Canonical(doc.Flow))
	if err != nil {
		t.Fatal(err)
	}
	if back, err := app.Encode(stored); err != nil || string(back) != named {
		t.Errorf("it came back as %s: %v", back, err)
	}
}
