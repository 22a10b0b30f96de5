package timer

import (
	"context"
	"time"

	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/storage"
)

const (
	askers   = 4                // gates that are asked about at once
	askMost  = 1000             // gates that wait to be asked about; further ones come again when the claim on their timer ends
	askLimit = 20 * time.Second // a directory that takes longer could not be asked
)

// asker asks who may answer the gates that have been opened.
type asker struct {
	cfg     Config
	waiting chan storage.Timer
}

// run finds out whether anybody may answer the gates that have been opened, until ctx ends. It does so aside from the other timers:
// a directory may take its time. One that cannot be asked closes no gate; it is asked again when the claim on the timer ends.
func (a *asker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-a.waiting:
			if err := a.ask(ctx, t); err != nil && ctx.Err() == nil {
				a.cfg.Log.Warn("it is not known who may answer a gate; asking again later", "run", t.Run, "error", err)
			}
		}
	}
}

func (a *asker) ask(ctx context.Context, t storage.Timer) error {
	asking, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	reason, err := a.unanswerable(asking, t)
	if err != nil {
		return err
	}
	_, err = a.cfg.Runner.Transition(ctx, t.Run, run.Fired{At: a.cfg.Clock.Now(), ID: t.Num, Unanswerable: reason}, nil)
	if runner.IsAnswer(err) {
		return nil
	}
	return err
}

// unanswerable gives the reason why no person may answer the gate that a timer asks about. It is empty when a person may, or when the gate
// is closed.
func (a *asker) unanswerable(ctx context.Context, t storage.Timer) (string, error) {
	row, err := a.cfg.Store.Run(ctx, t.Run)
	if err != nil {
		return "", err
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		return "", err
	}
	tm := st.Timer(t.Num)
	if tm == nil || a.cfg.Unanswerable == nil {
		return "", nil
	}
	g, err := a.cfg.Store.Gate(ctx, gate.ID(t.Run, tm.Gate))
	if err != nil {
		return "", err
	}
	body, err := gate.Decode(g)
	if err != nil {
		return "", err
	}
	return a.cfg.Unanswerable(ctx, row, body)
}
