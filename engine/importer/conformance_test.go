package importer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/agent"
	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/importer"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/engine/node"
	"sluice/engine/run"
	"sluice/engine/tool"
)

// talk plays an imported flow with a model on the wire and tools that record their calls.
type talk struct {
	t      *testing.T
	model  *llmtest.Server
	driver *enginetest.Driver
	deps   node.Deps
	called []string
}

// forgetful is a journal of steps that never begin again.
type forgetful struct{}

func (forgetful) Intent(context.Context, int, string, string, flow.Effects, json.RawMessage) error {
	return nil
}

func (forgetful) Outcome(context.Context, int, agent.Outcome) error { return nil }

func (forgetful) Done(context.Context, int) (agent.Outcome, bool, error) {
	return agent.Outcome{}, false, nil
}

func newTalk(t *testing.T, src string, replies ...llmtest.Reply) *talk {
	t.Helper()
	doc, _, err := importer.Read("talk", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	d, err := enginetest.NewDriver(doc.Flow)
	if err != nil {
		t.Fatal(err)
	}
	w := &talk{t: t, model: llmtest.New(t), driver: d}
	w.driver.Context.HasModel = true
	w.model.Reply(replies...)
	call := func(_ context.Context, c tool.Call) (tool.Result, error) {
		w.called = append(w.called, fmt.Sprintf("%s %v", c.Tool, c.Params["id"]))
		return tool.Result{Data: map[string]any{"of": c.Params["id"]}}, nil
	}
	tools, err := tool.New(
		tool.Tool{Name: "shop.find", Description: "Finds", Effects: flow.EffectsRead, Call: call},
		tool.Tool{Name: "shop.pay", Description: "Pays", Effects: flow.EffectsOnce, Call: call},
	)
	if err != nil {
		t.Fatal(err)
	}
	w.deps = node.Deps{
		Tools: tools, Flow: doc.Flow, Journal: forgetful{},
		Model: llm.NewOpenAI(llm.OpenAIOptions{BaseURL: w.model.URL, Model: "small", Backoff: time.Millisecond, Attempts: 1}),
	}
	if err := d.Script("event {\"payload\":{\"message\":\"hello\"}}\nstart"); err != nil {
		t.Fatal(err)
	}
	return w
}

// run performs what waits, until nothing does.
func (w *talk) run() {
	w.t.Helper()
	for range 20 {
		for _, id := range w.driver.Dispatched() {
			if err := w.driver.Claim(id); err != nil {
				w.t.Fatal(err)
			}
		}
		busy := w.driver.Performing()
		if len(busy) == 0 {
			return
		}
		p := *w.driver.Leases[busy[0]].Perform
		o := node.Perform(w.t.Context(), p, w.deps)
		if _, err := w.driver.Feed(run.Finished{At: w.driver.Now, Token: p.Token, Step: p.Step, Epoch: p.Epoch, Output: o.Output, Error: o.Error, Offer: o.Offer}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// ended checks how the run ended.
func (w *talk) ended(script string) {
	w.t.Helper()
	if err := w.driver.Script(script); err != nil || w.driver.State.Status != history.Succeeded {
		w.t.Errorf("%v\n%s", err, enginetest.Print(w.driver.Facts))
	}
}

// workflow has two agents, one of which may call tools.
func workflow(conversational bool) string {
	return fmt.Sprintf(`{"id": "wf", "isConversational": %v, "entrypointNodeId": "a", "nodes": [
		{"id": "a", "nodeType": "AGENT", "nodeName": "Router", "agentId": "boss"}, {"id": "b", "nodeType": "AGENT", "nodeName": "RC2", "agentId": "clerk"},
		{"id": "x", "nodeType": "TOOL_EXECUTOR", "nodeName": "tool_executor", "agentId": null}],
		"edges": [
		{"id": "1", "sourceNodeId": "a", "targetNodeId": "b", "conditionType": "CONDITIONAL", "conditionValue": "RC2"},
		{"id": "2", "sourceNodeId": "a", "targetNodeId": "x", "conditionType": "CONDITIONAL", "conditionValue": "tool_executor"},
		{"id": "3", "sourceNodeId": "a", "targetNodeId": null, "conditionType": "CONDITIONAL", "conditionValue": "END"},
		{"id": "4", "sourceNodeId": "b", "targetNodeId": "a", "conditionType": "ALWAYS", "conditionValue": null}],
		"agents": [{"agentId": "boss", "messages": [{"role": "system", "content": "Look after orders."}],
			"tools": [{"function": {"name": "shop.find"}}, {"function": {"name": "shop.pay"}}]}, {"agentId": "clerk"}]}`, conversational)
}

func handOver(next string) llmtest.Reply {
	return llmtest.Calls(llmtest.Call{Name: "router", Args: map[string]any{"next_node": next}})
}

func endCall() llmtest.Reply {
	return llmtest.Calls(llmtest.Call{Name: "end", Args: map[string]any{}})
}

// TestConformance shows the statements about formats that need a model.
func TestConformance(t *testing.T) {
	t.Parallel()
	shown := subagents()
	maps.Copy(shown, routed())
	maps.Copy(shown, asked())
	for number, show := range shown {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			show(t)
		})
	}
}

// routed are the statements about agents that name the next one.
func routed() map[string]func(t *testing.T) {
	return map[string]func(t *testing.T){
		"S2-19": func(t *testing.T) {
			w := newTalk(t, workflow(true), handOver("RC2"), endCall(), endCall())
			w.run()
			requests := w.model.Requests()
			if len(requests) < 2 {
				t.Fatalf("%d requests", len(requests))
			}
			for i, r := range requests {
				if !slices.Contains(r.Offered(), "end") || !strings.Contains(r.System(), "call the tool end") {
					t.Errorf("request %d offers %v and says %s", i, r.Offered(), r.System())
				}
			}
		},
		"S2-20": func(t *testing.T) {
			w := newTalk(t, workflow(true), endCall())
			w.run()
			w.ended("status succeeded\nedges a/2\nseen a/2 {\"state.next\":\"END\"}")
		},
		"S2-21": func(t *testing.T) {
			w := newTalk(t, workflow(false), llmtest.Text("well"))
			w.run()
			if r := w.model.Requests()[0]; slices.Contains(r.Offered(), "end") || strings.Contains(r.System(), "tool end") {
				t.Errorf("it offers %v and says %s", r.Offered(), r.System())
			}
		},
		"S2-x04": func(t *testing.T) {
			w := newTalk(t, workflow(false), handOver("END"))
			w.run()
			tools := w.model.Requests()[0].Tools
			i := slices.IndexFunc(tools, func(o llmtest.Tool) bool { return o.Function.Name == "router" })
			if i < 0 {
				t.Fatalf("the agent is offered %v", w.model.Requests()[0].Offered())
			}
			enum, err := json.Marshal(tools[i].Function.Parameters["properties"].(map[string]any)["next_node"].(map[string]any)["enum"])
			if err != nil || string(enum) != `["RC2","END"]` {
				t.Errorf("the agent can name %s %v", enum, err)
			}
			w.ended("edges a/2")
			clerk := newTalk(t, strings.Replace(workflow(false), `"entrypointNodeId": "a"`, `"entrypointNodeId": "b"`, 1), llmtest.Text("x"), llmtest.Text("y"))
			clerk.run()
			if offered := clerk.model.Requests()[0].Offered(); slices.Contains(offered, "router") {
				t.Errorf("an agent without a choice is offered %v", offered)
			}
		},
		"S2-x05": func(t *testing.T) {
			w := newTalk(t, workflow(false), llmtest.Calls(llmtest.Call{Name: "shop__find", Args: map[string]any{"id": "A-1"}}), llmtest.Text("found"))
			w.run()
			w.ended("path a x a\nedges a/1 x/caller")
		},
		"S2-x06": func(t *testing.T) {
			find, pay := llmtest.Call{Name: "shop__find", Args: map[string]any{"id": "A-1"}}, llmtest.Call{Name: "shop__pay", Args: map[string]any{"id": "A-2"}}
			w := newTalk(t, workflow(false), llmtest.Calls(find, pay), llmtest.Text("done"))
			w.run()
			if !slices.Equal(w.called, []string{"shop.find A-1", "shop.pay A-2"}) {
				t.Errorf("the tools saw %v", w.called)
			}
			second := w.model.Requests()[1].Messages
			if n := len(second); !strings.Contains(second[n-2].Text(), "A-1") || !strings.Contains(second[n-1].Text(), "A-2") {
				t.Errorf("the agent reads %+v", second)
			}
			w.ended("path a x a")
		},
	}
}

// office is a graph in which an agent asks another, which asks a third.
const office = `{"nodes": [{"id": "s", "type": "start", "data": {"initialInput": "a letter"}},
	{"id": "p", "type": "agent", "data": {"agentName": "Boss", "systemPrompt": "You are the boss.", "tools": {"subagents": true}}},
	{"id": "c", "type": "agent", "data": {"agentName": "The Clerk!", "systemPrompt": "You are the clerk.", "tools": {"subagents": true}}},
	{"id": "d", "type": "agent", "data": {"agentName": "Deep", "systemPrompt": "You are deep."}}],
	"connections": [{"source": "s", "target": "p"}, {"source": "p", "target": "c", "sourceHandle": "subagent"},
	{"source": "c", "target": "d", "sourceHandle": "subagent", "targetHandle": "input"}]}`

// said gives the document's own words to an agent.
func said(r llmtest.Request) string {
	_, words, _ := strings.Cut(r.System(), "Your task:\n")
	words, _, _ = strings.Cut(words, "\n\n")
	return words
}

// subagents are the statements about agents that call each other as tools.
func subagents() map[string]func(t *testing.T) {
	call := func(tool, task string) llmtest.Reply {
		return llmtest.Calls(llmtest.Call{Name: tool, Args: map[string]any{"task": task}})
	}
	const clerk, deep = "subagent_the_clerk_c", "subagent_deep_d"
	return map[string]func(t *testing.T){
		"S1-19": func(t *testing.T) {
			w := newTalk(t, office, call(clerk, "sort it"), call(deep, "read it"), llmtest.Text("read"), llmtest.Text("sorted"), llmtest.Text("over"))
			w.run()
			var got []string
			for _, r := range w.model.Requests() {
				got = append(got, fmt.Sprintf("%s %v: %s", said(r), r.Offered(), r.Last()))
			}
			want := []string{
				"You are the boss. [" + clerk + "]: a letter", "You are the clerk. [" + deep + "]: sort it", "You are deep. []: read it",
				`You are the clerk. [` + deep + `]: {"result":"read","tool":"` + deep + `"}`, `You are the boss. [` + clerk + `]: {"result":"sorted","tool":"` + clerk + `"}`,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			w.ended("path s p")
		},
		"S1-28": func(t *testing.T) {
			circle := strings.Replace(office, `"targetHandle": "input"}`, `"targetHandle": "input"}, {"source": "d", "target": "c", "sourceHandle": "subagent"}`, 1)
			if _, _, err := importer.Read("circle", []byte(circle)); err == nil || !strings.Contains(err.Error(), "c -> d -> c") {
				t.Errorf("before a run: %v", err)
			}
			w := newTalk(t, office)
			w.deps.Flow = w.deps.Flow.Clone() // as it was stored, and not as it was checked
			w.deps.Flow.Node("d").Subagents = []string{"p"}
			w.run()
			if len(w.model.Requests()) > 0 || w.driver.State.Status != history.Failed || !strings.Contains(enginetest.Print(w.driver.Facts), "circle: p ") {
				t.Errorf("in a run: %s", enginetest.Print(w.driver.Facts))
			}
		},
		"S1-x24": func(t *testing.T) {
			long := strings.Repeat("x", 300)
			src := strings.Replace(office, "You are the clerk.", long, 1)
			replies := []llmtest.Reply{call(clerk, "sort it")}
			for range 20 {
				replies = append(replies, call(deep, "read it"), llmtest.Text("read"))
			}
			w := newTalk(t, src, append(replies, llmtest.Text("over"))...)
			w.run()
			if got, want := w.model.Requests()[0].Tools[0].Function.Description, "The Clerk!: "+long[:280]+" Subagents: Deep."; !strings.Contains(got, want) {
				t.Errorf("the tool says %q", got)
			}
			turns := 0
			for _, r := range w.model.Requests() {
				if said(r) == long {
					turns++
				}
			}
			if turns != 20 {
				t.Errorf("the clerk has had %d turns", turns)
			}
		},
	}
}
