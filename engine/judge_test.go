package engine_test

import (
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
)

// judgedFlow has a step with two criteria: if the first is not met a person is told, otherwise the money goes.
func judgedFlow() *flow.Flow {
	return &flow.Flow{
		Name: "judged", Entry: "look", Profile: "s0",
		Nodes: []flow.Node{
			{
				ID: "look", Spec: &flow.ToolSpec{Tool: "shop.get", Params: map[string]any{"amount": 250.0}},
				Criteria: []flow.Clause{{ID: "q1", Text: "Is the amount above 100?"}, {ID: "q2", Text: "Is the order ours?"}},
				Routes: []flow.Route{
					{When: "state.verdicts.q1 == false", To: "small"}, {If: flow.IfOutcome, When: flow.OutcomeSuccess, To: "pay"},
				},
			},
			{ID: "small", Spec: &flow.ToolSpec{Tool: "shop.small"}},
			{ID: "pay", Spec: &flow.ToolSpec{Tool: "shop.pay"}},
		},
	}
}

func judging(t *testing.T) (*world, *llmtest.Server) {
	t.Helper()
	w := newWorld(t)
	server := llmtest.New(t)
	w.model = llm.NewOpenAI(llm.OpenAIOptions{BaseURL: server.URL, Model: "small", Attempts: 1, Backoff: time.Millisecond})
	w.grace = time.Millisecond
	w.record("shop.get", flow.EffectsOnce)
	w.record("shop.small", flow.EffectsOnce)
	w.record("shop.pay", flow.EffectsOnce)
	return w, server
}

func verdict(met bool) map[string]any { return map[string]any{"met": met, "reason": "so it seems"} }

func TestAModelJudgesEveryCriterion(t *testing.T) {
	t.Parallel()
	w, server := judging(t)
	server.Reply(llmtest.Text("all is well"), llmtest.JSON(map[string]any{"q1": verdict(true), "q2": verdict(true)}))
	w.serve()
	w.saveFlow(judgedFlow())
	r := w.start("judged", nil)
	v := w.ended(r.ID, history.Succeeded)
	if len(w.seen("shop.get")) != 1 || len(w.seen("shop.pay")) != 1 {
		t.Errorf("the tools were called %d and %d times", len(w.seen("shop.get")), len(w.seen("shop.pay")))
	}
	got := v.Nodes["look"].Verdicts
	if len(got) != 2 || !got[0].Met || got[0].ID != "q1" || got[1].Text != "Is the order ours?" || got[1].Reason != "so it seems" {
		t.Errorf("the verdicts are %+v", got)
	}
	if v.Usage.InputTokens != 20 {
		t.Errorf("the repair is not counted: %+v", v.Usage)
	}
	if said := server.Requests()[0].Messages; !strings.Contains(said[len(said)-1].Text(), `"amount":250`) {
		t.Errorf("the model was asked %+v", said)
	}
}

func TestACriterionThatFailsIsKnownByName(t *testing.T) {
	t.Parallel()
	w, server := judging(t)
	server.Reply(llmtest.JSON(map[string]any{"q1": verdict(false), "q2": verdict(true)}))
	w.serve()
	w.saveFlow(judgedFlow())
	r := w.start("judged", nil)
	w.ended(r.ID, history.Succeeded)
	if len(w.seen("shop.small")) != 1 || len(w.seen("shop.pay")) != 0 {
		t.Error("the wrong way was taken")
	}
}

// A judgement that a stop interrupted is asked for again; the once act before it is not done again.
func TestAJudgementIsAskedForAgainAfterAStop(t *testing.T) {
	t.Parallel()
	w, server := judging(t)
	never := make(chan struct{})
	defer close(never)
	answer := llmtest.JSON(map[string]any{"q1": verdict(true), "q2": verdict(true)})
	hanging := answer
	hanging.Wait = never
	asked := make(chan struct{}, 2)
	first := true
	server.Script(func(llmtest.Request) llmtest.Reply {
		asked <- struct{}{}
		if first {
			first = false
			return hanging
		}
		return answer
	})
	stop := w.serve()
	w.saveFlow(judgedFlow())
	r := w.start("judged", nil)
	<-asked
	stop()
	w.serve()
	w.ended(r.ID, history.Succeeded)
	if len(w.seen("shop.get")) != 1 || len(w.seen("shop.pay")) != 1 || len(server.Requests()) != 2 {
		t.Errorf("the tools were called %d and %d times, the model %d times", len(w.seen("shop.get")), len(w.seen("shop.pay")), len(server.Requests()))
	}
}

// Without a model, and when the model is of no use, a person answers one question after the other.
func TestAPersonJudgesInTheModelsPlace(t *testing.T) {
	t.Parallel()
	for _, model := range []bool{false, true} {
		w, server := judging(t)
		server.Reply(llmtest.Text("hm"), llmtest.Text("hm"), llmtest.JSON(map[string]any{"q1": verdict(true)}))
		if !model {
			w.model = nil
		}
		w.serve()
		w.saveFlow(judgedFlow())
		r := w.start("judged", nil)
		questions := 2
		if model {
			questions = 1 // the model answers the other one
		}
		for range questions {
			g := w.gate(r.ID)
			if g.Kind != string(history.GateJudge) {
				t.Fatalf("a gate of kind %s", g.Kind)
			}
			a := engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: history.ChoiceYes, Actor: history.Actor{User: "ana"}}
			if _, err := w.engine.Answer(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
		w.ended(r.ID, history.Succeeded)
		if len(w.seen("shop.pay")) != 1 {
			t.Error("the wrong way was taken")
		}
	}
}
