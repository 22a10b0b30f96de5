package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/engine/llm/llmtest"
)

const clerkFlow = `
name: clerk
agents: [{id: clerk, instructions: Look it up., tools: [shop.get_order], limits: {turns: 1, usd: 5}}]
flow:
  entry: look
  nodes: [{id: look, type: agent, agent: clerk, input: {}, routes: [{to: end}]}]
`

// TestAnAgentAtItsLimitIsContinuedInChat: the question says what happened and what each answer means; the cards say what the run has cost.
func TestAnAgentAtItsLimitIsContinuedInChat(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	model.Reply(llmtest.Calls(llmtest.Call{Name: "shop__get_order", Args: map[string]any{"order_id": "A-1001"}}), llmtest.Text("looked up"))
	dir := t.TempDir()
	put := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	models := put("models.yaml", "providers:\n  - {name: acme, base_url: "+model.URL+", model: scripted, prices: {scripted: {input: 1000, output: 2000}}}\n")
	w := newWorld(t, setup{apart: true, settings: []string{"SLUICE_MODELS=" + models}})
	publish(w, put("flow.yaml", clerkFlow))
	w.flow("ana", "#support", "run clerk")
	status := theStatus(w)
	card := w.untilMessage("#support", "the question", func(m message) bool {
		return m.Thread == status.TS && strings.Contains(m.shown(), "The agent has come to its limit")
	})
	for _, part := range []string{"no answer after 1 turns (limits.turns)", "Continue with as much again", "Who may answer"} {
		if !strings.Contains(card.shown(), part) {
			t.Errorf("the question does not say %q:\n%s", part, card.shown())
		}
	}
	w.click("ana", card, "Continue")
	last, end := done(w, status)
	for _, m := range []message{last, end} {
		if !strings.Contains(m.shown(), "model cost 0.04 USD (30 tokens)") {
			t.Errorf("the cost is not shown:\n%s", m.shown())
		}
	}
	if gets := w.arrivals("GET /orders/A-1001"); len(gets) != 1 || model.Left() != 0 {
		t.Errorf("the shop saw %+v; %d answers of the model are left", gets, model.Left())
	}
}

// TestLimitsInUSDNeedAPrice: a file with a limit that could not be kept makes no draft, and a draft whose model has lost its price is not
// approved.
func TestLimitsInUSDNeedAPrice(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "models.yaml")
	price := func(of string) {
		text := "providers:\n  - {name: acme, base_url: 'http://127.0.0.1:1', model: scripted, prices: {" + of + ": {input: 1, output: 2}}}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	price("other")
	w := newWorld(t, setup{apart: true, settings: []string{"SLUICE_MODELS=" + file}})
	root := w.drop("ana", "#support", "", "@Sluice", "clerk.yaml", clerkFlow)
	const says = "limits.usd of agent 'clerk' cannot be kept: no price is known for scripted"
	if line := w.told(root.TS, "clerk.yaml* has"); !strings.Contains(line.shown(), says) || !strings.Contains(line.shown(), "SLUICE_MODELS") {
		t.Errorf("the refusal is\n%s", line.shown())
	}
	w.bot.kill()
	price("scripted")
	w.startBot()
	root = w.drop("ana", "#support", "", "@Sluice", "clerk.yaml", clerkFlow)
	draft := w.untilMessage("#support", "the draft", func(m message) bool { return m.Thread == root.TS && slices.Contains(m.buttons(), "Approve") })
	w.bot.kill()
	price("other")
	w.startBot()
	a := w.click("ana", draft, "Approve")
	if line := w.private("ana", "#support", a.Seq).shown(); !strings.Contains(line, "cannot be approved yet") || !strings.Contains(line, says) {
		t.Errorf("the approval is answered: %s", line)
	}
}
