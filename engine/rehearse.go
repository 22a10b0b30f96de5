package engine

import (
	"context"
	"time"
)

// rehearsalsMost is how many trials and replays this process computes at the same time: each keeps a processor busy, and holds whole
// histories in memory, while runs go on beside it. Who finds no place waits for one this long.
const (
	rehearsalsMost     = 2
	rehearsalsPatience = 5 * time.Second
)

// rehearse takes a place for a trial or a replay until leave is called. Errors: *UserError when none was free in time.
func (e *Engine) rehearse(ctx context.Context) (leave func(), err error) {
	leave = func() { <-e.rehearsals }
	select {
	case e.rehearsals <- struct{}{}:
		return leave, nil
	default:
	}
	wait := time.NewTimer(rehearsalsPatience)
	defer wait.Stop()
	select {
	case e.rehearsals <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
		return nil, &UserError{
			Code: "busy", Text: "Others are trying flows out or replaying runs just now.", Hint: "Nothing was tried: ask again in a minute.",
		}
	}
}
