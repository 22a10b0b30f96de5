package timer_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"sluice/engine/history"
	"sluice/engine/outage"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/engine/timer"
	"sluice/storage"
)

// printer shows which timers come to which runs, and ends after the first.
type printer struct{ end context.CancelFunc }

func (p printer) Transition(_ context.Context, id string, in run.Input, _ func(*storage.Batch)) (*runner.Moved, error) {
	fmt.Printf("%s: timer %d fires\n", id, in.(run.Fired).ID)
	p.end()
	return nil, nil
}

// A loop fires the timers of a store that are due, and feeds each to its run.
func ExampleLoop_Run() {
	ctx, cancel := context.WithCancel(context.Background())
	store := &rows{left: []storage.Timer{{Run: "refund-217", Num: 4, Kind: string(history.TimerWait), Due: time.Now()}}}
	timer.New(timer.Config{
		Store: store, Clock: clock{}, Runner: printer{cancel}, Outage: outage.New(slog.New(slog.DiscardHandler)), Log: slog.New(slog.DiscardHandler),
		Hook:      func(runner.Position) {},
		Signals:   func(context.Context, storage.Timer) (bool, error) { return false, nil },
		Schedules: func(context.Context) (bool, error) { return true, nil },
		Forget:    func(_ context.Context, last time.Time) (time.Time, error) { return last, nil },
	}, timer.NewWake()).Run(ctx)
	// Output: refund-217: timer 4 fires
}
