package local_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sluice/engine/dispatch"
	"sluice/engine/dispatch/dispatchtest"
	"sluice/engine/dispatch/local"
)

var quiet = slog.New(slog.DiscardHandler)

func TestDispatcher(t *testing.T) {
	t.Parallel()
	dispatchtest.Run(t, func(_ *testing.T, workers int) dispatch.Dispatcher {
		return local.New(local.Options{Workers: workers, Logger: quiet})
	})
}

func TestQueuedItemIsNotQueuedTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := local.New(local.Options{Workers: 1})
		it := dispatch.Item{Run: "r", Token: 1, Epoch: 1}
		d.Enqueue(it, it)
		d.Enqueue(it)
		times := 0
		if err := d.Start(t.Context(), func(context.Context, dispatch.Item) { times++ }); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if times != 1 {
			t.Fatalf("performed %d times", times)
		}
	})
}

// TestWaitingCostsNothing ends its bubble without stopping: a worker that waited for items would be a deadlock there.
func TestWaitingCostsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := local.New(local.Options{})
		done := 0
		var mu sync.Mutex
		err := d.Start(t.Context(), func(context.Context, dispatch.Item) {
			mu.Lock()
			defer mu.Unlock()
			done++
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			d.Enqueue(dispatch.Item{Run: "r", Token: i})
		}
		synctest.Wait()
		if done != 200 {
			t.Fatalf("%d of 200 were performed", done)
		}
	})
}

func TestStopGivesUpOnDeafItems(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := local.New(local.Options{Grace: time.Minute})
		free := make(chan struct{})
		if err := d.Start(t.Context(), func(context.Context, dispatch.Item) { <-free }); err != nil {
			t.Fatal(err)
		}
		d.Enqueue(dispatch.Item{Run: "r"})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		err := d.Stop(ctx)
		if err == nil || !strings.Contains(err.Error(), "1 items go on") {
			t.Fatalf("error %v", err)
		}
		if waited := time.Since(began); waited != time.Minute+time.Second {
			t.Fatalf("waited %v", waited)
		}
		close(free)
	})
}

func TestNothingIsTakenAfterTheStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := local.New(local.Options{Workers: 1})
		var taken []int
		free := make(chan struct{})
		err := d.Start(t.Context(), func(_ context.Context, it dispatch.Item) {
			taken = append(taken, it.Token)
			<-free
		})
		if err != nil {
			t.Fatal(err)
		}
		d.Enqueue(dispatch.Item{Token: 1}, dispatch.Item{Token: 2})
		synctest.Wait()
		d.Enqueue(dispatch.Item{Token: 1})
		var stopped sync.WaitGroup
		stopped.Go(func() {
			if err := d.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		d.Enqueue(dispatch.Item{Token: 3})
		close(free)
		stopped.Wait()
		d.Enqueue(dispatch.Item{Token: 4})
		synctest.Wait()
		if len(taken) != 1 {
			t.Fatalf("tokens %v were taken", taken)
		}
	})
}

func TestPanicIsLoggedAndReported(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	reported := make(chan any, 1)
	d := local.New(local.Options{
		Logger:   slog.New(slog.NewTextHandler(&log, nil)),
		Panicked: func(it dispatch.Item, reason any) { reported <- []any{it, reason} },
	})
	err := d.Start(t.Context(), func(_ context.Context, it dispatch.Item) {
		var nothing []string
		_ = nothing[it.Token]
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Enqueue(dispatch.Item{Run: "refund-7", Token: 3, Epoch: 2})
	got := (<-reported).([]any)
	if got[0] != (dispatch.Item{Run: "refund-7", Token: 3, Epoch: 2}) {
		t.Fatalf("reported %v", got[0])
	}
	if _, ok := got[1].(runtime.Error); !ok {
		t.Fatalf("reported %v", got[1])
	}
	for _, part := range []string{"run=refund-7", "token=3", "index out of range", "local_test.go"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log lacks %q: %s", part, log.String())
		}
	}
}

func BenchmarkDispatch(b *testing.B) {
	d := local.New(local.Options{})
	var wg sync.WaitGroup
	if err := d.Start(b.Context(), func(context.Context, dispatch.Item) { wg.Done() }); err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		wg.Add(1)
		d.Enqueue(dispatch.Item{Run: "r", Token: i})
	}
	wg.Wait()
}
