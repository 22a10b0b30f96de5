package node

import (
	"context"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/run"
	"sluice/engine/secret"
	"sluice/engine/tool"
)

// perform performs a tool node with a tool that does what it is told.
func perform(t *testing.T, timeout time.Duration, call func(context.Context, tool.Call) (tool.Result, error)) Outcome {
	t.Helper()
	tools, err := tool.New(tool.Tool{Name: "shop.do", Description: "do", Effects: flow.EffectsOnce, Call: call})
	if err != nil {
		t.Fatal(err)
	}
	env, err := secret.NewEnv([]string{"SLUICE_SECRET_TOKEN=s3cr3t-value"})
	if err != nil {
		t.Fatal(err)
	}
	n := &flow.Node{ID: "do", Kind: flow.KindTool, Timeout: flow.Duration{Clock: timeout}, Spec: &flow.ToolSpec{Tool: "shop.do"}}
	return Perform(t.Context(), run.Perform{Node: n, Key: "r/1/1/0", Params: map[string]any{"a": "b"}}, Deps{
		Tools: tools, Secrets: env, Redactor: env.Redactor(), Flow: &flow.Flow{Name: "f"},
	})
}

func TestAPanicIsAnOutcome(t *testing.T) {
	t.Parallel()
	o := perform(t, 0, func(context.Context, tool.Call) (tool.Result, error) { panic("no") })
	if o.Error == nil || o.Error.Type != "PanicError" || !o.Error.Permanent {
		t.Errorf("got %+v", o.Error)
	}
}

func TestANodesOwnTimeoutIsNamed(t *testing.T) {
	t.Parallel()
	o := perform(t, time.Millisecond, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, &tool.Error{Type: "ConnectionError", Message: "cut", Unknown: true}
	})
	if o.Error == nil || o.Error.Type != "TimeoutError" || !o.Error.Unknown || !strings.Contains(o.Error.Message, "timeout of 1ms") {
		t.Errorf("got %+v", o.Error)
	}
}

func TestWhatAToolGivesIsRedacted(t *testing.T) {
	t.Parallel()
	o := perform(t, 0, func(_ context.Context, c tool.Call) (tool.Result, error) {
		if c.Key != "r/1/1/0" || c.Params["a"] != "b" {
			t.Errorf("the call got %+v", c)
		}
		return tool.Result{Data: map[string]any{"echo": "s3cr3t-value"}, Text: "it is s3cr3t-value"}, nil
	})
	if o.Error != nil || strings.Contains(o.Output.Text+string(o.Output.Data), "s3cr3t-value") {
		t.Errorf("got %+v", o)
	}
}

func TestAToolThatIsGoneIsNamed(t *testing.T) {
	t.Parallel()
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	n := &flow.Node{ID: "do", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "shop.gone"}}
	o := Perform(t.Context(), run.Perform{Node: n}, Deps{Tools: tools, Flow: &flow.Flow{Name: "f"}})
	if o.Error == nil || o.Error.Type != "UnknownToolError" || !strings.Contains(o.Error.Message, "shop.gone") {
		t.Errorf("got %+v", o.Error)
	}
}

func TestAnAgentWithoutAModelIsOffered(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Agents: []flow.Agent{{ID: "bot", Instructions: "Decide."}}}
	n := &flow.Node{ID: "do", Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: "bot"}}
	o := Perform(t.Context(), run.Perform{Node: n, Params: map[string]any{"order": "A-1"}}, Deps{Flow: f})
	if o.Offer == nil || !strings.Contains(o.Offer.Message, "Decide.") || !strings.Contains(o.Offer.Message, "order: A-1") {
		t.Errorf("got %+v", o)
	}
}
