package engine

import (
	"context"

	"sluice/storage"
)

// Held says how many runs are kept in memory.
func (e *Engine) Held() int { return e.runner.Held() }

// Fire hands a claimed timer to its run.
func (e *Engine) Fire(ctx context.Context, t storage.Timer) error { return e.loop.Fire(ctx, t) }

// FireSchedule deals with a schedule that was found to be due.
func (e *Engine) FireSchedule(ctx context.Context, s storage.Schedule) error {
	return e.firer.Fire(ctx, s, e.Now())
}

// FireSchedules deals once with all schedules that are due.
func (e *Engine) FireSchedules(ctx context.Context) error {
	_, err := e.firer.FireDue(ctx)
	return err
}
