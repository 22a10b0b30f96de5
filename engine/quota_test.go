package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/calendar"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/llm/llmtest"
	"sluice/storage"
)

// talkative asks a model, and notes why it may not.
const talkative = `
name: talkative
agents: [{id: bot, instructions: Say something.}]
flow:
  entry: ask
  nodes:
    - {id: ask, type: agent, agent: bot, on_error: [{match: QuotaError, to: poor}], routes: [{to: end}]}
    - {id: poor, type: tool, tool: shop.note, params: {why: "{{error.message}}"}, routes: [{to: end}]}
`

// limited serves with two providers: at the first one a person may use so much in a day, at the other anything.
func limited(t *testing.T, database func(ctx context.Context) (storage.Store, error), most llm.Quota) (*world, *llmtest.Server) {
	t.Helper()
	w := newWorld(t)
	w.database = database
	server := llmtest.New(t)
	server.Script(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: "something", Input: 80, Output: 20} })
	one := func(name string, q llm.Quota) llm.Provider {
		return llm.Provider{
			OpenAIOptions: llm.OpenAIOptions{Name: name, BaseURL: server.URL, Model: "small", Attempts: 1, Prices: map[string]llm.Price{"small": {Input: 1e4, Output: 1e4}}},
			PerDay:        q,
		}
	}
	var err error
	if w.model, err = llm.NewProviders(one("main", most), one("free", llm.Quota{})); err != nil {
		t.Fatal(err)
	}
	w.calendar = calendar.Usual(time.FixedZone("far east", 11*3600))
	w.grace, w.drafts = time.Millisecond, "free"
	w.record("shop.note", "idempotent")
	return w, server
}

// What drafts and runs use counts together, for each person, provider and day, and survives a restart.
func TestAPersonsDayBoundsDraftsAndRuns(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]llm.Quota{"tokens": {Tokens: 250}, "usd": {USD: 2.5}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, database func(ctx context.Context) (storage.Store, error)) {
				personsDay(t, database, most)
			})
		})
	}
}

func personsDay(t *testing.T, database func(ctx context.Context) (storage.Store, error), most llm.Quota) {
	w, server := limited(t, database, most)
	stop := w.serve()
	w.save(talkative)
	draft := func(person, model string) error {
		_, err := w.engine.Drafter(person).Chat(t.Context(), llm.Request{Model: model, Messages: []llm.Message{{Role: llm.RoleUser, Text: "x"}}})
		return err
	}
	for _, model := range []string{"main", "main/small", "", "free/small"} { // 200 tokens of main; drafts are made by the other one
		if err := draft("ana", model); err != nil {
			t.Fatal(err)
		}
	}
	w.ended(w.start("talkative", nil).ID, history.Succeeded) // 300
	stop()
	w.serve()
	e, ok := errors.AsType[*llm.Error](draft("ana", "main"))
	if !ok || e.Type != llm.QuotaError || !e.Permanent {
		t.Fatalf("got %+v", e)
	}
	now := w.clock.Now().In(w.calendar.Zone)
	next := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 1, 0, now.Location())
	for _, part := range []string{"you have used 3", `provider "main" today`, "wait until " + next.Format("2 January 2006"), "per_person_and_day"} {
		if !strings.Contains(e.Message, part) {
			t.Errorf("%q is not in %q", part, e.Message)
		}
	}
	for _, err := range []error{draft("ana", "free"), draft("ben", "main")} { // another provider, another person
		if err != nil {
			t.Error(err)
		}
	}
	asked := len(server.Requests())
	w.ended(w.start("talkative", nil).ID, history.Succeeded)
	notes := w.seen("shop.note")
	if len(notes) != 1 || !strings.Contains(notes[0].Params["why"].(string), "the person who started this run (ana) has used 3") {
		t.Errorf("the run was told %+v", notes)
	}
	if n := len(server.Requests()); n != asked {
		t.Errorf("the model was asked %d times more", n-asked)
	}
	w.clock.Advance(next.Sub(w.clock.Now()))
	if err := draft("ana", "main"); err != nil {
		t.Errorf("the next day: %v", err)
	}
}

// A budget on a model without a price is no budget: the step says so before anything is spent.
func TestABudgetNeedsAPrice(t *testing.T) {
	t.Parallel()
	w, server := spending(t, nil)
	w.serve()
	w.save(strings.NewReplacer("instructions: Say something.", "instructions: Say something., model: other", "match: BudgetError", "match: PriceError").Replace(chatty))
	w.ended(w.start("chatty", nil).ID, history.Succeeded)
	notes := w.seen("shop.note")
	if len(notes) != 1 || !strings.Contains(notes[0].Params["why"].(string), "budget.usd_per_month cannot be kept: no price is known for the model other") {
		t.Errorf("the run was told %+v", notes)
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
	if _, known := w.engine.Priced("other"); known {
		t.Error("the price of the other model is known")
	}
	if name, known := engine.New(engine.Config{}).Priced("any"); !known || name != "any" {
		t.Error("without a model something has a price")
	}
}
