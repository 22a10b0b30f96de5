package engine_test

import (
	"context"
	"time"

	"sluice/engine/history"
	"sluice/engine/view"
	"sluice/storage"
)

// limit is how long a test waits for something that must happen, on a machine that is busy with much else.
const limit = 2 * time.Minute

// wait waits until ok; what it waits for, and how far things are, is told when it never comes.
func (w *world) wait(what string, ok func(context.Context) (done bool, sofar string, err error)) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for {
		done, sofar, err := ok(ctx)
		switch {
		case done && err == nil:
			return
		case ctx.Err() != nil:
			w.t.Fatalf("%s: it never became: %s (%v)", sofar, what, err)
		case err != nil:
			w.t.Fatal(err)
		}
		select {
		case <-w.moved:
		case <-time.After(100 * time.Millisecond): // a signal may have been taken by an earlier wait
		case <-ctx.Done():
		}
	}
}

// until waits for a run to satisfy a condition.
func (w *world) until(id string, what string, ok func(*view.View) bool) (v *view.View) {
	w.t.Helper()
	w.wait(what, func(ctx context.Context) (bool, string, error) {
		next, err := w.engine.View(ctx, id)
		if err != nil {
			return false, "the run cannot be viewed", err
		}
		v = next
		return ok(v), "the run is " + v.Run.Status, nil
	})
	return v
}

// row waits for a run's row to satisfy a condition: that costs the same however many facts there are.
func (w *world) row(id string, what string, ok func(storage.Run) bool) {
	w.t.Helper()
	w.wait(what, func(ctx context.Context) (bool, string, error) {
		r, err := w.store.Run(ctx, id)
		return err == nil && ok(r), "the run is " + r.Status, err
	})
}

func (w *world) ended(id string, status history.Status) *view.View {
	w.t.Helper()
	w.row(id, string(status), func(r storage.Run) bool { return r.Status == string(status) })
	return w.until(id, string(status), func(v *view.View) bool { return v.Run.Status == string(status) })
}

// gate waits for a run's open gate.
func (w *world) gate(id string) (g storage.Gate) {
	w.t.Helper()
	w.wait("a gate is open", func(ctx context.Context) (bool, string, error) {
		open, err := w.store.Gates(ctx, storage.GateQuery{Run: id, Open: true})
		if len(open) == 0 {
			return false, "no gate is open", err
		}
		g = open[0]
		return true, "", err
	})
	return g
}
