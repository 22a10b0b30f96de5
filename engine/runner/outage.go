package runner

import (
	"context"
	"errors"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/storage"
)

// IsAnswer reports whether an error is an answer of the machine and not a fault of the database.
func IsAnswer(err error) bool {
	var form *run.FormError
	if errors.As(err, &form) {
		return true
	}
	for _, d := range []error{run.ErrFenced, run.ErrOver, run.ErrNoGate, run.ErrChoice, run.ErrShown, history.ErrVoted, run.ErrNoSuchTimer, run.ErrNoWaiter, storage.ErrNotFound} {
		if errors.Is(err, d) {
			return true
		}
	}
	return false
}

// persist repeats a database call until it succeeds, the machine answers, or the program stops.
func (x *Runner) persist(ctx context.Context, call func() error) error {
	return x.cfg.Outage.Repeat(ctx, call, IsAnswer)
}
