package runner

import (
	"context"
	"fmt"

	"sluice/engine/run"
	"sluice/storage"
)

// Recover continues the runs of an earlier process: tokens without a worker are dispatched again; for claimed ones the machine decides between
// repeating under the same key and asking a person.
func (x *Runner) Recover(ctx context.Context) error {
	leases, err := x.cfg.Store.Leases(ctx)
	if err != nil {
		return fmt.Errorf("list unfinished work: %w", err)
	}
	for _, l := range leases {
		if l.Worker == "" {
			x.cfg.Dispatcher.Enqueue(ItemOf(l))
			continue
		}
		if err := x.HandOn(ctx, l, "crash"); err != nil {
			return err
		}
	}
	if len(leases) > 0 {
		x.cfg.Log.Info("took up unfinished work", "tokens", len(leases))
	}
	return nil
}

// HandOn releases a token for the next worker that claims it, by the same input as after a crash. Several processes may do so at the same time:
// the machine fences all but one of them.
func (x *Runner) HandOn(ctx context.Context, l storage.Lease, reason string) error {
	_, err := x.Transition(ctx, l.Run, run.Lost{At: x.cfg.Now(), Token: l.Token, Epoch: l.Epoch, Reason: reason}, nil)
	if err != nil && !IsAnswer(err) {
		return fmt.Errorf("hand on token %d of run %s: %w", l.Token, l.Run, err)
	}
	return nil
}
