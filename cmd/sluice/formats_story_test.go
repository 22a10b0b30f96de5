package main

import (
	"strings"
	"testing"

	"sluice/engine/llm/llmtest"
)

// TestFormatsToTheirEnd drops a graph of agents, a workflow of agents, a draft flowchart and a VisualFlow document: each is looked at, approved, run with a model and
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
		{"poem.txt", "poem", "a VisualFlow document", []string{"Rain, rain"}, `{"id": "poem", "name": "poem", "entryNode": "start", "nodes": [
  {"id": "start", "type": "on_flow_start", "data": {"nodeType": "on_flow_start", "label": "Start", "inputs": [], "outputs": [{"id": "exec-out", "type": "execution"}]}},
  {"id": "ask", "type": "ask_user", "data": {"nodeType": "ask_user", "label": "Subject", "inputs": [{"id": "exec-in", "type": "execution"}, {"id": "prompt", "type": "string"}],
   "outputs": [{"id": "exec-out", "type": "execution"}, {"id": "response", "type": "string"}], "pinDefaults": {"prompt": "What is it about?"}}},
  {"id": "write", "type": "llm_call", "data": {"nodeType": "llm_call", "label": "Write", "inputs": [{"id": "exec-in", "type": "execution"}, {"id": "prompt", "type": "string"}],
   "outputs": [{"id": "exec-out", "type": "execution"}, {"id": "response", "type": "string"}]}},
  {"id": "end", "type": "on_flow_end", "data": {"nodeType": "on_flow_end", "label": "End", "inputs": [{"id": "exec-in", "type": "execution"}, {"id": "poem", "type": "string"}], "outputs": []}}],
 "edges": [{"id": "1", "source": "start", "sourceHandle": "exec-out", "target": "ask", "targetHandle": "exec-in"},
  {"id": "2", "source": "ask", "sourceHandle": "exec-out", "target": "write", "targetHandle": "exec-in"},
  {"id": "3", "source": "ask", "sourceHandle": "response", "target": "write", "targetHandle": "prompt"},
  {"id": "4", "source": "write", "sourceHandle": "exec-out", "target": "end", "targetHandle": "exec-in"},
  {"id": "5", "source": "write", "sourceHandle": "response", "target": "end", "targetHandle": "poem"}]}`},
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
		switch c.flow {
		case "letters":
			w.click("bob", question(w, status), "Approve")
		case "poem":
			w.untilMessage("#support", "the question of the document", func(m message) bool { return m.Thread == status.TS && strings.Contains(m.shown(), "What is it about?") })
			inWords(w, "bob", status.TS, "the rain")
		}
		done(w, status)
		if all := model.Requests(); c.flow == "poem" && !strings.Contains(all[len(all)-1].Last(), "the rain") {
			t.Errorf("the model is asked %q", all[len(all)-1].Last())
		}
		if model.Left() != 0 {
			t.Errorf("%s: %d answers of the model are left", c.flow, model.Left())
		}
		a := w.click("ana", card, "Export")
		if _, text := w.given("#support", card.Thread, c.flow+".json", a.Seq); text != c.src {
			t.Errorf("%s is given back as\n%s", c.flow, text)
		}
	}
}
