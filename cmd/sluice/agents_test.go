package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/engine/llm/llmtest"
)

const triageApp = `schema_version: 2
app: {app_id: triage}
flow:
  id: main
  entry: sort
  nodes:
    - id: sort
      type: agent
      agent: sorter
      input: {user_message: "Sort the refund of A-1001", language: German}
      routes: [{when: "category == 'refund'", to: gate}, {to: end}]
    - {id: gate, type: approval, message: "Refund A-1001?", routes: [{when: "approvals.gate == 'approve'", to: paid}, {to: end}]}
    - {id: paid, type: terminal, output: It is refunded.}
`

const sorterAgent = `id: sorter
description: Sorts what customers write
model: scripted
temperature: 0.1
instructions: "Answer in {{input.language}}, as JSON with a category."
tools: [shop.get_order]
`

// TestAppWithAnAgentOfTheInstallation drops an app whose agent is one of the installation: the draft says what the agent may do, it is
// approved and runs with gate and model, and export gives the file back without the agent.
func TestAppWithAnAgentOfTheInstallation(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	model.Reply(
		llmtest.Calls(llmtest.Call{Name: "shop__get_order", Args: map[string]any{"order_id": "A-1001"}}),
		llmtest.Text(`{"category": "refund"}`),
	)
	file := filepath.Join(t.TempDir(), "sorter.yaml")
	if err := os.WriteFile(file, []byte(sorterAgent), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, setup{settings: []string{"SLUICE_AGENTS=" + file, "OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=scripted"}})
	refused := w.put("ana", "", "other.yaml", strings.ReplaceAll(triageApp, "agent: sorter", "agent: sortr"))
	if text := refused.shown(); !strings.Contains(text, "agent `sortr` (step 1)") {
		t.Errorf("a draft with an unknown agent is\n%s", text)
	}
	added := w.file("sortr.yaml", strings.Replace(sorterAgent, "id: sorter", "id: sortr", 1))
	var out bytes.Buffer
	if code := program([]string{"agents", "add", added, "--data", w.data, "--database-url=", "--tools", filepath.Join(w.data, "actions.yaml")}, stdio{strings.NewReader(""), &out, &out}); code != 0 {
		t.Fatalf("%d: %s", code, out.String())
	}
	if text := w.put("ana", "", "known.yaml", strings.ReplaceAll(triageApp, "agent: sorter", "agent: sortr")).shown(); !strings.Contains(text, "The agent sortr can get an order") {
		t.Errorf("the draft with an agent of the database is\n%s", text)
	}
	card := w.put("ana", "", "app.yaml", triageApp)
	if text := card.shown(); !strings.Contains(text, "The agent sorter can get an order") {
		t.Errorf("the draft is\n%s", text)
	}
	w.checkPicture(card)
	a := w.click("ana", card, "Edit as file")
	if m, text := w.given("#support", card.Thread, "triage.yaml", a.Seq); text != triageApp {
		t.Errorf("the draft is given as %s\n%s", m.shown(), text)
	}
	w.click("ana", card, "Approve")
	w.untilMessage("#support", "the approved draft", func(m message) bool {
		return m.TS == card.TS && strings.Contains(m.shown(), "Approved as version 1")
	})
	w.flow("ana", "#support", "run triage")
	status := w.untilMessage("#support", "the run waiting", func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "*Waiting* at") })
	w.click("bob", question(w, status), "Approve")
	done(w, status)
	if asked := model.Requests(); len(asked) != 2 || !strings.Contains(asked[0].System(), "Answer in German") {
		t.Errorf("the model was asked %d times: %s", len(asked), asked[0].System())
	}
}
