package engine

import (
	"context"
	"time"
)

// trialsMost is how many trials and replays this process computes at the same time: each keeps a processor busy, and whole histories in
// memory, while runs go on beside it. A trial that finds no free slot waits this long.
const (
	trialsMost    = 2
	trialPatience = 5 * time.Second
)

// reserveTrial takes a slot for a trial or a replay until leave is called. Errors: *UserError when none was free in time.
func (e *Engine) reserveTrial(ctx context.Context) (leave func(), err error) {
	leave = func() { <-e.trials }
	select {
	case e.trials <- struct{}{}:
		return leave, nil
	default:
	}
	wait := time.NewTimer(trialPatience)
	defer wait.Stop()
	select {
	case e.trials <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
		return nil, &UserError{
			Code: "busy", Text: "Others are trying flows out or replaying runs just now.", Hint: "Nothing was tried: ask again in a minute.",
		}
	}
}
