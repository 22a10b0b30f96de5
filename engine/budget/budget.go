// Package budget keeps what flows and people spend on models within their limits: it adds up what facts tell of, in the transaction that
// stores them, and refuses a turn of a model that the limits do not allow.
//
// The package asks no model by itself and knows no run. Look next at engine/llm for prices and terms of models.
package budget

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/outage"
	"sluice/storage"
)

// BudgetError is the type of the error of a step that may not ask a model any more this month.
const BudgetError = "BudgetError"

// Store is the part of the store that has what was spent.
type Store interface {
	Spent(ctx context.Context, flow, month string) (float64, error)
	Used(ctx context.Context, person, day, provider string) (storage.ModelUse, error)
	Write(ctx context.Context, b *storage.Batch) error
}

// Meter counts what models cost. Model may be nil: then nothing is spent.
type Meter struct {
	Store      Store
	Model      llm.Model
	DraftModel string         // the model of drafts; empty = the default one
	Zone       *time.Location // whose months and days count
	Now        func() time.Time
	Outage     *outage.Watch
}

// repeat repeats a call of the database until it takes it.
func (m *Meter) repeat(ctx context.Context, call func() error) error {
	return m.Outage.Repeat(ctx, call, func(error) bool { return false })
}

// month names the calendar month of a time in the installation's zone, day its day.
func (m *Meter) month(at time.Time) string { return at.In(m.Zone).Format("2006-01") }

func (m *Meter) day(at time.Time) string { return at.In(m.Zone).Format(time.DateOnly) }

// Fill adds what facts say was used of models to what the run's flow has spent, and to what the person who started the run has
// used, in the transaction that stores the facts.
func (m *Meter) Fill(b *storage.Batch, facts []history.Fact) {
	for _, f := range facts {
		var used *history.Usage
		switch body := f.Body.(type) {
		case *history.CallFinished:
			used = body.Usage
		case *history.StepFinished:
			used = body.Usage
		case *history.Judged:
			used = body.Usage
		case *history.LateResult:
			used = body.Usage
		}
		if used != nil {
			b.Use = append(b.Use, m.use(b.Run.Run.By, f.At, llm.Usage{Model: used.Model, Input: used.InputTokens, Output: used.OutputTokens, USD: used.USD})...)
		}
		if used != nil && used.USD > 0 {
			b.Spend = append(b.Spend, storage.Spend{Flow: b.Run.Run.Flow, Month: m.month(f.At), USD: used.USD})
		}
	}
}

// use is what a person has used by a turn, if the model's provider has limits for people.
func (m *Meter) use(person string, at time.Time, u llm.Usage) []storage.ModelUse {
	terms := llm.TermsOf(m.Model, u.Model)
	if person == "" || terms.PerDay == (llm.Quota{}) {
		return nil
	}
	return []storage.ModelUse{{Person: person, Day: m.day(at), Provider: terms.Provider, Tokens: u.Tokens(), USD: u.USD}}
}

// Priced gives the full name of a model and whether its price is known; empty is the default model. Without any model every price is
// known: nothing is spent.
func (m *Meter) Priced(model string) (name string, known bool) {
	if m.Model == nil {
		return model, true
	}
	terms := llm.TermsOf(m.Model, model)
	return terms.Model, terms.Price != nil
}

// Drafter is the model as a person may use it for drafts: each turn counts for the person's day, and is refused with a QuotaError when
// the day's limit is reached. nil = no model is configured.
func (m *Meter) Drafter(person string) llm.Model {
	if m.Model == nil {
		return nil
	}
	return &metered{Model: m.Model, meter: m, name: m.DraftModel, person: person, whose: "you have", drafts: true}
}

// metered is a model that is asked only while the limits of a flow and of a person allow it. What is under way at the same time is not
// known yet: a limit can be passed by a turn of each.
type metered struct {
	llm.Model
	meter  *Meter
	f      *flow.Flow // nil = it belongs to no flow
	name   string     // of the model that is asked when a request names none
	person string     // "" = no person
	whose  string     // has used it, in words
	drafts bool       // turns are counted here; those of runs are counted with the facts that tell of them
}

// For gives the model for a run of a flow that a person started; nil = there is none.
func (m *Meter) For(f *flow.Flow, person string) llm.Model {
	if m.Model == nil {
		return nil
	}
	return &metered{Model: m.Model, meter: m, f: f, person: person, whose: "the person who started this run (" + person + ") has"}
}

