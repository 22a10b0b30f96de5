package sqlstore

import (
	"context"
	"sync"
)

// numbering reserves numbers for runs of one flow: callers that ask while a statement is under way share the next one.
type numbering struct {
	mu      sync.Mutex
	waiting []chan numbered
	busy    bool
}

// numbered is a number, or why there is none.
type numbered struct {
	number int
	err    error
}

// NextRunNumber reserves the number for a run's short name; gaps are possible.
func (s *runStore) NextRunNumber(ctx context.Context, flow string) (int, error) {
	found, ok := s.numbers.Load(flow)
	if !ok {
		found, _ = s.numbers.LoadOrStore(flow, &numbering{})
	}
	n := found.(*numbering)
	mine := make(chan numbered, 1)
	n.mu.Lock()
	n.waiting = append(n.waiting, mine)
	first := !n.busy
	n.busy = true
	n.mu.Unlock()
	if first {
		s.number(ctx, flow, n)
	}
	select {
	case got := <-mine:
		return got.number, s.Wrap(ctx, got.err, "number a run of "+flow)
	case <-ctx.Done():
		return 0, ctx.Err() // the number, if one comes, stays a gap
	}
}

// number serves the callers that wait. Callers that come meanwhile are served by another goroutine.
func (s *runStore) number(ctx context.Context, flow string, n *numbering) {
	n.mu.Lock()
	waiting := n.waiting
	n.waiting = nil
	n.mu.Unlock()
	if len(waiting) > 1 { // the number of one caller does not depend on the context of another
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), groupLimit)
		defer cancel()
	}
	var last int
	err := s.get(ctx, s.write, &last, s.dialect.Statement(NextNumber), flow, len(waiting))
	for i, w := range waiting {
		w <- numbered{number: last - len(waiting) + 1 + i, err: err}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.busy = len(n.waiting) > 0; n.busy {
		go s.number(context.WithoutCancel(ctx), flow, n)
	}
}
