package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/run"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

// benchmarked opens an engine on a durable store, with a tool that does nothing.
func benchmarked(b *testing.B, database string) (*engine.Engine, storage.Store, *ends) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	store, err := openBench(ctx, b, database)
	if err != nil {
		b.Fatal(err)
	}
	tools, err := tool.New(tool.Tool{Name: "no.op", Description: "nothing", Effects: flow.EffectsRead, Call: func(context.Context, tool.Call) (tool.Result, error) {
		return tool.Result{}, nil
	}})
	if err != nil {
		b.Fatal(err)
	}
	seen := &ends{waiting: map[string]chan struct{}{}}
	e := engine.New(engine.Config{Store: store, Tools: tools, Dispatcher: local.New(local.Options{Workers: 64}), Surfaces: seen, Worker: "bench"})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = e.Serve(ctx)
	}()
	b.Cleanup(func() {
		cancel()
		<-done
		_ = store.Close()
	})
	f := chain(10)
	lock, err := json.Marshal(engine.Lock(f, tools))
	if err != nil {
		b.Fatal(err)
	}
	err = store.Write(ctx, &storage.Batch{
		Flow:     &storage.Flow{Name: f.Name, Head: 1, Updated: time.Now()},
		Revision: &storage.Revision{Flow: f.Name, Number: 1, Hash: flow.Hash(f), LockHash: "bench", Body: flow.Canonical(f), Lock: lock, At: time.Now()},
	})
	if err != nil {
		b.Fatal(err)
	}
	return e, store, seen
}

func openBench(ctx context.Context, b *testing.B, database string) (storage.Store, error) {
	if database == storage.Postgres {
		return postgres.Open(ctx, pgtest.DurableURL(b))
	}
	return sqlite.Open(ctx, filepath.Join(b.TempDir(), "sluice.db"))
}

// chain is a flow of n steps, one after the other.
func chain(n int) *flow.Flow {
	var src strings.Builder
	src.WriteString("name: chain\nflow:\n  entry: s0\n  nodes:\n")
	for i := range n {
		next := fmt.Sprintf("s%d", i+1)
		if i == n-1 {
			next = flow.End
		}
		fmt.Fprintf(&src, "    - {id: s%d, type: tool, tool: no.op, routes: [{to: %s}]}\n", i, next)
	}
	doc, _ := flow.Parse("chain.yaml", []byte(src.String()))
	return doc.Flow
}

// ends tells when runs have ended.
type ends struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}
}

func (s *ends) channel(id string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[id] == nil {
		s.waiting[id] = make(chan struct{})
	}
	return s.waiting[id]
}

// Transition sees a run's last facts just before they are stored: close enough for a rate over many runs.
func (s *ends) Transition(r storage.Run, facts []run.Fact) ([]storage.Surface, []string) {
	if _, ok := facts[len(facts)-1].Body.(*run.RunEnded); ok {
		close(s.channel(r.ID))
	}
	return nil, nil
}

func (s *ends) Wake() {}

// BenchmarkChain runs chains of ten steps that do nothing, one after the other and 50 at once, beside the raw rate of commits of
// one row on the same store (BenchmarkRawCommit in storage/sqlstore has the yardstick at 32 clients).
func BenchmarkChain(b *testing.B) {
	for _, database := range []string{storage.SQLite, storage.Postgres} {
		for _, atOnce := range []int{1, 50} {
			b.Run(fmt.Sprintf("%s/%d", database, atOnce), func(b *testing.B) {
				e, _, seen := benchmarked(b, database)
				slots := make(chan struct{}, atOnce)
				var all sync.WaitGroup
				b.ResetTimer()
				for range b.N {
					slots <- struct{}{}
					all.Go(func() {
						defer func() { <-slots }()
						s, err := e.Start(b.Context(), engine.StartRequest{Flow: "chain", Actor: run.Actor{User: "bench"}})
						if err != nil {
							b.Error(err)
							return
						}
						<-seen.channel(s.Run.ID)
					})
				}
				all.Wait()
				b.ReportMetric(float64(10*b.N)/b.Elapsed().Seconds(), "steps/s")
			})
		}
	}
}
