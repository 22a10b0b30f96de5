package engine

import (
	"context"
	"fmt"
	"time"

	"sluice/engine/flow"
	"sluice/engine/llm"
	"sluice/engine/run"
	"sluice/storage"
)

// BudgetError is the type of the error of a step that may not ask a model any more this month.
const BudgetError = "BudgetError"

// month names the calendar month of a time in the installation's zone.
func (e *Engine) month(at time.Time) string { return at.In(e.cfg.Calendar.Zone).Format("2006-01") }

// fillSpend adds what facts say was spent on models to what the run's flow has spent, in the transaction that stores the facts.
func (e *Engine) fillSpend(b *storage.Batch, facts []run.Fact) {
	for _, f := range facts {
		var used *run.Usage
		switch body := f.Body.(type) {
		case *run.CallFinished:
			used = body.Usage
		case *run.StepFinished:
			used = body.Usage
		case *run.Judged:
			used = body.Usage
		}
		if used != nil && used.USD > 0 {
			b.Spend = append(b.Spend, storage.Spend{Flow: b.Run.Run.Flow, Month: e.month(f.At), USD: used.USD})
		}
	}
}

// budgeted is a model that is asked only while a flow's budget of the month is not spent.
type budgeted struct {
	llm.Model
	e *Engine
	f *flow.Flow
}

// model gives the model for a flow; nil = there is none.
func (e *Engine) model(f *flow.Flow) llm.Model {
	if e.cfg.Model == nil || f.Budget.USDPerMonth <= 0 {
		return e.cfg.Model
	}
	return &budgeted{Model: e.cfg.Model, e: e, f: f}
}

// Chat asks the model. What is under way at the same time is not known yet: the budget can be passed by a turn of each.
func (m *budgeted) Chat(ctx context.Context, r llm.Request) (llm.Response, error) {
	now, most := m.e.Now(), m.f.Budget.USDPerMonth
	var spent float64
	err := m.e.persist(ctx, func() (err error) {
		spent, err = m.e.cfg.Store.Spent(ctx, m.f.Name, m.e.month(now))
		return err
	})
	if err != nil {
		return llm.Response{}, fmt.Errorf("look at the budget of %s: %w", m.f.Name, err)
	}
	if spent >= most {
		return llm.Response{}, &llm.Error{
			Type: BudgetError, Permanent: true,
			Message: fmt.Sprintf("runs of %s have spent %.2f USD on models in %s, and may spend %.2f (budget.usd_per_month): wait for the next month, or raise the budget",
				m.f.Name, spent, now.In(m.e.cfg.Calendar.Zone).Format("January 2006"), most),
		}
	}
	return m.Model.Chat(ctx, r)
}
