package node

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/agent"
	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/engine/run"
	"sluice/engine/tool"
)

// journal keeps the acts of one step in memory.
type journal struct {
	intents []string
	done    map[int]agent.Outcome
}

func (j *journal) Intent(_ context.Context, _ int, what, key string, effects flow.Effects, _ json.RawMessage) error {
	j.intents = append(j.intents, strings.TrimSpace(what+" "+key+" "+string(effects)))
	return nil
}

func (j *journal) Outcome(_ context.Context, n int, o agent.Outcome) error {
	j.done[n] = o
	return nil
}

func (j *journal) Done(_ context.Context, n int) (agent.Outcome, bool, error) {
	o, ok := j.done[n]
	return o, ok, nil
}

// talkWorld plays a flow with a scripted model on the wire and tools that record their calls.
type talkWorld struct {
	t       *testing.T
	model   *llmtest.Server
	driver  *enginetest.Driver
	deps    Deps
	journal *journal
	calls   []tool.Call
}

func newTalkWorld(t *testing.T, f *flow.Flow) *talkWorld {
	t.Helper()
	d, err := enginetest.NewDriver(f)
	if err != nil {
		t.Fatal(err)
	}
	w := &talkWorld{t: t, model: llmtest.New(t), driver: d}
	record := func(name string, effects flow.Effects, policy tool.Policy) tool.Tool {
		return tool.Tool{Name: name, Description: name, Effects: effects, Policy: policy, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
			w.calls = append(w.calls, c)
			if c.Params["id"] == "bad" {
				return tool.Result{}, &tool.Error{Type: "NotFoundError", Message: "no such order", Permanent: true}
			}
			return tool.Result{Data: map[string]any{"of": c.Params["id"]}}, nil
		}}
	}
	tools, err := tool.New(
		record("shop.get", flow.EffectsRead, ""), record("shop.pay", flow.EffectsOnce, ""),
		record("shop.wipe", flow.EffectsOnce, tool.Deny), record("shop.close", flow.EffectsOnce, tool.Ask),
	)
	if err != nil {
		t.Fatal(err)
	}
	w.deps = Deps{
		Tools: tools, Flow: f,
		Model: llm.NewOpenAI(llm.OpenAIOptions{BaseURL: w.model.URL, Model: "small", Backoff: time.Millisecond, Attempts: 1}),
	}
	if err := d.Start(map[string]any{"text": "hello", "pin": "x123"}); err != nil {
		t.Fatal(err)
	}
	return w
}

// next performs the step that waits, and reports how it ended.
func (w *talkWorld) next() (run.Perform, Outcome) {
	w.t.Helper()
	for _, id := range w.driver.Dispatched() {
		if err := w.driver.Claim(id); err != nil {
			w.t.Fatal(err)
		}
	}
	token := w.driver.Performing()[0]
	p := *w.driver.Leases[token].Perform
	w.journal = &journal{done: map[int]agent.Outcome{}}
	w.deps.Journal = w.journal
	o := Perform(w.t.Context(), p, w.deps)
	_, err := w.driver.Feed(run.Finished{At: w.driver.Now, Token: p.Token, Step: p.Step, Epoch: p.Epoch, Output: o.Output, Error: o.Error, Usage: o.Usage, Offer: o.Offer})
	if err != nil {
		w.t.Fatal(err)
	}
	return p, o
}

func (w *talkWorld) script(lines string) {
	w.t.Helper()
	if err := w.driver.Script(lines); err != nil {
		w.t.Fatalf("%v\n%s", err, enginetest.Print(w.driver.Facts))
	}
}

func externalFlow() *flow.Flow {
	return &flow.Flow{
		Name: "talk", Entry: "boss", Rules: flow.Rules{Conversational: true}, Profile: "s2",
		Agents: []flow.Agent{{ID: "boss", Instructions: "Look after orders.", Tools: []string{"shop.get", "shop.pay", "shop.wipe", "shop.close"}}, {ID: "helper"}},
		Nodes: []flow.Node{
			{
				ID: "boss", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "boss", ToolMode: flow.ToolsExternal, Input: map[string]any{"task": "{{inputs.text}}"}},
				Routes: []flow.Route{
					{If: flow.IfNext, When: "helper", To: "helper"}, {If: flow.IfNext, When: "tool_executor", To: "calls"}, {If: flow.IfNext, When: "END", To: flow.End},
				},
			},
			{ID: "helper", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "helper", ToolMode: flow.ToolsExternal}, Routes: []flow.Route{{To: "boss"}}},
			{ID: "calls", Kind: flow.KindToolexec, Spec: &flow.ToolexecSpec{}},
		},
	}
}

