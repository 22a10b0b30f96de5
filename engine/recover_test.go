package engine_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	"sluice/engine"
	"sluice/engine/dispatch"
	"sluice/engine/dispatch/local"
	"sluice/engine/tool"
	"sluice/storage"
	"sluice/storage/sqlite"
)

type lookedAt struct {
	storage.Store
	leases *atomic.Bool
}

func (s lookedAt) Leases(ctx context.Context) ([]storage.Lease, error) {
	s.leases.Store(true)
	return s.Store.Leases(ctx)
}

type startsAfter struct {
	dispatch.Dispatcher
	leases  *atomic.Bool
	started chan bool
}

func (d startsAfter) Start(ctx context.Context, p dispatch.Performer) error {
	d.started <- d.leases.Load()
	return d.Dispatcher.Start(ctx, p)
}

// A lease that this process has just claimed must not be taken for what a crash left: nobody works before recovery is over.
func TestRecoveryComesBeforeWork(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	tools, err := tool.New()
	if err != nil {
		t.Fatal(err)
	}
	var leases atomic.Bool
	d := startsAfter{local.New(local.Options{}), &leases, make(chan bool, 1)}
	e := engine.New(engine.Config{Store: lookedAt{store, &leases}, Tools: tools, Dispatcher: d, Worker: "test"})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Serve(ctx) }()
	if !<-d.started {
		t.Error("work began before recovery had looked at what was left")
	}
	cancel()
	<-done
}
