package project

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/outbox"
	"sluice/engine/people"
	"sluice/storage"
)

// Engine is the part of the engine that the projector and the cards need.
type Engine interface {
	surface.Engine
	// MessageOver tells the run whose step waits for a message its result.
	MessageOver(ctx context.Context, s storage.Surface, b outbox.Body, nerr *history.NodeError) error
	// Elsewhere finds the people of a question who do not see the channel.
	Elsewhere(ctx context.Context, r storage.Run, b gate.Body, channel string) (people.Elsewhere, error)
}

// Projector keeps surfaces up to date. It implements runner.Projection.
type Projector struct {
	*surface.Cards
	engine  Engine // see Connect
	Sender  Sender
	Log     *slog.Logger
	Holder  string   // names this process in the election
	Shared  bool     // other processes also make surfaces stale, and cannot wake this one
	Admins  []string // user ids of the people who are told about problems with Slack
	Pace    Pace
	Release string // of this program: what an earlier one has set aside is tried again

	wake  chan struct{}
	homes homes

	mu     sync.Mutex // guards the fields below
	busy   busy
	turns  turns
	causes causes
	// drawings holds the pictures being drawn, by surface.
	drawings map[string]*drawing
	// again lists surfaces to look at although their rows are not due: their picture is ready, or a reply waits for them. The value says
	// whether that is urgent.
	again map[string]bool
	// waiting lists the replies that wait for a status message, by the surface of that.
	waiting     map[string][]string
	ended       time.Time // when a cause was over for the last time
	silent      int       // sends in a row that Slack did not answer
	silentSince time.Time // when the first of them failed
	// compared is when the causes were last compared with the rows that wait for them.
	compared time.Time
	// hold says before which time not to look at a surface, although its row is due.
	hold map[string]time.Time

	draw, drawUrgent chan struct{} // slots for drawing
}

// Connect gives the projector and its cards the engine, before Run.
func (p *Projector) Connect(e Engine) { p.engine, p.Cards.Engine = e, e }

// New makes a projector; Connect it and set its fields before Run.
func New() *Projector {
	p := &Projector{
		Cards: &surface.Cards{Command: "/flow", Name: "Sluice"},
		wake:  make(chan struct{}, 1), homes: homes{changed: make(chan struct{}, 1)}, Log: slog.New(slog.DiscardHandler), Release: "development", Pace: defaultPace,
		busy: newBusy(), turns: turns{used: map[string]float64{}}, causes: causes{}, drawings: map[string]*drawing{}, again: map[string]bool{},
		hold: map[string]time.Time{}, waiting: map[string][]string{}, draw: make(chan struct{}, drawMost), drawUrgent: make(chan struct{}, drawMost),
	}
	p.Limits, p.Cards.Wake = limits{p}, p.Wake
	return p
}

// limits asks the sender, which may be set later. Without one every card fits.
type limits struct{ *Projector }

func (l limits) Fits(c card.Card) bool { return l.Sender == nil || l.Sender.Fits(c) }

// Wake tells the loop that surfaces may be stale. It never blocks.
func (p *Projector) Wake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Transition names the surfaces that a transition of a run creates and those that it makes stale.
func (p *Projector) Transition(r storage.Run, facts []history.Fact) (made []storage.Surface, stale []string) {
	if len(facts) == 0 {
		return nil, nil
	}
	p.homes.noteRun(r, facts)
	if r.Channel == "" {
		return nil, nil
	}
	add := func(kind, id, ref string, at time.Time) {
		made = append(made, storage.Surface{ID: id, Kind: kind, Ref: ref, Channel: r.Channel, Thread: r.Thread, Created: at})
	}
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *history.RunStarted:
			if r.Parent != "" {
				continue // it is in the thread of the run that started it
			}
			add(surface.KindStatus, "status-"+r.ID, surface.RunRef(r.ID), f.At)
			if mark, ok := surface.Mark(r.ID, b, f.At); ok {
				made = append(made, mark)
			}
			if told, ok := surface.Told(r, f, b); ok {
				made = append(made, told)
			}
		case *history.GateOpened:
			id, kind := gate.ID(r.ID, b.Gate), surface.KindGate
			if b.Kind == history.GateTurn {
				kind = surface.KindTurn
			}
			add(kind, "gate-"+id, surface.GateRef(id), f.At)
			made = append(made, storage.Surface{ID: "spread-" + id, Kind: surface.KindSpread, Ref: surface.GateRef(id), Created: f.At})
		case *history.Voted:
			stale = append(stale, surface.GateRef(gate.ID(r.ID, b.Gate)))
		case *history.CallEdited:
			stale = append(stale, surface.GateRef(gate.ID(r.ID, b.Gate)))
		case *history.GateReminded:
			id := gate.ID(r.ID, b.Gate)
			if b.Asked != "" { // only that person is told
				stale = append(stale, surface.GateRef(id))
				continue
			}
			add(surface.KindRemind, fmt.Sprintf("remind-%s-%d", id, f.Seq), surface.GateRef(id), f.At)
			stale = append(stale, surface.GateRef(id))
		case *history.GateDecided:
			stale = append(stale, surface.GateRef(gate.ID(r.ID, b.Gate)), surface.MarkRef(r.ID))
		case *history.RunEnded:
			stale = append(stale, surface.MarkRef(r.ID))
			if r.Parent != "" || b.Status == history.Failed {
				continue // a run that a failure stopped is not over: the question about it has the picture
			}
			add(surface.KindPicture, fmt.Sprintf("picture-%s-%d", r.ID, f.Seq), surface.RunRef(r.ID), f.At)
		}
	}
	return made, append(stale, surface.RunRef(r.ID))
}