func order(name, id string) llmtest.Call {
	return llmtest.Call{Name: name, Args: map[string]any{"id": id}}
}

// An agent's calls are performed by the node that the graph has for them, under keys of that step, and the agent goes on in its
// conversation as if it had made them itself.
func TestCallsArePerformedByAnotherNode(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t, externalFlow())
	w.model.Reply(
		llmtest.Calls(order("shop__get", "A-1"), order("shop__pay", "bad"), order("shop__wipe", "A-1"), order("shop__odd", "A-1")),
		llmtest.Calls(llmtest.Call{Name: "router", Args: map[string]any{"next_node": "helper"}}),
		llmtest.Text("I am the helper"),
		llmtest.Calls(llmtest.Call{Name: "end", Args: map[string]any{}}),
	)
	w.next()
	if len(w.calls) != 0 {
		t.Fatalf("the agent itself called %v", w.calls)
	}
	w.script("at calls\nasked calls shop.get,shop.pay,shop.wipe,shop__odd for boss")
	w.next()
	if len(w.calls) != 2 || w.calls[0].Key != "run/2/1/0" || w.calls[1].Key != "run/2/2/0" {
		t.Errorf("the tools saw %+v", w.calls)
	}
	if want := []string{"shop.get run/2/1/0 read", "shop.pay run/2/2/0 once"}; !slices.Equal(w.journal.intents, want) {
		t.Errorf("the journal has %q", w.journal.intents)
	}
	w.script("at boss")
	w.next()
	second := w.model.Requests()[1]
	if len(second.Messages) != 7 || second.Messages[1].Text() != "hello" || len(second.Messages[2].ToolCalls) != 4 {
		t.Fatalf("the second request is %+v", second.Messages)
	}
	for i, want := range []string{`{"result":{"of":"A-1"},"tool":"shop.get"}`, "NotFoundError", "PolicyError", "UnknownToolError"} {
		if got := second.Messages[3+i].Text(); !strings.Contains(got, want) {
			t.Errorf("result %d is %s", i, got)
		}
	}
	if offered := second.Offered(); !slices.Equal(offered, []string{"shop__get", "shop__pay", "shop__close", "router", "end"}) {
		t.Errorf("the agent is offered %v", offered)
	}
	if !strings.Contains(second.System(), "call the tool end") {
		t.Errorf("the instructions are %s", second.System())
	}
	enum := second.Tools[3].Function.Parameters["properties"].(map[string]any)["next_node"].(map[string]any)["enum"]
	if got, _ := json.Marshal(enum); string(got) != `["helper","END"]` {
		t.Errorf("the agent can name %s", got)
	}
	w.script("at helper")
	w.next()
	w.script("at boss")
	w.next()
	w.script("status succeeded\nedges boss/1 calls/caller boss/0 helper/0 boss/2")
}

// A call that needs a person's permission is asked for before it is made, also where a node performs the calls of an agent.
func TestPerformedCallsObeyPolicy(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t, externalFlow())
	w.model.Reply(llmtest.Calls(order("shop__close", "A-1")))
	w.next()
	if _, o := w.next(); o.Asked == nil || o.Asked.Tool != "shop.close" || o.Asked.Number != 1 || len(w.calls) != 0 {
		t.Errorf("the step ends with %+v, the tools saw %v", o, w.calls)
	}
}

