package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/tool"
)

const longEach = `
name: each
limits: {items: 10000, steps: 100000}
inputs:
  orders: {type: array}
flow:
  entry: each
  nodes:
    - {id: each, type: foreach, items: inputs.orders, as: order, body: pick, max_parallel: %d, routes: [{to: report}]}
    - {id: pick, type: decision, expr: order, routes: [{when: default, to: end}]}
    - {id: report, type: tool, tool: shop.report, params: {all: "{{each.result}}"}, routes: [{to: end}]}
`

// watcher is the most memory that is in use while something happens.
type watcher struct {
	idle, most uint64
	over, done chan struct{}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func watchMemory() *watcher {
	w := &watcher{idle: heap(), over: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for {
			w.most = max(w.most, heap())
			select {
			case <-w.over:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return w
}

// end gives the bytes above those that were in use before.
func (w *watcher) end() uint64 {
	close(w.over)
	<-w.done
	return max(w.most, w.idle) - w.idle
}

// The memory that a long list takes is that of the list itself, and of its results when they are read: working on it, looking at the run,
// and taking it up again in another process take no more. It does not run beside other tests, whose memory it would see.
func TestALongListTakesLittleMemory(t *testing.T) {
	const total, most = 10_000, 3000 // bytes of memory for each item
	for _, parallel := range []int{1, 10} {
		t.Run(fmt.Sprint("max_parallel=", parallel), func(t *testing.T) {
			w := newWorld(t)
			w.ceilings = flow.Ceilings{Items: total, Steps: 5 * total}
			reported := make(chan int, 1)
			release := make(chan struct{})
			w.add(tool.Tool{Name: "shop.report", Description: "report", Effects: flow.EffectsRead, Call: func(ctx context.Context, c tool.Call) (tool.Result, error) {
				all, _ := c.Params["all"].([]any)
				reported <- len(all)
				select {
				case <-release:
				case <-ctx.Done():
				}
				return tool.Result{}, ctx.Err()
			}})
			w.grace = time.Millisecond
			stop := w.serve()
			w.save(fmt.Sprintf(longEach, parallel))
			memory := watchMemory()
			list := make([]any, total)
			for i := range list {
				list[i] = fmt.Sprintf("order-%04d", i)
			}
			r := w.start("each", map[string]any{"orders": list})
			if n := <-reported; n != total {
				t.Errorf("%d results were gathered", n)
			}
			lookAt(t, w, r.ID, total)
			stop() // a step is under way: another process takes the run up
			close(release)
			w.serve()
			<-reported
			w.ended(r.ID, history.Succeeded)
			lookAt(t, w, r.ID, total)
			if bytes := memory.end(); bytes > total*most {
				t.Errorf("%d items take %d bytes of memory each", total, bytes/total)
			} else {
				t.Logf("%d items take %d bytes of memory each", total, bytes/total)
			}
		})
	}
}

// lookAt looks at a run as cards do: often, and with all that has happened counted.
func lookAt(t *testing.T, w *world, id string, total int) {
	t.Helper()
	for range 3 {
		v, err := w.engine.View(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := v.Nodes["each"].Items, (history.ItemCount{Total: total, Started: total, Ended: total}); got != want {
			t.Errorf("the view counts %+v", got)
		}
		if n := v.Nodes["pick"]; n.Visits != total || n.State != history.StateComplete {
			t.Errorf("the node of the items shows %+v", n)
		}
		if n := v.Edges[flow.BodyEdge("each")].Count; n != total {
			t.Errorf("the edge to the items was taken %d times", n)
		}
		if v.Start == nil || v.Latest("pick").Node != "pick" || v.Latest("each").State != history.StateComplete || len(v.Visits) > 4000 {
			t.Errorf("of %d steps %d are kept", v.Run.Steps, len(v.Visits))
		}
	}
}
