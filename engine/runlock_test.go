package engine_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
)

const manyGates = `
name: many
flow:
  entry: each
  nodes:
    - {id: each, type: foreach, items: "['a','b','c','d','e','f','g','h','i','j','k','l','m','n','o','p','q','r','s','t','u','v','w','x','y','z','1','2','3','4']", body: ask, max_parallel: 40, routes: [{to: end}]}
    - {id: ask, type: approval, message: "{{item}}?", routes: [{to: end}]}
`

// peer is an engine with a store of its own, as another process has. Nobody performs anything: people answer.
func peer(t *testing.T, address string, wrap func(storage.Store) storage.Store) *engine.Engine {
	t.Helper()
	store, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	s := store
	if wrap != nil {
		s = wrap(store)
	}
	return engine.New(engine.Config{Store: s, Tools: tools, Dispatcher: local.New(local.Options{}), Shared: true, Worker: "peer"})
}

// faster has a rival move the run just before each write that is made without the lock.
type faster struct {
	storage.Store
	rival func()
	lost  atomic.Int32
	locks atomic.Int32
}

func (s *faster) Write(ctx context.Context, b *storage.Batch) error {
	if b.Run != nil {
		s.lost.Add(1)
		s.rival()
	}
	return s.Store.Write(ctx, b)
}

func (s *faster) Lock(ctx context.Context, run string) (storage.Locked, error) {
	s.locks.Add(1)
	return s.Store.Lock(ctx, run)
}

// openGates starts the flow and gives the gates of the run.
func openGates(t *testing.T, e *engine.Engine) (id string, gates []string) {
	t.Helper()
	w := &world{t: t, store: e.Store(), clock: engine.NewClock()}
	var err error
	if w.tools, err = tool.New(); err != nil {
		t.Fatal(err)
	}
	w.engine = e
	w.save(manyGates)
	r := w.start("many", nil)
	open, err := e.Store().Gates(t.Context(), storage.GateQuery{Run: r.ID, Open: true})
	if err != nil || len(open) != 30 {
		t.Fatalf("%d gates are open (%v)", len(open), err)
	}
	for _, g := range open {
		gates = append(gates, g.ID)
	}
	slices.Sort(gates)
	return r.ID, gates
}

func approve(ctx context.Context, e *engine.Engine, gate string) error {
	_, err := e.Answer(ctx, engine.GateAnswer{Gate: gate, Shown: shown(e, gate), Choice: "approve", Actor: history.Actor{User: "ana", Via: history.ViaButton}})
	return err
}

// TestWhoLosesTwiceLocks has another process be faster every time: after the second loss nobody is.
func TestWhoLosesTwiceLocks(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	rival := peer(t, address, nil)
	_, gates := openGates(t, rival)
	var slow *faster
	e := peer(t, address, func(s storage.Store) storage.Store {
		slow = &faster{Store: s}
		return slow
	})
	next := 1
	slow.rival = func() {
		if err := approve(t.Context(), rival, gates[next]); err != nil {
			t.Errorf("the rival: %v", err)
		}
		next++
	}
	if err := approve(t.Context(), e, gates[0]); err != nil {
		t.Fatal(err)
	}
	if slow.lost.Load() != 2 || slow.locks.Load() != 1 {
		t.Errorf("%d tries without the lock, then %d locks; want 2 and 1", slow.lost.Load(), slow.locks.Load())
	}
}

// TestManyProcessesMoveOneRun has six processes answer the gates of one run at the same time.
func TestManyProcessesMoveOneRun(t *testing.T) {
	t.Parallel()
	const processes = 6
	address := pgtest.URL(t)
	first := peer(t, address, nil)
	id, gates := openGates(t, first)
	var wg sync.WaitGroup
	for share := range slices.Chunk(gates, len(gates)/processes) {
		e := peer(t, address, nil)
		wg.Go(func() {
			for _, gate := range share {
				if err := approve(t.Context(), e, gate); err != nil {
					t.Errorf("gate %s: %v", gate, err)
				}
			}
		})
	}
	wg.Wait()
	open, err := first.Store().Gates(t.Context(), storage.GateQuery{Run: id, Open: true})
	if err != nil || len(open) > 0 {
		t.Errorf("%d gates are open (%v)", len(open), err)
	}
	wholeHistory(t, first.Store(), id)
}

// wholeHistory checks that the facts of a run have no gap and end where its state is.
func wholeHistory(t *testing.T, s storage.Store, id string) {
	t.Helper()
	row, err := s.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := s.Facts(t.Context(), id, 0)
	if err != nil || int64(len(facts)) != st.Seq || facts[len(facts)-1].Seq != st.Seq {
		t.Errorf("%d facts, and the state is after %d (%v)", len(facts), st.Seq, err)
	}
}
