package project

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"sluice/bot/surface"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

// The Homes of people are surfaces like others, which nothing makes stale in the transaction of its effect: a Home shows many runs, and
// their transitions would wait for each other at its row. What happens is noted in memory instead, and makes Homes stale a moment later.
// Two things make up for notes that a killed process had: every Home is stale when a process begins to send, and from time to time after.
const (
	homePause = time.Second      // what happens within it makes a Home stale once
	homeAgain = 10 * time.Second // later the same Homes are looked at again: a note is older than the commit of what it is about
	homeSweep = 5 * time.Minute
	homeEvery = 3 * time.Second // between two changes of one Home
	homesMost = 10_000
)

// homes notes whose Homes may show something else.
type homes struct {
	mu      sync.Mutex
	notes   homeNotes
	changed chan struct{}
}

// homeNotes collects whose Homes have become stale: those of people, of the people of gates, or all.
type homeNotes struct {
	users, gates map[string]bool
	all          bool
}

func (n *homeNotes) empty() bool { return len(n.users)+len(n.gates) == 0 && !n.all }

// add takes the notes of another one over.
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

// take gives the notes and forgets them.
func (h *homes) take() homeNotes {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.notes
	h.notes = homeNotes{}
	return n
}

// noteRun notes what the Homes of a run's people may show of its facts.
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

// HomeChanged says that a person's Home may show something else; "" = everybody's.
func (p *Projector) HomeChanged(user string) {
	n := homeNotes{all: user == ""}
	if user != "" {
		n.users = map[string]bool{user: true}
	}
	p.homes.note(n)
}

// HomeOpened is called when a person opens their Home. published says whether Slack has one to show.
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
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	body, err := gate.Decode(g)
	if err != nil {
		return nil, err
	}
	r, err := p.Engine.Store().Run(ctx, g.Run)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_, users, err := p.Engine.Deciders(ctx, r, body)
	return users, err
}
