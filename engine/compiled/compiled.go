// Package compiled keeps the revisions of flows that this process works with, read and compiled once.
//
// The package knows no run. Look next at engine/run/compile, which makes a program out of a flow.
package compiled

import (
	"context"
	"sync"

	"sluice/engine/flow"
	"sluice/engine/run/compile"
	"sluice/storage"
)

// Store is the part of the store that has the revisions.
type Store interface {
	Flow(ctx context.Context, name string) (storage.Flow, error)
	Revision(ctx context.Context, flow string, number int) (storage.Revision, error)
}

// Revision is a revision ready to run. Revisions never change.
type Revision struct {
	Flow    *flow.Flow
	Limited *flow.Flow // within the installation's ceilings: this is what runs
	Program *compile.Program
	Row     storage.Revision // without its body
}

// Cache gives revisions. Its methods are safe for concurrent use.
type Cache struct {
	store    Store
	ceilings flow.Ceilings

	mu   sync.Mutex
	kept map[revisionID]*Revision
}

// New gives a cache of what a store has, within the ceilings of the installation.
func New(store Store, ceilings flow.Ceilings) *Cache {
	return &Cache{store: store, ceilings: ceilings, kept: map[revisionID]*Revision{}}
}

// revisionID names a revision.
type revisionID struct {
	flow   string
	number int
}

const keptMost = 256

// Load reads and compiles a revision, once; number 0 means the flow's newest, of a flow that is not retired.
func (c *Cache) Load(ctx context.Context, name string, number int) (*Revision, error) {
	if number == 0 {
		head, err := c.store.Flow(ctx, name)
		if err != nil {
			return nil, err
		}
		if !head.Retired.IsZero() {
			return nil, storage.ErrRetired
		}
		number = head.Head
	}
	id := revisionID{name, number}
	c.mu.Lock()
	r := c.kept[id]
	c.mu.Unlock()
	if r != nil {
		return r, nil
	}
	row, err := c.store.Revision(ctx, name, number)
	if err != nil {
		return nil, err
	}
	f, err := flow.FromJSON(row.Body)
	if err != nil {
		return nil, err
	}
	limited := c.ceilings.Clamp(f)
	p, err := compile.Flow(limited)
	if err != nil {
		return nil, err
	}
	p.Bound(compile.Sizes{Output: c.ceilings.Output, Variable: c.ceilings.Variable})
	row.Body = nil
	r = &Revision{Flow: f, Limited: limited, Program: p, Row: row}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= keptMost {
		clear(c.kept)
	}
	c.kept[id] = r
	return r, nil
}
