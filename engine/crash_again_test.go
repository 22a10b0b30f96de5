package engine_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/view"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// meddled lets a process die the n-th time that it passes a position while a person does something to a run that waits. Another one
// takes over, and the person does it again if it is not done. It gives how often the positions were passed.
func meddled(t *testing.T, n int64, do func(w *world, id string) error, done func(w *world, id string) bool) (w *world, id string, passed int64) {
	t.Helper()
	w = newWorld(t)
	w.record("shop.look", flow.EffectsRead)
	w.record("shop.pay", flow.EffectsOnce)
	w.record("shop.mail", flow.EffectsIdempotent)
	w.grace = time.Millisecond
	path := filepath.Join(t.TempDir(), "sluice.db")
	var count atomic.Int64
	var armed atomic.Bool
	var process atomic.Pointer[mortal]
	w.database = func(ctx context.Context) (storage.Store, error) {
		s, err := sqlite.Open(ctx, path)
		m := &mortal{Store: s}
		process.Store(m)
		return m, err
	}
	w.hook = func(string) {
		if armed.Load() && count.Add(1) == n {
			process.Load().dead.Store(true)
			w.Wake()
		}
	}
	stop := w.serve()
	w.saveAs(1, paying)
	id = w.start("pays", nil).ID
	w.gate(id)
	w.saveAs(2, strings.Replace(paying, "paid {{", "really paid {{", 1))
	armed.Store(true)
	err := do(w, id)
	first := process.Load()
	if err != nil && !first.dead.Load() {
		t.Fatal(err)
	}
	if !first.dead.Load() {
		w.settled(first)
	}
	armed.Store(false)
	if first.dead.Load() {
		stop()
		w.clock.Advance(31 * time.Second) // what the dead had claimed is handed out again
		w.serve()
		if !done(w, id) {
			if err := do(w, id); err != nil {
				t.Fatalf("after position %d: %v", n, err)
			}
		}
	}
	return w, id, count.Load()
}

// settled waits until every run waits for people, or the process is dead.
func (w *world) settled(process *mortal) {
	w.t.Helper()
	for _, r := range w.all() {
		w.until(r.ID, "a question, or death", func(v *view.View) bool { return v.Run.Status == string(history.Waiting) || process.dead.Load() })
	}
}

func (w *world) all() []storage.Run {
	w.t.Helper()
	rows, err := w.store.Runs(w.t.Context(), storage.RunQuery{Flow: "pays"})
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}

// everyKill tries a kill at each position that is passed.
func everyKill(t *testing.T, do func(w *world, id string) error, done func(w *world, id string) bool, check func(w *world, id string)) {
	t.Helper()
	_, _, positions := meddled(t, 0, do, done)
	if positions < 2 {
		t.Fatalf("only %d positions were passed", positions)
	}
	for n := range positions + 1 {
		w, id, _ := meddled(t, n, do, done)
		check(w, id)
	}
}

// A kill while a run is forked leaves a whole fork or none, and what is kept is not done again.
func TestAKillAtAFork(t *testing.T) {
	t.Parallel()
	everyKill(t, func(w *world, id string) error {
		_, err := w.engine.Fork(t.Context(), id, engine.ForkPoint{Node: "look"}, []string{"mail"}, ana)
		return err
	}, func(w *world, _ string) bool { return len(w.all()) > 1 }, func(w *world, _ string) {
		rows := w.all()
		if len(rows) != 2 {
			w.t.Fatalf("there are %d runs", len(rows))
		}
		for _, r := range rows {
			w.gate(r.ID)
			w.folds(r.ID)
		}
		keys := map[string]bool{}
		for _, c := range w.seen("shop.mail") {
			keys[c.Key] = true
		}
		if pays := len(w.seen("shop.pay")); pays != 1 || len(keys) != 4 {
			w.t.Errorf("%d pays, mails under %d keys", pays, len(keys))
		}
	})
}

// A kill while a run goes over to another revision leaves it on the one or on the other, with one open question.
func TestAKillAtAMove(t *testing.T) {
	t.Parallel()
	everyKill(t, func(w *world, id string) error {
		return w.engine.Move(t.Context(), id, 2, ana)
	}, func(w *world, id string) bool {
		r, err := w.store.Run(t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		return r.Revision == 2
	}, func(w *world, id string) {
		g := w.gate(id)
		body, err := gate.Decode(g)
		if err != nil || !strings.HasPrefix(body.Opened.Message, "really paid") {
			w.t.Errorf("the question is %+v, %v", body.Opened, err)
		}
		v, err := w.engine.View(t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		if on := history.Revisions(v.Facts); len(on) != 2 || v.Run.Revision != 2 {
			w.t.Errorf("it was on the revisions %v, and is on %d", on, v.Run.Revision)
		}
		w.folds(id)
		if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Actor: ana, Choice: "approve"}); err != nil {
			w.t.Error(err)
		}
		w.ended(id, history.Succeeded)
		if pays := len(w.seen("shop.pay")); pays != 1 {
			w.t.Errorf("%d pays", pays)
		}
	})
}
