package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/budget"
	"sluice/engine/calendar"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/storage"
)

// chatty asks a model, and does something else when it may not.
const chatty = `
name: chatty
agents: [{id: bot, instructions: Say something.}]
budget: {usd_per_month: 2.5}
flow:
  entry: ask
  nodes:
    - {id: ask, type: agent, agent: bot, on_error: [{match: BudgetError, to: poor}, {default: true, to: end}], routes: [{to: end}]}
    - {id: poor, type: tool, tool: shop.note, params: {why: "{{error.message}}"}, routes: [{to: end}]}
`

// spending serves with a model whose every turn costs a dollar.
func spending(t *testing.T, database func(ctx context.Context) (storage.Store, error)) (w *world, server *llmtest.Server) {
	t.Helper()
	w = newWorld(t)
	w.database = database
	server = llmtest.New(t)
	w.model = llm.NewOpenAI(llm.OpenAIOptions{
		BaseURL: server.URL, Model: "small", Attempts: 1, Backoff: time.Millisecond, Name: "main", Prices: map[string]llm.Price{"small": {Input: 1e5}},
	})
	w.grace = time.Millisecond
	server.Script(func(r llmtest.Request) llmtest.Reply { return llmtest.Text("something") })
	w.record("shop.note", flow.EffectsIdempotent)
	w.record("shop.get", flow.EffectsOnce)
	w.record("shop.small", flow.EffectsOnce)
	w.record("shop.pay", flow.EffectsOnce)
	return w, server
}

func TestABudgetBoundsWhatAFlowSpendsInAMonth(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, database func(ctx context.Context) (storage.Store, error)) {
		w, server := spending(t, database)
		zone := time.FixedZone("far east", 11*3600)
		w.calendar = calendar.Usual(zone)
		stop := w.serve()
		w.save(chatty)
		w.save(strings.NewReplacer("name: chatty", "name: other", "budget: {usd_per_month: 2.5}", "").Replace(chatty))
		ask := func(name string) {
			t.Helper()
			w.ended(w.start(name, nil).ID, history.Succeeded)
		}
		asked := func(want int) {
			t.Helper()
			if n := len(server.Requests()); n != want {
				t.Errorf("the model was asked %d times instead of %d", n, want)
			}
		}
		for range 3 { // the third begins below the budget, and passes it
			ask("chatty")
		}
		for range 4 { // which is not that of another flow
			ask("other")
		}
		asked(7)
		stop()
		w.serve() // it is stored
		ask("chatty")
		asked(7)
		now := w.clock.Now().In(zone)
		notes := w.seen("shop.note")
		if len(notes) != 1 || notes[0].Params["why"] == nil {
			t.Fatalf("the error was not caught: %+v", notes)
		}
		why := notes[0].Params["why"].(string)
		if want := "have spent 3.00 USD on models in " + now.Format("January 2006") + ", and may spend 2.50"; !strings.Contains(why, want) {
			t.Errorf("the error is %q", why)
		}
		next := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 1, 0, zone)
		w.clock.Advance(next.Sub(w.clock.Now()))
		ask("chatty")
		asked(8)
	})
}

// What judges asks a model, too. A person is asked in its place, and told why.
func TestABudgetBoundsJudgements(t *testing.T) {
	t.Parallel()
	w, server := spending(t, nil)
	server.Script(func(llmtest.Request) llmtest.Reply {
		return llmtest.JSON(map[string]any{"q1": verdict(true), "q2": verdict(true)})
	})
	w.serve()
	f := judgedFlow()
	f.Budget.USDPerMonth = 1
	w.saveFlow(f)
	w.ended(w.start("judged", nil).ID, history.Succeeded)
	r := w.start("judged", nil)
	w.gate(r.ID)
	v := w.view(r.ID)
	i := slices.IndexFunc(v.Facts, func(f history.Fact) bool { return f.Kind == "gate_opened" })
	if g := v.Facts[i].Body.(*history.GateOpened); g.Kind != history.GateJudge || g.Error == nil || g.Error.Type != budget.BudgetError || !g.Error.Permanent {
		t.Errorf("what is asked: %+v", g)
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	month := w.clock.Now().UTC().Format("2006-01")
	if spent, err := w.store.Spent(t.Context(), "judged", month); err != nil || spent != 1 {
		t.Errorf("%v USD were spent, %v", spent, err)
	}
}
