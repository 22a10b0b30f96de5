package project

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"sluice/bot/card"
	"sluice/engine"
	"sluice/engine/run"
	"sluice/storage"
)

// Sender puts a card in front of people; bot/slack fills it in.
type Sender interface {
	// Send posts the surface's message, or edits it when it has a TS, and returns the row with TS, File and Channel as they are
	// now. The surface's ID is the message's client key: when Tries is not 0, an earlier post may have arrived although its answer
	// was lost, so the message is looked for by its key before it is posted.
	// A *PermanentError means that trying again cannot help; any other error is tried again, after *RetryError's delay if given.
	Send(ctx context.Context, s storage.Surface, c card.Card) (storage.Surface, error)
	// Held says for how long the budget of messages keeps a surface back; 0 = it may be sent now.
	Held(s storage.Surface) time.Duration
}

// PermanentError means that a surface cannot be shown: its channel is gone, the bot was removed.
type PermanentError struct{ Err error }

// Error gives the cause.
func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *PermanentError) Unwrap() error { return e.Err }

// RetryError says when to try again.
type RetryError struct {
	After time.Duration
	Err   error
}

// Error gives the cause.
func (e *RetryError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *RetryError) Unwrap() error { return e.Err }

// Projector keeps surfaces up to date. It implements engine.Projection.
type Projector struct {
	Engine  *engine.Engine // set before Run
	Sender  Sender
	Log     *slog.Logger
	Holder  string // names this process in the election
	Shared  bool   // other processes make surfaces stale, too, and cannot wake this one
	Command string // the slash command, "/flow"
	Name    string // the bot's name in chat

	wake chan struct{}
}

// New makes a projector; set its fields before Run.
func New() *Projector {
	return &Projector{wake: make(chan struct{}, 1), Log: slog.New(slog.DiscardHandler), Command: "/flow", Name: "Sluice"}
}

// Wake tells the loop that surfaces may be stale. It never blocks.
func (p *Projector) Wake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Transition names the surfaces that a transition of a run creates and those that it makes stale.
func (p *Projector) Transition(r storage.Run, facts []run.Fact) (made []storage.Surface, stale []string) {
	if r.Channel == "" || len(facts) == 0 {
		return nil, nil
	}
	add := func(kind, id, ref string, at time.Time) {
		made = append(made, storage.Surface{ID: id, Kind: kind, Ref: ref, Channel: r.Channel, Thread: r.Thread, Created: at})
	}
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *run.RunStarted:
			if r.Parent != "" {
				continue // it lives in the thread of the run that started it
			}
			add(KindStatus, "status-"+r.ID, RunRef(r.ID), f.At)
		case *run.GateOpened:
			id := engine.GateID(r.ID, b.Gate)
			add(KindGate, "gate-"+id, GateRef(id), f.At)
		case *run.Voted:
			stale = append(stale, GateRef(engine.GateID(r.ID, b.Gate)))
		case *run.GateReminded:
			id := engine.GateID(r.ID, b.Gate)
			add(KindRemind, fmt.Sprintf("remind-%s-%d", id, f.Seq), GateRef(id), f.At)
			stale = append(stale, GateRef(id))
		case *run.GateDecided:
			stale = append(stale, GateRef(engine.GateID(r.ID, b.Gate)))
		case *run.RunEnded:
			if r.Parent != "" || b.Status == run.Failed {
				continue // a run that a failure stopped is not over: the question about it has the picture
			}
			add(KindPicture, fmt.Sprintf("picture-%s-%d", r.ID, f.Seq), RunRef(r.ID), f.At)
		}
	}
	return made, append(stale, RunRef(r.ID))
}

const (
	roundMost = 500 // surfaces looked at to find the most urgent one
	electTTL  = 15 * time.Second
	idle      = 5 * time.Second // the loop looks again at least this often, also to renew the election
	retryMost = time.Minute
	// Beside other processes nobody wakes the elected one, and nobody tells the others that its turn is over.
	lookShared  = 300 * time.Millisecond
	electShared = time.Second
)

// Run shows stale surfaces until ctx ends. Only the elected process sends; the others stand by.
func (p *Projector) Run(ctx context.Context) {
	var last time.Time // when this process was elected
	for ctx.Err() == nil {
		wait, err := p.turn(ctx, &last)
		if err != nil && ctx.Err() == nil {
			p.Log.Warn("showing surfaces: trying again", "error", err)
			wait = idle
		}
		if wait == 0 {
			continue
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-t.C:
		case <-p.wake:
		}
		t.Stop()
	}
}

// turn shows a surface if this process is elected, and says how long to wait before the next turn. Beside others, an election is used
// for several looks.
func (p *Projector) turn(ctx context.Context, last *time.Time) (wait time.Duration, err error) {
	if !p.Shared || time.Since(*last) > idle {
		elected, err := p.Engine.Store().Elect(ctx, "sender", p.Holder, time.Now(), electTTL)
		switch {
		case err != nil:
			return 0, err
		case !elected && p.Shared:
			return electShared, nil
		case !elected:
			return idle, nil
		}
		*last = time.Now()
	}
	wait, err = p.round(ctx)
	if p.Shared {
		wait = min(wait, lookShared)
	}
	return wait, err
}

// rank puts what people wait for first.
func rank(s storage.Surface) int {
	return slices.Index([]string{KindPrivate, KindFile, KindGate, KindRemind, KindDraft, KindNotice, KindStatus, KindPicture}, s.Kind)
}

