package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

// listen has the tool tell which run it was called for.
func (x *bench) listen() <-chan string {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.begun = make(chan string, 1)
	return x.begun
}

// BenchmarkStart measures from the call of Start to the first step's act.
func BenchmarkStart(b *testing.B) {
	for _, database := range databases {
		b.Run(database, func(b *testing.B) {
			x := newBench(b, database, chain(1))
			begun := x.listen()
			var times []time.Duration
			for b.Loop() {
				from := time.Now()
				id := x.start("chain")
				<-begun
				times = append(times, x.calls[id][0].Sub(from))
				<-x.ends.channel(id)
			}
			spread(b, "first-step", times)
		})
	}
}

// BenchmarkClick measures from a person's answer at a gate to the act of the next node.
func BenchmarkClick(b *testing.B) {
	f := parse("gate", "ask",
		"{id: ask, type: approval, message: May it go on?, routes: [{when: \"approvals.ask == 'approve'\", to: act}]}",
		"{id: act, type: tool, tool: no.op, routes: [{to: end}]}")
	for _, database := range databases {
		b.Run(database, func(b *testing.B) {
			x := newBench(b, database, f)
			begun := x.listen()
			var times []time.Duration
			for b.Loop() {
				id := x.start("gate") // the gate is open when the start is stored
				from := time.Now()
				a := engine.GateAnswer{Gate: gate.ID(id, 1), Shown: shown(x.engine, gate.ID(id, 1)), Choice: "approve", Actor: history.Actor{User: "bench"}}
				if _, err := x.engine.Answer(context.Background(), a); err != nil {
					b.Fatal(err)
				}
				<-begun
				times = append(times, x.calls[id][0].Sub(from))
				<-x.ends.channel(id)
			}
			spread(b, "click", times)
		})
	}
}

// BenchmarkWaiting keeps 10,000 runs waiting at a gate: what they add to the memory in use, and how long a new process needs until it
// takes a step of a new run.
func BenchmarkWaiting(b *testing.B) {
	const waiting, starters = 10_000, 16
	gate := parse("gate", "ask", "{id: ask, type: approval, message: May it go on?, routes: [{to: end}]}")
	for _, database := range databases {
		b.Run(database, func(b *testing.B) {
			x := newBench(b, database, gate, chain(1))
			<-x.ends.channel(x.start("chain"))
			idle := inUse()
			var all sync.WaitGroup
			for range starters {
				all.Go(func() {
					for range waiting / starters {
						x.start("gate")
					}
				})
			}
			all.Wait()
			held := inUse() - idle
			if n := len(must(x.store.Gates(context.Background(), storage.GateQuery{Open: true, Limit: 2 * waiting}))(b)); n != waiting {
				b.Fatalf("%d gates are open", n)
			}
			begun := x.listen()
			var ready time.Duration
			for b.Loop() {
				x.stop()
				from := time.Now()
				x.open()
				id := x.start("chain")
				<-begun
				ready += time.Since(from)
				<-x.ends.channel(id)
			}
			b.ReportMetric(float64(held)/(1<<20), "MiB-held")
			b.ReportMetric(float64(ready.Milliseconds())/float64(b.N), "ready-ms")
		})
	}
}

// inUse is the memory that is reachable, in bytes.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// must fails when something could not be read.
func must[T any](v T, err error) func(tb testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(fmt.Errorf("read: %w", err))
		}
		return v
	}
}