// Terms says what holds for a model.
func (m *metered) Terms(model string) llm.Terms { return llm.TermsOf(m.Model, cmp.Or(model, m.name)) }

// Chat asks the model, if it may be asked.
func (m *metered) Chat(ctx context.Context, r llm.Request) (llm.Response, error) {
	r.Model = cmp.Or(r.Model, m.name)
	terms := m.Terms(r.Model)
	if err := m.budget(ctx, terms); err != nil {
		return llm.Response{}, err
	}
	if err := m.quota(ctx, terms); err != nil {
		return llm.Response{}, err
	}
	res, err := m.Model.Chat(ctx, r)
	if use := m.meter.use(m.person, m.meter.Now(), res.Usage); err == nil && m.drafts && len(use) > 0 {
		counted := context.WithoutCancel(ctx) // it has been paid for
		err = m.meter.repeat(counted, func() error { return m.meter.Store.Write(counted, &storage.Batch{Use: use}) })
	}
	return res, err
}

// budget is the error of a flow that has spent what it may in the month.
func (m *metered) budget(ctx context.Context, terms llm.Terms) error {
	if m.f == nil || m.f.Budget.USDPerMonth <= 0 {
		return nil
	}
	if terms.Price == nil {
		return unpriced("budget.usd_per_month", terms)
	}
	now, most := m.meter.Now(), m.f.Budget.USDPerMonth
	var spent float64
	err := m.meter.repeat(ctx, func() (err error) {
		spent, err = m.meter.Store.Spent(ctx, m.f.Name, m.meter.month(now))
		return err
	})
	if err != nil {
		return fmt.Errorf("look at the budget of %s: %w", m.f.Name, err)
	}
	if spent < most {
		return nil
	}
	here := now.In(m.meter.Zone)
	return refused(BudgetError, "runs of %s have spent %.2f USD on models in %s, and may spend %.2f (budget.usd_per_month): wait until %s, or raise the budget",
		m.f.Name, spent, here.Format("January 2006"), most, time.Date(here.Year(), here.Month()+1, 1, 0, 0, 0, 0, here.Location()).Format("2 January 2006"))
}

// quota is the error of a person who has used what a person may in a day.
func (m *metered) quota(ctx context.Context, terms llm.Terms) error {
	if m.person == "" || terms.PerDay == (llm.Quota{}) {
		return nil
	}
	if terms.PerDay.USD > 0 && terms.Price == nil {
		return unpriced(fmt.Sprintf("the limit of the model provider %q in USD per person and day", terms.Provider), terms)
	}
	now := m.meter.Now()
	var used storage.ModelUse
	err := m.meter.repeat(ctx, func() (err error) {
		used, err = m.meter.Store.Used(ctx, m.person, m.meter.day(now), terms.Provider)
		return err
	})
	if err != nil {
		return fmt.Errorf("look at what %s has used: %w", m.person, err)
	}
	here := now.In(m.meter.Zone)
	until := time.Date(here.Year(), here.Month(), here.Day()+1, 0, 0, 0, 0, here.Location()).Format("2 January 2006, 15:04 MST")
	const words = "%s used %s of the model provider %q today, and a person may use %s in a day: wait until %s, or ask an operator to raise per_person_and_day in SLUICE_MODELS"
	switch most := terms.PerDay; {
	case most.Tokens > 0 && used.Tokens >= most.Tokens:
		return refused(llm.QuotaError, words, m.whose, fmt.Sprintf("%d tokens", used.Tokens), terms.Provider, fmt.Sprint(most.Tokens), until)
	case most.USD > 0 && used.USD >= most.USD:
		return refused(llm.QuotaError, words, m.whose, fmt.Sprintf("%.2f USD", used.USD), terms.Provider, fmt.Sprintf("%.2f", most.USD), until)
	}
	return nil
}

func refused(kind, format string, args ...any) *llm.Error {
	return &llm.Error{Type: kind, Permanent: true, Message: fmt.Sprintf(format, args...)}
}

// unpriced is the error of a limit that could never be kept.
func unpriced(limit string, terms llm.Terms) *llm.Error {
	return refused(llm.PriceError, "%s cannot be kept: no price is known for the model %s. An operator can give it in SLUICE_MODELS", limit, terms.Model)
}
