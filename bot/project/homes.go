package project

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"sluice/bot/surface"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

// The Homes of people are surfaces that no transition makes stale: a Home shows many runs, whose transitions would wait for each other at its
// row. Changes are recorded in memory instead, and make Homes stale a moment later. Every Home becomes stale when a process begins to send and
// from time to time after that, because a killed process loses its records.
const (
	homePause = time.Second      // changes within it make a Home stale once
	homeAgain = 10 * time.Second // then the same Homes become stale again: a change is recorded before its commit
	homeSweep = 5 * time.Minute
	homeEvery = 3 * time.Second // between two changes of one Home
	homesMost = 10_000
)

// homes records the people whose Homes may have changed.
type homes struct {
	mu      sync.Mutex
	notes   homeNotes
	changed chan struct{}
}

// homeNotes collects the Homes that have become stale: those of people, of the people of gates, or all.
type homeNotes struct {
	users, gates map[string]bool
	all          bool
}

func (n *homeNotes) empty() bool { return len(n.users)+len(n.gates) == 0 && !n.all }

// add adds the notes of another one.
func (n *homeNotes) add(more homeNotes) {
	if n.users == nil {
		n.users, n.gates = map[string]bool{}, map[string]bool{}
	}
	maps.Copy(n.users, more.users)
	maps.Copy(n.gates, more.gates)
	n.all = n.all || more.all
}

// note adds notes.
func (h *homes) note(more homeNotes) {
	h.mu.Lock()
	h.notes.add(more)
	h.mu.Unlock()
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// take returns the notes and empties them.
func (h *homes) take() homeNotes {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.notes
	h.notes = homeNotes{}
	return n
}

// noteRun records the Homes that facts of a run may change.
func (h *homes) noteRun(r storage.Run, facts []history.Fact) {
	n := homeNotes{users: map[string]bool{}, gates: map[string]bool{}}
	if r.By != "" {
		n.users[r.By] = true
	}
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *history.GateOpened:
			n.gates[gate.ID(r.ID, b.Gate)] = true
		case *history.Voted:
			n.gates[gate.ID(r.ID, b.Gate)] = true
		case *history.GateDecided:
			n.gates[gate.ID(r.ID, b.Gate)] = true
		}
	}
	h.note(n)
}

// HomeChanged is called when a person's Home may have changed; "" = everybody's.
func (p *Projector) HomeChanged(user string) {
	n := homeNotes{all: user == ""}
	if user != "" {
		n.users = map[string]bool{user: true}
	}
	p.homes.note(n)
}

// HomeOpened is called when a person opens their Home. published says whether Slack has shown one before.
func (p *Projector) HomeOpened(ctx context.Context, user string, published bool) error {
	store, ref := p.Engine.Store(), surface.HomeRef(user)
	b := &storage.Batch{
		Surfaces: []storage.Surface{{ID: homeID(user), Kind: surface.KindHome, Ref: ref, User: user, Created: p.Engine.Now()}}, Stale: []string{ref},
	}
	if err := store.Write(ctx, b); err != nil {
		return err
	}
	if !published {
		if err := store.MarkSurface(ctx, homeID(user), ""); err != nil {
			return err
		}
	}
	p.mu.Lock()
	delete(p.hold, homeID(user))
	p.mu.Unlock()
	p.look(homeID(user), true)
	p.Wake()
	return nil
}

func homeID(user string) string { return "home-" + user }

// refreshHomes makes Homes stale when something has happened, until ctx ends.
func (p *Projector) refreshHomes(ctx context.Context) {
	var before homeNotes // Homes that were looked at once and are looked at again
	sweep, again := time.NewTicker(homeSweep), time.NewTicker(homeAgain)
	defer sweep.Stop()
	defer again.Stop()
	for ctx.Err() == nil {
		var n homeNotes
		select {
		case <-ctx.Done():
			return
		case <-p.homes.changed:
			pause(ctx, homePause, nil)
			n = p.homes.take()
			before.add(n)
		case <-again.C:
			n, before = before, homeNotes{}
		case <-sweep.C:
			n.all = true
		}
		if n.empty() {
			continue
		}
		if err := p.staleHomes(ctx, n); err != nil && ctx.Err() == nil {
			p.Log.Warn("Homes are refreshed later", "error", err)
			before.add(n)
		}
	}
}

// staleHomes makes the Homes stale that notes are about.
func (p *Projector) staleHomes(ctx context.Context, n homeNotes) error {
	rows, err := p.Engine.Store().SurfacesOfKind(ctx, surface.KindHome, homesMost)
	if err != nil || len(rows) == 0 {
		return err
	}
	concerned := map[string]bool{}
	maps.Copy(concerned, n.users)
	for id := range n.gates {
		if n.all {
			break
		}
		users, err := p.decidersOf(ctx, id)
		if err != nil {
			return err
		}
		for _, u := range users {
			concerned[u] = true
		}
	}
	var refs []string
	for _, s := range rows {
		if n.all || concerned[s.User] {
			refs = append(refs, s.Ref)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	defer p.Wake()
	return p.Engine.Store().Write(ctx, &storage.Batch{Stale: slices.Sorted(slices.Values(refs))})
}

// decidersOf lists the people whom a gate asks: none when the gate is not stored, because its transition was not committed.
func (p *Projector) decidersOf(ctx context.Context, id string) ([]string, error) {
	g, err := p.Engine.Store().Gate(ctx, id)
	if err != nil {
		return nil, storage.IgnoreMissing(err)
	}
	body, err := gate.Decode(g)
	if err != nil {
		return nil, err
	}
	r, err := p.Engine.Store().Run(ctx, g.Run)
	if err != nil {
		return nil, storage.IgnoreMissing(err)
	}
	_, users, err := p.Engine.Deciders(ctx, r, body)
	return users, err
}
