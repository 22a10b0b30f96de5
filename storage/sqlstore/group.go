package sqlstore

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	groupMost  = 32               // writes in one group
	groupLimit = 30 * time.Second // a group that takes longer has failed
)

// grouping executes writes together that arrive while others are under way, each all or nothing: they share a round trip, a statement and a
// commit. A write that arrives alone is executed alone and at once.
type grouping struct {
	dialect Dialect

	mu       sync.Mutex
	waiting  []*waiter
	underWay int
}

// waiter is a write that waits for its turn and its answer.
type waiter struct {
	ctx   context.Context // of the caller that waits; a write that is executed alone ends with it
	parts []Part
	done  chan error    // takes one answer
	lead  chan struct{} // signals that it is this writer's turn to execute what waits
}

// group gives the grouping for a kind of write.
func (s *writer) group(kind string) *grouping {
	if g, ok := s.groups.Load(kind); ok {
		return g.(*grouping)
	}
	g, _ := s.groups.LoadOrStore(kind, &grouping{dialect: s.dialect})
	return g.(*grouping)
}

// write executes the parts, alone or with others. When ctx ends before their turn, nothing happens.
func (g *grouping) write(ctx context.Context, parts []Part) error {
	w := &waiter{ctx: ctx, parts: parts, done: make(chan error, 1), lead: make(chan struct{}, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, w)
	free := g.underWay < g.dialect.GroupsAtOnce()
	if free {
		g.underWay++
	}
	g.mu.Unlock()
	if free {
		g.next()
	}
	for {
		select {
		case err := <-w.done:
			g.release(w)
			return err
		case <-w.lead:
			g.next()
			continue
		case <-ctx.Done():
		}
		if g.withdraw(w) {
			return ctx.Err()
		}
		ctx = context.WithoutCancel(ctx) // another writer executes it: its answer comes
	}
}

// withdraw removes a write that is not being executed yet.
func (g *grouping) withdraw(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, w)
	if i < 0 {
		return false
	}
	g.waiting = slices.Delete(g.waiting, i, i+1)
	g.leave(w)
	return true
}

// release passes the lead on, if it was given to a write that another writer executes.
func (g *grouping) release(w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leave(w)
}

func (g *grouping) leave(w *waiter) {
	select {
	case <-w.lead:
		g.pass()
	default:
	}
}

// next executes the writes that wait, and passes the lead to one of those that have arrived meanwhile: a writer executes one group at most, and
// no goroutine is made for it.
func (g *grouping) next() {
	g.execute(g.take())
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pass()
}

// pass gives the lead to the first that waits without it. The lock is held.
func (g *grouping) pass() {
	for _, w := range g.waiting {
		if len(w.lead) == 0 {
			w.lead <- struct{}{}
			return
		}
	}
	g.underWay--
}

// take removes as many writes from the queue as fit into a group.
func (g *grouping) take() []*waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), groupMost)
	group := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	return group
}

func (g *grouping) execute(group []*waiter) {
	if len(group) == 0 {
		return
	}
	if len(group) == 1 {
		group[0].done <- g.dialect.Apply(group[0].ctx, group[0].parts)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(group[0].ctx), groupLimit)
	defer cancel()
	list := make([][]Part, len(group))
	for i, w := range group {
		list[i] = w.parts
	}
	answers, err := g.dialect.ApplyAll(ctx, list)
	for i, w := range group {
		switch {
		case err == nil:
			w.done <- answers[i]
		case g.dialect.Undone(err):
			w.done <- g.dialect.Apply(w.ctx, w.parts)
		default:
			w.done <- err
		}
	}
}
