package main

import (
	"strings"
	"testing"

	"sluice/engine/llm/llmtest"
)

// TestFormatsToTheirEnd drops a graph of agents, a workflow of agents and a draft flowchart: each is looked at, approved, run with a model and
// the people that it asks, and given back as it was.
func TestFormatsToTheirEnd(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	w := newWorld(t, setup{apart: true, settings: []string{"OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=scripted"}})
	for _, c := range []struct {
		file, flow, read string
		replies          []string
		src              string
	}{
		{"letters.txt", "letters", "a graph of agents", []string{"Dear Sir", "Yours"}, `{"name": "letters", "nodes": [
  {"id": "s", "type": "start", "data": {"initialInput": "A complaint"}},
  {"id": "write", "type": "agent", "data": {"agentName": "Writer", "systemPrompt": "Write."}},
  {"id": "check", "type": "approval", "data": {"prompt": "May it go out?"}},
  {"id": "sign", "type": "agent", "data": {"agentName": "Signer", "systemPrompt": "Sign."}}],
 "connections": [{"source": "s", "target": "write"}, {"source": "write", "target": "check"}, {"source": "check", "target": "sign", "sourceHandle": "approve"}]}`},
		{"desk.txt", "front", "a 2nChat workflow", []string{"Hello"}, `{"id": "front", "entrypointNodeId": "a",
 "nodes": [{"id": "a", "nodeType": "AGENT", "nodeName": "Desk", "agentId": "desk"}],
 "edges": [{"id": "e", "sourceNodeId": "a", "targetNodeId": null, "conditionType": "ALWAYS", "conditionValue": null}],
 "agents": [{"agentId": "desk", "messages": [{"role": "system", "content": "Greet."}]}]}`},
		{"draft.txt", "weekly-note", "a draft flowchart", []string{"News", "Sent"}, `{"agent_name": "weekly_note", "goal": "A note every week",
 "nodes": [{"id": "collect", "description": "Collect the news"}, {"id": "tell", "description": "Tell people"}]}`},
	} {
		for _, text := range c.replies {
			model.Reply(llmtest.Text(text))
		}
		card := w.put("ana", "", c.file, c.src)
		if !strings.Contains(card.shown(), "I read the file as "+c.read) {
			t.Errorf("the draft does not say how it was read:\n%s", card.shown())
		}
		w.checkPicture(card)
		w.click("ana", card, "Approve")
		card = w.untilShown(card, "Approved as version 1")
		w.flow("ana", "#support", "run "+c.flow)
		status := w.untilMessage("#support", "the run of "+c.flow, func(m message) bool {
			return isStatus(m) && m.Thread == "" && strings.Contains(m.shown(), c.flow+"-1")
		})
		if c.flow == "letters" {
			w.click("bob", question(w, status), "Approve")
		}
		done(w, status)
		if model.Left() != 0 {
			t.Errorf("%s: %d answers of the model are left", c.flow, model.Left())
		}
		a := w.click("ana", card, "Export")
		if _, text := w.given("#support", card.Thread, c.flow+".json", a.Seq); text != c.src {
			t.Errorf("%s is given back as\n%s", c.flow, text)
		}
	}
}
