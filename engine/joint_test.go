package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/run"
	"sluice/engine/tool"
)

// forked is a fork with branches of one step, and a join.
func forked(branches int, join string) string {
	var src strings.Builder
	src.WriteString("name: forked\nflow:\n  entry: fork\n  nodes:\n    - {id: fork, type: parallel, branches: [")
	for i := range branches {
		fmt.Fprintf(&src, "b%d, ", i)
	}
	fmt.Fprintf(&src, "], join: %s, routes: [{to: end}]}\n", join)
	for i := range branches {
		fmt.Fprintf(&src, "    - {id: b%d, type: tool, tool: work.do, params: {n: %d}, routes: [{to: end}]}\n", i, i)
	}
	return src.String()
}

// Steps of one run that end at the same time are stored together, and each of them is stored.
func TestInputsThatMeetShareATransaction(t *testing.T) {
	t.Parallel()
	const branches = 60
	var all sync.WaitGroup
	all.Add(branches)
	w := newWorld(t)
	w.add(tool.Tool{Name: "work.do", Description: "waits for the others", Effects: flow.EffectsOnce, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		all.Done()
		all.Wait()
		return tool.Result{Data: c.Params}, nil
	}})
	w.serve()
	w.save(forked(branches, "{type: all}"))
	id := w.start("forked", nil).ID
	v := w.ended(id, run.Succeeded)
	finished, last := 0, int64(0)
	for _, f := range v.Facts {
		if f.Seq != last+1 {
			t.Fatalf("fact %d comes after fact %d", f.Seq, last)
		}
		last = f.Seq
		if _, ok := f.Body.(*run.StepFinished); ok && f.Node != "fork" {
			finished++
		}
	}
	if finished != branches {
		t.Errorf("%d of %d steps are stored as finished", finished, branches)
	}
	// One input starts each branch but the first, one ends each, one starts the run.
	if inputs := int64(2 * branches); v.Run.Version >= inputs {
		t.Errorf("%d inputs took %d transactions", inputs, v.Run.Version)
	}
	leases, err := w.store.Leases(t.Context())
	if err != nil || len(leases) > 0 {
		t.Errorf("leases are left: %v %v", leases, err)
	}
}

// A step whose run ends it between its start and its act does not act; that is kept as its late result.
func TestAStepThatWasEndedDoesNotAct(t *testing.T) {
	t.Parallel()
	var once sync.Once
	begun, ended := make(chan struct{}), make(chan struct{})
	w := newWorld(t)
	w.record("work.do", flow.EffectsOnce)
	var mu sync.Mutex
	acts := 0
	w.hook = func(at engine.Position) {
		if at != engine.AtActing {
			return
		}
		mu.Lock()
		acts++
		second := acts == 2
		mu.Unlock()
		if second { // the other branch goes on, and ends this one
			once.Do(func() { close(begun) })
			<-ended
			return
		}
		select {
		case <-begun:
		case <-time.After(limit):
		}
	}
	w.serve()
	w.save(forked(2, "{type: any}"))
	id := w.start("forked", nil).ID
	w.ended(id, run.Succeeded)
	close(ended)
	v := w.until(id, "the late result is kept", func(v *engine.View) bool {
		_, ok := v.Facts[len(v.Facts)-1].Body.(*run.LateResult)
		return ok
	})
	late := v.Facts[len(v.Facts)-1].Body.(*run.LateResult)
	if late.Error == nil || late.Error.Type != "EndedError" {
		t.Errorf("the late result is %+v", late)
	}
	if calls := w.seen("work.do"); len(calls) != 1 {
		t.Errorf("%d branches acted", len(calls))
	}
}
