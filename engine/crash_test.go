package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/view"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

// mortal is a store as a process has it until it is killed: from then on nothing of what the process does is stored.
type mortal struct {
	storage.Store
	dead  atomic.Bool
	final bool // nothing is tried again, as it is while a database is away
}

func (m *mortal) gone() error {
	switch {
	case !m.dead.Load():
		return nil
	case m.final:
		return fmt.Errorf("killed: %w", storage.ErrNotFound)
	default:
		return fmt.Errorf("killed: %w", storage.ErrUnavailable)
	}
}

func (m *mortal) Write(ctx context.Context, b *storage.Batch) error {
	if err := m.gone(); err != nil {
		return err
	}
	return m.Store.Write(ctx, b)
}

func (m *mortal) Claim(ctx context.Context, id string, token, epoch int, worker string, now time.Time) (bool, error) {
	if err := m.gone(); err != nil {
		return false, err
	}
	return m.Store.Claim(ctx, id, token, epoch, worker, now)
}

func (m *mortal) ClaimTimers(ctx context.Context, worker string, now time.Time, hold time.Duration, limit int) ([]storage.Timer, error) {
	if err := m.gone(); err != nil {
		return nil, err
	}
	return m.Store.ClaimTimers(ctx, worker, now, hold, limit)
}

// family is a run that waits for its child, which tells of an event that the run waits for as well.
const family = `
name: family
flow:
  entry: both
  nodes:
    - {id: both, type: parallel, branches: [{to: ask}, {to: hear}], routes: [{to: note}]}
    - {id: ask, type: subflow, flow: kid, inputs: {n: 42}, routes: [{to: end}]}
    - {id: hear, type: wait, event: "ready {{run.name}}", routes: [{to: end}]}
    - {id: note, type: tool, tool: shop.note, params: {n: "{{ask.result.n}}", from: "{{hear.result.from}}"}, routes: [{to: end}]}
`

const kid = `
name: kid
inputs: {n: {type: number}}
flow:
  entry: tell
  nodes:
    - {id: tell, type: emit, event: "ready {{event.payload.run}}", payload: {from: kid}, routes: [{to: pay}]}
    - {id: pay, type: tool, tool: shop.pay, params: {n: "{{inputs.n}}"}, routes: [{to: done}]}
    - {id: done, type: terminal, output: {n: "{{inputs.n}}"}}
`

// killedAt lets a process die the n-th time that it passes a position, and another one take over. It gives how often the positions were
// passed, and whether the first process died.
func killedAt(t *testing.T, n int64, database func(ctx context.Context) (storage.Store, error)) (passed int64, died bool) {
	t.Helper()
	w := newWorld(t)
	w.record("shop.pay", flow.EffectsIdempotent)
	w.record("shop.note", flow.EffectsIdempotent)
	w.grace = time.Millisecond
	var count atomic.Int64
	var process atomic.Pointer[mortal]
	armed := false
	w.database = func(ctx context.Context) (storage.Store, error) {
		s, err := database(ctx)
		m := &mortal{Store: s}
		process.Store(m)
		return m, err
	}
	w.hook = func(string) {
		if armed && count.Add(1) == n {
			process.Load().dead.Store(true)
			w.Wake()
		}
	}
	stop := w.serve()
	w.save(kid)
	w.save(family)
	armed = true
	start := engine.StartRequest{Flow: "family", Actor: history.Actor{User: "ana", Via: history.ViaCLI}}
	s, err := w.engine.Start(t.Context(), start)
	if err != nil && !process.Load().dead.Load() {
		t.Fatal(err)
	}
	first := process.Load()
	if err == nil {
		w.until(s.Run.ID, "the end, or death", func(v *view.View) bool {
			return v.Run.Status == string(history.Succeeded) || first.dead.Load()
		})
	}
	if died = first.dead.Load(); died {
		stop()
		w.clock.Advance(31 * time.Second) // what the dead had claimed is handed out again
		w.serve()
		if err != nil {
			if s, err = w.engine.Start(t.Context(), start); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.whole(s.Run.ID)
	return count.Load(), died
}

// whole checks that the family came to its end, everything in it having happened once.
func (w *world) whole(id string) {
	w.t.Helper()
	w.ended(id, history.Succeeded)
	children, err := w.store.Runs(w.t.Context(), storage.RunQuery{Parent: id})
	if err != nil || len(children) != 1 || children[0].Status != string(history.Succeeded) {
		w.t.Errorf("the children are %+v, %v", children, err)
	}
	for _, name := range []string{"shop.pay", "shop.note"} {
		keys := map[string]bool{}
		for _, c := range w.seen(name) {
			keys[c.Key] = true
			if c.Params["n"] != 42.0 || name == "shop.note" && c.Params["from"] != "kid" {
				w.t.Errorf("%s was called with %v", name, c.Params)
			}
		}
		if len(keys) != 1 {
			w.t.Errorf("%s was done under %d keys", name, len(keys))
		}
	}
	w.folds(id)
	for _, c := range children {
		w.folds(c.ID)
	}
	w.nothingDue()
}

// A kill at any position, also between a parent's commit and the start of its child, or between the end of the child and its parent's
// hearing of it, loses nothing and does nothing twice.
func TestAKillAnywhereInAFamily(t *testing.T) {
	t.Parallel()
	for kind, database := range map[string]func(t *testing.T) func(ctx context.Context) (storage.Store, error){
		"sqlite": func(t *testing.T) func(ctx context.Context) (storage.Store, error) {
			path := filepath.Join(t.TempDir(), "sluice.db")
			return func(ctx context.Context) (storage.Store, error) { return sqlite.Open(ctx, path) }
		},
		"postgres": func(t *testing.T) func(ctx context.Context) (storage.Store, error) {
			address := pgtest.URL(t)
			return func(ctx context.Context) (storage.Store, error) { return postgres.Open(ctx, address) }
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			positions, _ := killedAt(t, 0, database(t))
			if positions < 20 {
				t.Fatalf("only %d positions were passed", positions)
			}
			deaths, tried := 0, 0
			every := map[string]int64{"sqlite": 1, "postgres": 4}[kind] // a database of its own for each is what takes its time there
			for n := int64(1); n <= positions; n += every {
				tried++
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					if _, died := killedAt(t, n, database(t)); died {
						deaths++
					}
				})
			}
			if deaths < tried*3/4 {
				t.Errorf("%d of %d processes died", deaths, tried)
			}
		})
	}
}
