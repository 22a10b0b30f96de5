package runner

import (
	"context"
	"fmt"
	"sync"

	"sluice/engine/compiled"
	"sluice/engine/dispatch"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/storage"
)

// live is a run in memory. Its mutex serialises the transitions of the run in this process, so that only other processes can fail the store's
// compare-and-set. It is dropped when no worker holds it any more: a waiting run costs no memory.
type live struct {
	id   string
	refs int // guarded by Runner.mu

	waiting  sync.Mutex // guards requests
	requests []*request // that wait for mu and may share a transaction

	mu       sync.Mutex
	revision *compiled.Revision
	row      storage.Run
	state    *history.State // nil = must be loaded
	start    *history.RunStarted
	outputs  map[int64]history.Output
	cached   int            // bytes of outputs
	url      string         // of the run, once it is known
	locked   storage.Locked // nil = others may write the run, too
}

// hold keeps a run in memory until drop.
func (x *Runner) hold(id string) *live {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := x.runs[id]
	if l == nil {
		l = &live{id: id}
		x.runs[id] = l
	}
	l.refs++
	return l
}

func (x *Runner) drop(l *live) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if l.refs--; l.refs == 0 {
		delete(x.runs, l.id)
	}
}

func (x *Runner) load(ctx context.Context, l *live) error {
	if l.state != nil {
		return nil
	}
	row, err := x.cfg.Store.Run(ctx, l.id)
	if err != nil {
		return err
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		return err
	}
	revision, err := x.cfg.Revisions.Load(ctx, row.Flow, row.Revision)
	if err != nil {
		return err
	}
	l.row, l.state, l.revision = row, st, revision
	if l.outputs == nil {
		l.outputs = map[int64]history.Output{}
	}
	return nil
}

// locate looks up the address of a run; one that is known stays as it is.
func (x *Runner) locate(ctx context.Context, l *live) (err error) {
	if l.url == "" {
		l.url, err = x.cfg.Address(ctx, l.row)
	}
	return err
}

// read loads outputs of earlier facts into the run's cache.
func (x *Runner) read(ctx context.Context, l *live, seqs []int64) error {
	facts, err := stored.BySeq(ctx, x.cfg.Store, l.id, seqs...)
	if err != nil {
		return fmt.Errorf("read facts %v: %w", seqs, err)
	}
	known := stored.NewResults(x.cfg.Store, l.id)
	for _, f := range facts {
		l.remember(f)
		if items, ok := history.ItemsOf(f); ok {
			gathered, err := known.Gather(ctx, items)
			if err != nil {
				return err
			}
			l.keep(f.Seq, gathered)
		}
	}
	for _, s := range seqs {
		if _, ok := l.outputs[s]; !ok && s != 1 {
			return fmt.Errorf("fact %d of run %s holds no output", s, l.row.Name)
		}
	}
	return nil
}

// remember caches what later decisions may read.
func (l *live) remember(f history.Fact) {
	if s, ok := f.Body.(*history.RunStarted); ok {
		l.start = s
	}
	if o, ok := history.ReadOf(f); ok {
		l.keep(f.Seq, o)
	}
}

const (
	outputsMost = 1000    // outputs in the cache of a run
	cacheMost   = 4 << 20 // bytes of them
)

func (l *live) keep(seq int64, o history.Output) {
	l.outputs[seq] = o
	l.cached += len(o.Text) + len(o.Data)
}

// forget empties a cache that has grown large. Outputs are read again when they are needed.
func (l *live) forget() {
	if len(l.outputs) > outputsMost || l.cached > cacheMost {
		clear(l.outputs)
		l.cached = 0
	}
}

// reset drops the state and the cache of a run whose transition was not stored: another process may have written other facts.
func (l *live) reset() {
	l.state = nil
	clear(l.outputs)
	l.cached = 0
}

// steps is how many steps the run has made, as far as this process knows.
func (l *live) steps() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == nil {
		return 0
	}
	return l.state.Steps
}

// ended reports whether the run has ended an item's token, or handed it on, as far as this process knows.
func (l *live) ended(it dispatch.Item) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == nil {
		return false
	}
	t := l.state.Token(it.Token)
	return t == nil || t.Epoch != it.Epoch
}

// Result gives the output of a run that is over, and why it is not done.
func (x *Runner) Result(ctx context.Context, id string) (history.Output, *history.Ending, error) {
	l := x.hold(id)
	defer x.drop(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := x.load(ctx, l); err != nil {
		return history.Output{}, nil, fmt.Errorf("load run %s: %w", id, err)
	}
	seq := l.state.Output
	if seq == 0 {
		return history.Output{}, l.state.Ending, nil
	}
	if err := x.read(ctx, l, []int64{seq}); err != nil {
		return history.Output{}, nil, err
	}
	return l.outputs[seq], l.state.Ending, nil
}
