package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/dispatch/local"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/tool"
	"sluice/storage/sqlite"
)

// TestALongRunLetsOthersHaveTheirTurn has one worker and a run with many steps; another run comes once the first has begun.
func TestALongRunLetsOthersHaveTheirTurn(t *testing.T) {
	t.Parallel()
	const turn, steps = 100, 230
	w := newWorld(t)
	began, free := make(chan struct{}, 1), make(chan struct{})
	w.add(tool.Tool{Name: "work.do", Description: "do", Effects: flow.EffectsOnce, Call: func(_ context.Context, c tool.Call) (tool.Result, error) {
		w.note(c)
		if c.Params["who"] == "long" && c.Params["n"] == "1" {
			began <- struct{}{}
			<-free
		}
		return tool.Result{}, nil
	}})
	store, err := sqlite.Open(t.Context(), w.path)
	if err != nil {
		t.Fatal(err)
	}
	w.store = store
	w.engine = engine.New(engine.Config{
		Store: store, Tools: w.tools, Dispatcher: local.New(local.Options{Workers: 1}), Clock: w.clock, Surfaces: w, Worker: "test",
	})
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- w.engine.Serve(ctx) }()
	w.save(line("long", steps))
	w.save(line("short", 3))
	long := w.start("long", nil)
	select {
	case <-began:
	case <-time.After(limit):
		t.Fatal("the long run does not begin")
	}
	short := w.start("short", nil)
	close(free)
	w.ended(short.ID, history.Succeeded)
	w.ended(long.ID, history.Succeeded)
	calls := w.seen("work.do")
	if len(calls) != steps+3 {
		t.Errorf("%d acts, want %d", len(calls), steps+3)
	}
	for i, c := range calls {
		if between := i >= turn && i < turn+3; (c.Params["who"] == "short") != between {
			t.Fatalf("act %d was of the %s run", i+1, c.Params["who"])
		}
	}
	cancel()
	<-served
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// line is a flow with so many steps in a row.
func line(name string, steps int) string {
	var src strings.Builder
	fmt.Fprintf(&src, "name: %s\nflow:\n  entry: s1\n  nodes:\n", name)
	for n := 1; n <= steps; n++ {
		next := fmt.Sprintf("s%d", n+1)
		if n == steps {
			next = "end"
		}
		fmt.Fprintf(&src, "    - {id: s%d, type: tool, tool: work.do, params: {who: %s, n: \"%d\"}, routes: [{to: %s}]}\n", n, name, n, next)
	}
	return src.String()
}
