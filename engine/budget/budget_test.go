package budget_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"sluice/engine/budget"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/outage"
	"sluice/storage"
)

// ledger is a store with what was spent and used.
type ledger struct {
	spent float64
	used  storage.ModelUse
	wrote []storage.ModelUse
}

func (l *ledger) Spent(context.Context, string, string) (float64, error) { return l.spent, nil }

func (l *ledger) Used(context.Context, string, string, string) (storage.ModelUse, error) {
	return l.used, nil
}

func (l *ledger) Write(_ context.Context, b *storage.Batch) error {
	l.wrote = append(l.wrote, b.Use...)
	return nil
}

// model answers with ten tokens of each sort, under these terms.
type model struct {
	terms llm.Terms
	asked int
}

func (m *model) Chat(context.Context, llm.Request) (llm.Response, error) {
	m.asked++
	return llm.Response{Usage: llm.Usage{Model: "small", Input: 10, Output: 10}}, nil
}

func (m *model) Terms(string) llm.Terms { return m.terms }

func meter(l *ledger, m llm.Model) *budget.Meter {
	return &budget.Meter{
		Store: l, Model: m, Zone: time.UTC, Outage: outage.New(slog.New(slog.DiscardHandler)),
		Now: func() time.Time { return time.Date(2026, time.March, 31, 23, 0, 0, 0, time.UTC) },
	}
}

var priced = llm.Terms{Model: "small", Provider: "local", Price: &llm.Price{}}

// A flow asks a model until its budget of the month is spent.
func ExampleMeter() {
	l, m := &ledger{}, &model{terms: priced}
	f := &flow.Flow{Name: "digest", Budget: flow.Budget{USDPerMonth: 5}}
	asks := meter(l, m).For(f, "ana")
	_, err := asks.Chat(context.Background(), llm.Request{})
	fmt.Println(m.asked, err)
	l.spent = 5
	_, err = asks.Chat(context.Background(), llm.Request{})
	fmt.Println(m.asked, err)
	// Output:
	// 1 <nil>
	// 1 BudgetError: runs of digest have spent 5.00 USD on models in March 2026, and may spend 5.00 (budget.usd_per_month): wait until 1 April 2026, or raise the budget
}

// A limit that cannot be kept, or is reached, keeps a turn from the model, with the type of the error that a flow can catch.
func TestLimits(t *testing.T) {
	t.Parallel()
	perDay := func(q llm.Quota) llm.Terms { terms := priced; terms.PerDay = q; return terms }
	capped := &flow.Flow{Budget: flow.Budget{USDPerMonth: 1}}
	for name, c := range map[string]struct {
		terms llm.Terms
		used  storage.ModelUse
		f     *flow.Flow
		kind  string
	}{
		"no limit":                     {priced, storage.ModelUse{Tokens: 1e9}, &flow.Flow{}, ""},
		"a budget without a price":     {llm.Terms{Model: "small"}, storage.ModelUse{}, capped, llm.PriceError},
		"a person's limit in USD, too": {llm.Terms{PerDay: llm.Quota{USD: 1}}, storage.ModelUse{}, &flow.Flow{}, llm.PriceError},
		"one token below the limit":    {perDay(llm.Quota{Tokens: 100}), storage.ModelUse{Tokens: 99}, &flow.Flow{}, ""},
		"the tokens of the day":        {perDay(llm.Quota{Tokens: 100}), storage.ModelUse{Tokens: 100}, &flow.Flow{}, llm.QuotaError},
		"the USD of the day":           {perDay(llm.Quota{USD: 2}), storage.ModelUse{USD: 2}, &flow.Flow{}, llm.QuotaError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &model{terms: c.terms}
			_, err := meter(&ledger{used: c.used}, m).For(c.f, "ana").Chat(t.Context(), llm.Request{})
			refused, ok := errors.AsType[*llm.Error](err)
			if ok != (c.kind != "") || ok && (refused.Type != c.kind || !refused.Permanent) || (m.asked == 0) != ok {
				t.Errorf("it gave %v, after %d turns", err, m.asked)
			}
		})
	}
}

// A turn for a draft counts for its person at once; that of a run counts with the fact that tells of it.
func TestWhatCounts(t *testing.T) {
	t.Parallel()
	l, m := &ledger{}, &model{terms: priced}
	m.terms.PerDay.Tokens = 1000
	x := meter(l, m)
	for _, asks := range []llm.Model{x.Drafter("ana"), x.For(&flow.Flow{}, "ana")} {
		if _, err := asks.Chat(t.Context(), llm.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.wrote) != 1 || l.wrote[0] != (storage.ModelUse{Person: "ana", Day: "2026-03-31", Provider: "local", Tokens: 20}) {
		t.Errorf("counted at once: %+v", l.wrote)
	}
	b := &storage.Batch{Run: &storage.RunWrite{Run: storage.Run{Flow: "digest", By: "ana"}}}
	at := time.Date(2026, time.April, 1, 1, 0, 0, 0, time.UTC)
	x.Fill(b, []history.Fact{
		{At: at, Body: &history.StepFinished{Usage: &history.Usage{Model: "small", InputTokens: 3, OutputTokens: 4, USD: 0.5}}},
		{At: at, Body: &history.StepFinished{}},
		{At: at, Body: &history.VarsSet{}},
	})
	if len(b.Spend) != 1 || b.Spend[0] != (storage.Spend{Flow: "digest", Month: "2026-04", USD: 0.5}) {
		t.Errorf("spent: %+v", b.Spend)
	}
	if len(b.Use) != 1 || b.Use[0] != (storage.ModelUse{Person: "ana", Day: "2026-04-01", Provider: "local", Tokens: 7, USD: 0.5}) {
		t.Errorf("used: %+v", b.Use)
	}
}

// Without a model there is nothing to ask, and nothing to pay.
func TestNoModel(t *testing.T) {
	t.Parallel()
	x := meter(&ledger{}, nil)
	name, known := x.Priced("any")
	if x.Drafter("ana") != nil || x.For(&flow.Flow{}, "ana") != nil || name != "any" || !known {
		t.Errorf("a model without a name: %q, %v", name, known)
	}
}
