package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// pages is a store that notes how much it has given at once.
type pages struct {
	storage.Store
	largest atomic.Int64
}

func (p *pages) note(facts []storage.Fact) {
	size := int64(0)
	for _, f := range facts {
		size += int64(len(f.Body))
	}
	p.largest.Store(max(p.largest.Load(), size))
}

func (p *pages) Facts(ctx context.Context, id string, after int64, kinds ...string) ([]storage.Fact, error) {
	facts, err := p.Store.Facts(ctx, id, after, kinds...)
	p.note(facts)
	return facts, err
}

func (p *pages) SomeFacts(ctx context.Context, id string, after int64, limit int, kinds ...string) ([]storage.Fact, error) {
	facts, err := p.Store.SomeFacts(ctx, id, after, limit, kinds...)
	p.note(facts)
	return facts, err
}

// TestAForkHoldsLittleOfTheRun: what is asked about a fork, making it, and a replay read a run in small parts, and the plan of a fork does
// not hold what the run gave. It does not run beside other tests, whose memory it would see.
func TestAForkHoldsLittleOfTheRun(t *testing.T) {
	const items, size, most = 40, 400 << 10, 6 << 20
	store := &pages{}
	w := newWorld(t)
	w.database = func(ctx context.Context) (_ storage.Store, err error) {
		store.Store, err = sqlite.Open(ctx, w.path)
		return store, err
	}
	w.add(tool.Tool{Name: "shop.get", Description: "get", Effects: flow.EffectsRead, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		return tool.Result{Data: strings.Repeat(fmt.Sprint(c.Key, " "), size/len(c.Key))}, nil
	}})
	w.serve()
	f := w.save(`
name: large
inputs: {orders: {type: array}}
flow:
  entry: each
  nodes:
    - {id: each, type: foreach, items: inputs.orders, body: get, max_parallel: 4, routes: [{to: last}]}
    - {id: get, type: tool, tool: shop.get, routes: [{to: end}]}
    - {id: last, type: set, vars: {n: "1"}, routes: [{to: end}]}
`)
	ended := func(id string) {
		w.row(id, "its end", func(r storage.Run) bool { return r.Status == string(history.Succeeded) })
	}
	r := w.start("large", map[string]any{"orders": make([]any, items)})
	ended(r.ID)
	store.largest.Store(0)
	before := heap()
	program, err := w.engine.ForkPlan(t.Context(), r.ID, engine.ForkPoint{Node: "last"})
	if err != nil {
		t.Fatal(err)
	}
	if held := heap(); held > before+most {
		t.Errorf("the plan of a fork of a run that gave %d MiB takes %d MiB", items*size>>20, (held-before)>>20)
	}
	runtime.KeepAlive(program)
	fork, err := w.engine.Fork(t.Context(), r.ID, engine.ForkPoint{Node: "last"}, nil, history.Actor{User: "ana"})
	if err != nil {
		t.Fatal(err)
	}
	ended(fork.ID)
	if all, err := w.engine.Replay(t.Context(), f, 0); err != nil || len(all) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	if got := store.largest.Load(); got > most {
		t.Errorf("of a run that gave %d MiB, %d MiB are read at once", items*size>>20, got>>20)
	}
	w.folds(fork.ID)
}
