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

// grouping sends writes that meet while others are under way together, each all or nothing for itself: they share a round trip, a
// statement and a commit. A write that meets no other goes alone and at once.
type grouping struct {
	dialect Dialect

	mu       sync.Mutex
	waiting  []*waiter
	underWay int
}

// waiter is a write that waits for its turn and its answer.
type waiter struct {
	ctx   context.Context // of whoever waits: when the write goes alone, it ends with it
	parts []Part
	done  chan error // takes one answer
}

// group gives the grouping for a kind of write.
func (s *Store) group(kind string) *grouping {
	if g, ok := s.groups.Load(kind); ok {
		return g.(*grouping)
	}
	g, _ := s.groups.LoadOrStore(kind, &grouping{dialect: s.dialect})
	return g.(*grouping)
}

// write carries out the parts, alone or with others. When ctx ends before their turn, nothing happens.
func (g *grouping) write(ctx context.Context, parts []Part) error {
	w := &waiter{ctx: ctx, parts: parts, done: make(chan error, 1)}
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
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
	}
	if g.withdraw(w) {
		return ctx.Err()
	}
	return <-w.done
}

// withdraw takes a write back whose turn has not come.
func (g *grouping) withdraw(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, w)
	if i < 0 {
		return false
	}
	g.waiting = slices.Delete(g.waiting, i, i+1)
	return true
}

// next carries out those that wait, and leaves those that have come meanwhile to another goroutine, so that nobody works for others for
// longer than for himself.
func (g *grouping) next() {
	if group := g.take(); len(group) > 0 {
		g.carryOut(group)
	}
	g.mu.Lock()
	more := len(g.waiting) > 0
	if !more {
		g.underWay--
	}
	g.mu.Unlock()
	if more {
		go g.next()
	}
}

func (g *grouping) take() []*waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), groupMost)
	group := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	return group
}

func (g *grouping) carryOut(group []*waiter) {
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
