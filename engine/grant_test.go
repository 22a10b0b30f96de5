package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/engine/view"
	"sluice/storage"
)

const digger = `
name: digger
agents: [{id: bot, instructions: Dig., tools: [shop.get], limits: {LIMITS}}]
flow:
  entry: dig
  on_limit: {action: ACTION}
  nodes:
    - {id: dig, type: agent, agent: bot, routes: [{to: end}]}
`

// digging serves a flow whose agent calls a tool in every turn, of a dollar each, and two turns are its limit.
func digging(t *testing.T, database func(ctx context.Context) (storage.Store, error), limits string, action flow.LimitAction) (w *world, server *llmtest.Server, stop func()) {
	t.Helper()
	w = newWorld(t)
	w.database = database
	server = llmtest.New(t)
	w.model = llm.NewOpenAI(llm.OpenAIOptions{
		BaseURL: server.URL, Model: "small", Attempts: 1, Backoff: time.Millisecond, Prices: map[string]llm.Price{"small": {Input: 1e5}},
	})
	w.grace = time.Millisecond
	w.record("shop.get", flow.EffectsOnce)
	stop = w.serve()
	w.save(strings.NewReplacer("LIMITS", limits, "ACTION", string(action)).Replace(digger))
	return w, server, stop
}

// The limit of an agent is granted once more by a person, again and again. What was done is not done again, also after a crash.
func TestAnAgentsLimitIsContinued(t *testing.T) {
	t.Parallel()
	dig := llmtest.Calls(llmtest.Call{Name: "shop__get"})
	for name, c := range map[string]struct {
		limits string
		action flow.LimitAction
		says   string
	}{
		"turns, interrupt":  {"turns: 2", flow.LimitInterrupt, "after 2 turns"},
		"tokens, interrupt": {"tokens: 30", flow.LimitInterrupt, "after 30 tokens"},
		"usd, interrupt":    {"usd: 2", flow.LimitInterrupt, "after 2.0000 USD"},
		"turns, end_path":   {"turns: 2", flow.LimitEndPath, "after 2 turns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, database func(ctx context.Context) (storage.Store, error)) {
				w, server, stop := digging(t, database, c.limits, c.action)
				hold := make(chan struct{})
				defer close(hold)
				server.Reply(dig, dig, dig, dig, llmtest.Reply{Text: "never heard", Wait: hold})
				r := w.start("digger", nil)
				for i, says := range []string{c.says, "after 4"} {
					g := w.gate(r.ID)
					b, err := gate.Decode(g)
					if err != nil || !slices.Equal(b.Opened.Choices, []string{history.ChoiceContinue, history.ChoiceAnswer, history.ChoiceAbort}) {
						t.Fatalf("asked %+v, %v", b.Opened, err)
					}
					if i == 0 && !strings.Contains(b.Opened.Message, says) {
						t.Errorf("asked %q", b.Opened.Message)
					}
					w.answer(g, history.ChoiceContinue)
				}
				w.wait("the fifth question to the model", func(context.Context) (bool, string, error) { return len(server.Requests()) == 5, "", nil })
				stop()
				server.Reply(llmtest.Text("dug"))
				w.serve()
				v := w.ended(r.ID, history.Succeeded)
				if v.Result.Text != "dug" || len(w.seen("shop.get")) != 4 || len(server.Requests()) != 6 || v.Usage.InputTokens != 50 {
					t.Errorf("result %q, %d calls, %d requests, %+v", v.Result.Text, len(w.seen("shop.get")), len(server.Requests()), v.Usage)
				}
			})
		})
	}
}

// A person answers in the place of an agent that has come to its limit; the model is not asked again.
func TestAPersonAnswersForAnAgentAtItsLimit(t *testing.T) {
	t.Parallel()
	w, server, _ := digging(t, nil, "turns: 1", flow.LimitInterrupt)
	server.Reply(llmtest.Calls(llmtest.Call{Name: "shop__get"}))
	r := w.start("digger", nil)
	w.answer(w.gate(r.ID), history.ChoiceAnswer)
	var g storage.Gate
	w.wait("the agent's question", func(ctx context.Context) (bool, string, error) {
		open, err := w.store.Gates(ctx, storage.GateQuery{Run: r.ID, Open: true})
		if len(open) == 0 || open[0].Kind != string(history.GateAgent) {
			return false, "it is not asked", err
		}
		g = open[0]
		return true, "", err
	})
	if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Text: "by hand", Actor: history.Actor{User: "fin"}}); err != nil {
		t.Fatal(err)
	}
	if v := w.ended(r.ID, history.Succeeded); v.Result.Text != "by hand" || v.Result.Model || len(server.Requests()) != 1 {
		t.Errorf("result %q, a model's: %v, after %d requests", v.Result.Text, v.Result.Model, len(server.Requests()))
	}
}

// A service that is away does not stop a run: the step waits, says so, and goes on when the service is back.
func TestAServiceThatIsAwayIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]llmtest.Reply{
		"broken": llmtest.Fail(503), "gone": llmtest.Drop(), "busy for long": {Status: 429, RetryAfter: "600"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, server, _ := digging(t, nil, "turns: 5", flow.LimitInterrupt)
			server.Reply(llmtest.Calls(llmtest.Call{Name: "shop__get"}), down, down, llmtest.Text("dug"))
			r := w.start("digger", nil)
			for try := 1; try <= 2; try++ {
				v := w.until(r.ID, "the wait", func(v *view.View) bool {
					return count(v, "step_failed", nil) == try && !v.Latest("dig").Retry.IsZero() && v.Run.Status == string(history.Waiting)
				})
				x := v.Latest("dig")
				if !x.Error.Away || !strings.Contains(x.Error.Message, strings.TrimSuffix(strings.TrimPrefix(server.URL, "http://"), "/v1")) {
					t.Errorf("it waits for %+v", x.Error)
				}
				if name == "busy for long" && x.Retry.Sub(w.clock.Now()) < 9*time.Minute {
					t.Errorf("the next try is %s, now is %s", x.Retry, w.clock.Now())
				}
				w.clock.Advance(x.Retry.Sub(w.clock.Now()) + time.Millisecond)
			}
			v := w.ended(r.ID, history.Succeeded)
			if v.Result.Text != "dug" || len(w.seen("shop.get")) != 1 || len(server.Requests()) != 4 {
				t.Errorf("result %q, %d calls, %d requests", v.Result.Text, len(w.seen("shop.get")), len(server.Requests()))
			}
		})
	}
}
