package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/runner"
	"sluice/engine/tool"
	"sluice/engine/view"
	"sluice/storage"
	"sluice/storage/sqlite"
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
	v := w.ended(id, history.Succeeded)
	finished, last := 0, int64(0)
	for _, f := range v.Facts {
		if f.Seq != last+1 {
			t.Fatalf("fact %d comes after fact %d", f.Seq, last)
		}
		last = f.Seq
		if _, ok := f.Body.(*history.StepFinished); ok && f.Node != "fork" {
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
	w.hook = func(at runner.Position) {
		if at != runner.AtActing {
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
	w.ended(id, history.Succeeded)
	close(ended)
	v := w.until(id, "the late result is kept", func(v *view.View) bool {
		_, ok := v.Facts[len(v.Facts)-1].Body.(*history.LateResult)
		return ok
	})
	late := v.Facts[len(v.Facts)-1].Body.(*history.LateResult)
	if late.Error == nil || late.Error.Type != "EndedError" {
		t.Errorf("the late result is %+v", late)
	}
	if calls := w.seen("work.do"); len(calls) != 1 {
		t.Errorf("%d branches acted", len(calls))
	}
}

// forgetful stores the first transaction that several steps share, and says that it did not.
type forgetful struct {
	storage.Store
	once sync.Once
	hit  chan struct{}
}

func (s *forgetful) Write(ctx context.Context, b *storage.Batch) error {
	err := s.Store.Write(ctx, b)
	if b.Run == nil || err != nil {
		return err
	}
	finished := 0
	for _, f := range b.Run.Facts {
		if f.Kind == "step_finished" {
			finished++
		}
	}
	if finished > 1 {
		s.once.Do(func() {
			close(s.hit)
			err = storage.ErrUnavailable
		})
	}
	return err
}

// When the answer to a transaction is lost, each of the steps that shared it finds out what became of it, and goes on.
func TestALostAnswerIsEveryStepsWhoSharedIt(t *testing.T) {
	t.Parallel()
	const branches = 40
	var all sync.WaitGroup
	all.Add(branches)
	lost := make(chan struct{})
	w := newWorld(t)
	w.database = func(ctx context.Context) (storage.Store, error) {
		s, err := sqlite.Open(ctx, w.path)
		return &forgetful{Store: s, hit: lost}, err
	}
	w.add(tool.Tool{Name: "work.do", Description: "waits for the others", Effects: flow.EffectsRead, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		all.Done()
		all.Wait()
		return tool.Result{Data: c.Params}, nil
	}})
	w.record("work.more", flow.EffectsRead)
	w.serve()
	src := forked(branches, "{type: all}")
	for i := range branches {
		src = strings.Replace(src, fmt.Sprintf("params: {n: %d}, routes: [{to: end}]", i), fmt.Sprintf("params: {n: %d}, routes: [{to: more%d}]", i, i), 1)
		src += fmt.Sprintf("    - {id: more%d, type: tool, tool: work.more, routes: [{to: end}]}\n", i)
	}
	w.save(src)
	w.ended(w.start("forked", nil).ID, history.Succeeded)
	select {
	case <-lost:
	default:
		t.Error("no transaction was shared by steps that ended")
	}
}
