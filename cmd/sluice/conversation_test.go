package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/engine/llm/llmtest"
)

// parcels is a conversational workflow of the 2nChat kind: two agents and a tool executor.
const parcels = `{"id": "parcels", "name": "Parcels", "isConversational": true, "entrypointNodeId": "r",
	"agents": [{"agentId": "a1", "messages": [{"role": "system", "content": "Find out what it is about."}]},
		{"agentId": "a2", "messages": [{"role": "system", "content": "Look after orders."}], "tools": [{"toolId": "t", "function": {"name": "shop.get_order"}}]}],
	"nodes": [{"id": "r", "nodeType": "AGENT", "nodeName": "Router", "agentId": "a1"}, {"id": "o", "nodeType": "AGENT", "nodeName": "Orders", "agentId": "a2"},
		{"id": "x", "nodeType": "TOOL_EXECUTOR", "nodeName": "tool_executor", "agentId": null}],
	"edges": [{"id": "1", "sourceNodeId": "r", "targetNodeId": "o", "conditionType": "CONDITIONAL", "conditionValue": "Orders"},
		{"id": "2", "sourceNodeId": "o", "targetNodeId": "x", "conditionType": "CONDITIONAL", "conditionValue": "tool_executor"},
		{"id": "3", "sourceNodeId": "o", "targetNodeId": null, "conditionType": "CONDITIONAL", "conditionValue": "END"}]}`

// TestAConversation drops a conversational workflow and talks with its agents: replies in the run's thread are the turns, also those that come
// while an agent works and the bot is killed, until an agent says that it is over.
func TestAConversation(t *testing.T) {
	t.Parallel()
	model, thinks := llmtest.New(t), make(chan struct{})
	model.Reply(
		llmtest.Text("What is it about?"),
		llmtest.Calls(llmtest.Call{Name: "router", Args: map[string]any{"next_node": "Orders"}}),
		llmtest.Calls(llmtest.Call{Name: "shop__get_order", Args: map[string]any{"order_id": "A-1001"}}),
		llmtest.Reply{Text: "never heard", Wait: thinks},
		llmtest.Text("Order A-1001 is a lamp."),
		llmtest.Reply{Text: "Bye.", Calls: llmtest.Calls(llmtest.Call{Name: "end", Args: map[string]any{}}).Calls},
	)
	w := newWorld(t, setup{apart: true, settings: []string{"OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=key", "OPENAI_MODEL=scripted"}})
	draft := w.put("ana", "", "parcels.json", parcels)
	w.click("ana", draft, "Approve")
	w.untilShown(draft, "Approved as version 1")
	if !strings.Contains(draft.shown(), "Its agents talk with the person who starts it") {
		t.Errorf("the draft does not say that it is a conversation:\n%s", draft.shown())
	}
	w.flow("ana", "#support", "run parcels message=hello")
	status := w.untilMessage("#support", "the run", isStatus)
	says := func(text string) message {
		return w.untilMessage("#support", text, func(m message) bool { return m.Thread == status.TS && strings.Contains(m.shown(), text) })
	}
	asked := says("What is it about?")
	for _, part := range []string{"*Router*", "Reply in this thread", "Stop"} {
		if !strings.Contains(asked.shown(), part) {
			t.Errorf("the agent's words do not show %q:\n%s", part, asked.shown())
		}
	}
	w.write("bob", "#support", status.TS, "I know nothing of it")
	w.write("ana", "#support", status.TS, "what is order A-1001?")
	poll(w, "the answer with the order", func() (int, bool) { n := len(model.Requests()); return n, n == 4 })
	w.write("ana", "#support", status.TS, "that will be all")
	w.bot.kill()
	close(thinks)
	w.startBot()
	says("Order A-1001 is a lamp.")
	done(w, status)
	if gets := w.arrivals("GET /orders/A-1001"); len(gets) != 1 || model.Left() != 0 {
		t.Errorf("the shop saw %+v; %d answers of the model are left", gets, model.Left())
	}
	last := model.Requests()[5]
	var heard []string
	for _, m := range last.Messages[1:] {
		heard = append(heard, m.Role+": "+m.Text())
	}
	if all := strings.Join(heard, "\n"); last.Last() != "that will be all" || strings.Count(all, "what is order A-1001?") != 1 || strings.Contains(all, "I know nothing") {
		t.Errorf("the last request is:\n%s", all)
	}
	var said []string
	for _, m := range w.state("#support") {
		if m.Thread == status.TS {
			said = append(said, m.shown())
		}
	}
	if n := len(said); w.plan == "" && (n < 2 || !strings.Contains(said[n-2], "is a lamp") || !strings.Contains(said[n-1], "Bye.")) { // what Slack refuses at first may come after the end
		t.Errorf("the thread is:\n%s", strings.Join(said, "\n"))
	}
}

// TestAConversationAtATerminal is one with the person who runs the flow there.
func TestAConversationAtATerminal(t *testing.T) {
	t.Parallel()
	model, file := llmtest.New(t), filepath.Join(t.TempDir(), "parcels.json")
	if err := os.WriteFile(file, []byte(parcels), 0o600); err != nil {
		t.Fatal(err)
	}
	model.Reply(llmtest.Text("What is it about?"), llmtest.Text("A lamp?"), llmtest.Calls(llmtest.Call{Name: "end", Args: map[string]any{}}))
	var out, errs bytes.Buffer
	args := []string{"run", file, "--openai-base-url=" + model.URL, "--openai-api-key=key", "--openai-model=scripted", "--input", "message=hello"}
	if code := program(args, stdio{strings.NewReader("a parcel\nyes\n"), &out, &errs}); code != 0 {
		t.Fatalf("%d: %s", code, errs.String())
	}
	if last := model.Requests()[2]; last.Last() != "yes" || !strings.Contains(errs.String(), "? A lamp?") {
		t.Errorf("the last request ends with %q; the terminal shows\n%s", last.Last(), errs.String())
	}
}