// round shows the most urgent surface that is stale and not held back, and says how long to wait before the next look. It shows one
// at a time, because something more urgent may come while a message is sent.
func (p *Projector) round(ctx context.Context) (wait time.Duration, err error) {
	stale, err := p.Engine.Store().StaleSurfaces(ctx, time.Now(), roundMost)
	if err != nil {
		return 0, err
	}
	slices.SortStableFunc(stale, func(a, b storage.Surface) int { return cmp.Compare(rank(a), rank(b)) })
	wait = idle
	for _, s := range stale {
		held := p.Sender.Held(s)
		if held <= 0 {
			return 0, p.show(ctx, s)
		}
		wait = min(wait, held)
	}
	return wait, nil
}

// show brings one surface up to date. Faults of sending are noted on its row; only a fault of the database is returned.
func (p *Projector) show(ctx context.Context, s storage.Surface) error {
	fresh, err := p.Engine.Store().Surface(ctx, s.ID) // it may have been shown as another one's thread meanwhile
	if err != nil || fresh.Shown >= fresh.Wanted {
		return err
	}
	s = fresh
	wanted := s.Wanted
	c, err := p.card(ctx, s)
	if err == nil {
		err = p.intend(ctx, s)
	}
	if err == nil {
		s, err = p.send(ctx, s, c)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var permanent *PermanentError
	var retry *RetryError
	switch {
	case err == nil:
		s.Shown, s.Tries = wanted, 0
	case errors.As(err, &permanent):
		p.Log.Error("a surface cannot be shown", "surface", s.ID, "kind", s.Kind, "channel", s.Channel, "error", err)
		s.Shown = wanted
	default:
		s.Tries++
		wait := min(time.Second<<min(s.Tries-1, 6), retryMost)
		if errors.As(err, &retry) && retry.After > 0 {
			wait = retry.After
		}
		s.RetryAt = time.Now().Add(wait)
		p.Log.Warn("a surface was not shown; trying again", "surface", s.ID, "kind", s.Kind, "error", err, "wait", wait)
		time.AfterFunc(wait, p.Wake)
	}
	return p.Engine.Store().SaveSurface(ctx, s)
}

// intend notes on the row of a message that is not posted yet that a post is about to be tried. Whoever finds such a row later,
// after a kill or a lost answer, looks for the message before posting it again.
func (p *Projector) intend(ctx context.Context, s storage.Surface) error {
	if s.TS != "" {
		return nil
	}
	s.Tries++
	return p.Engine.Store().SaveSurface(ctx, s)
}

// send gives a card to the sender unless it is what the message shows already.
func (p *Projector) send(ctx context.Context, s storage.Surface, c card.Card) (storage.Surface, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return s, &PermanentError{err}
	}
	sum := sha256.Sum256(b)
	hash := hex.EncodeToString(sum[:])
	if hash == s.Hash && s.TS != "" {
		return s, nil
	}
	if s.Thread == "" && slices.Contains(inThread, s.Kind) {
		if s.Thread, err = p.threadOf(ctx, s); err != nil {
			return s, err
		}
	}
	s, err = p.Sender.Send(ctx, s, c)
	if err == nil {
		s.Hash = hash
	}
	return s, err
}

// inThread are the kinds that live in the thread of a run's status message.
var inThread = []string{KindGate, KindRemind, KindPicture}

var errNoThread = errors.New("the run's status message is not posted yet")

// threadOf finds the thread of a run's message, posting its status first when that has not happened.
func (p *Projector) threadOf(ctx context.Context, s storage.Surface) (string, error) {
	id := refID(s.Ref)
	if s.Kind != KindPicture {
		g, err := p.Engine.Store().Gate(ctx, id)
		if err != nil {
			return "", err
		}
		root, err := Root(ctx, p.Engine.Store(), g.Run)
		if err != nil {
			return "", err
		}
		id = root.ID
	}
	for range 2 {
		status, err := p.Engine.Store().Surface(ctx, "status-"+id)
		if err != nil {
			return "", err
		}
		if status.Thread != "" {
			return status.Thread, nil // it is a reply itself
		}
		if status.TS != "" {
			return status.TS, nil
		}
		if err := p.show(ctx, status); err != nil {
			return "", err
		}
	}
	return "", errNoThread
}

// Root finds the run that a person or a trigger started: the one itself, or the one that it lies within. Its messages are in that
// one's thread.
func Root(ctx context.Context, store storage.Store, id string) (storage.Run, error) {
	for {
		r, err := store.Run(ctx, id)
		if err != nil || r.Parent == "" {
			return r, err
		}
		id = r.Parent
	}
}

// card makes what a surface should show now.
func (p *Projector) card(ctx context.Context, s storage.Surface) (card.Card, error) {
	switch s.Kind {
	case KindDraft:
		return p.draftCard(ctx, refID(s.Ref))
	case KindStatus:
		return p.StatusCard(ctx, refID(s.Ref))
	case KindGate:
		return p.gateCard(ctx, refID(s.Ref))
	case KindRemind:
		return p.remindCard(ctx, refID(s.Ref))
	case KindPicture:
		return p.endCard(ctx, refID(s.Ref))
	case KindNotice:
		var b engine.NoticeBody
		err := json.Unmarshal(s.Body, &b)
		return card.Card{Text: b.Text}, err
	case KindFile:
		return p.fileCard(ctx, s.Body)
	case KindPrivate:
		var b PrivateBody
		err := json.Unmarshal(s.Body, &b)
		return b.Card, err
	}
	return card.Card{}, &PermanentError{fmt.Errorf("no card for surfaces of kind %q", s.Kind)}
}