// What is not finished in the journal is done under its old key; what is finished is not done again.
func TestPerformedCallsResume(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t, externalFlow())
	w.model.Reply(llmtest.Calls(order("shop__pay", "A-1"), order("shop__get", "A-2")))
	w.next()
	for _, id := range w.driver.Dispatched() {
		if err := w.driver.Claim(id); err != nil {
			t.Fatal(err)
		}
	}
	p := *w.driver.Leases[w.driver.Performing()[0]].Perform
	w.deps.Journal = &journal{done: map[int]agent.Outcome{1: {Result: json.RawMessage(`{"of":"before"}`)}}}
	o := Perform(t.Context(), p, w.deps)
	if len(w.calls) != 1 || w.calls[0].Tool != "shop.get" || w.calls[0].Key != "run/2/2/0" || !strings.Contains(string(o.Output.Data), `{"of":"before"}`) {
		t.Errorf("the tools saw %+v, the output is %s", w.calls, o.Output.Data)
	}
}

func llmFlow(spec *flow.LLMSpec) *flow.Flow {
	return &flow.Flow{
		Name: "ask", Entry: "classify", Profile: "s4", Rules: flow.Rules{NodeTimeout: flow.Duration{Clock: time.Minute}},
		Inputs: []flow.Input{{Name: "text", Type: "string"}, {Name: "pin", Type: "string", Sensitive: true}},
		Nodes: []flow.Node{
			{ID: "classify", Kind: flow.KindLLM, Spec: spec, Routes: []flow.Route{{To: "calls"}}},
			{ID: "calls", Kind: flow.KindToolexec, Spec: &flow.ToolexecSpec{Calls: "classify.tool_calls", Tools: []string{"shop.get"}}, Routes: []flow.Route{{To: "tell"}}},
			{ID: "tell", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "{{classify.response}} {{classify.data.choice}} {{classify.meta.model}} {{calls.success}} {{calls.results.0.result.of}}"}},
		},
	}
}

// One question has no loop around it: its calls are part of the answer, and its schema holds.
func TestOneQuestion(t *testing.T) {
	t.Parallel()
	half := 0.5
	w := newTalkWorld(t, llmFlow(&flow.LLMSpec{
		Prompt: "Classify {{inputs.text}} {{inputs.pin}}", System: "Be short.", Model: "{{inputs.model}}", MaxTokens: 50, Temperature: &half,
		Schema: map[string]any{
			"type": "object", "required": []any{"choice"},
			"properties": map[string]any{"choice": map[string]any{"type": "string", "enum": []any{"approve", "reject"}}},
		},
	}))
	w.model.Reply(llmtest.JSON(map[string]any{"choice": "perhaps"}), llmtest.JSON(map[string]any{"choice": "approve"}))
	w.next()
	asked := w.model.Requests()[0]
	if asked.Messages[1].Text() != "Classify hello x123" || !strings.HasPrefix(asked.System(), "Be short.") || *asked.Temperature != half || asked.Model != "small" {
		t.Errorf("the model was asked %+v", asked)
	}
	if want := []string{"model  read", "model  read"}; !slices.Equal(w.journal.intents, want) {
		t.Errorf("the journal has %q", w.journal.intents)
	}
	w.script("at tell\nparams tell {\"message\":\"{\\\"choice\\\":\\\"approve\\\"} approve small true \"}")
}

func TestOneQuestionWithCalls(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t, llmFlow(&flow.LLMSpec{Prompt: "Look {{inputs.text}} up", Tools: []string{"shop.get", "shop.pay"}}))
	w.model.Reply(llmtest.Calls(order("shop__get", "A-1"), order("shop__pay", "A-1")))
	w.next()
	_, o := w.next()
	if len(w.calls) != 1 || w.calls[0].Tool != "shop.get" || !strings.Contains(string(o.Output.Data), "UnknownToolError") {
		t.Errorf("the tools saw %+v, the output is %s", w.calls, o.Output.Data)
	}
	w.script("at tell\nparams tell {\"message\":\"  small false A-1\"}")
}

func TestAQuestionWithoutAModelIsOffered(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t, llmFlow(&flow.LLMSpec{Prompt: "Classify {{inputs.text}}", Schema: map[string]any{
		"type": "object", "properties": map[string]any{"choice": map[string]any{"type": "string"}},
	}}))
	w.deps.Model = nil
	_, o := w.next()
	if o.Offer == nil || !strings.Contains(o.Offer.Message, "Classify hello") || len(o.Offer.Form) != 1 {
		t.Fatalf("got %+v", o)
	}
	w.script("gate classify agent\nanswer classify form={\"choice\":\"reject\"}\nat calls\nclaim calls\nat tell")
}
