package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sluice/engine/dispatch"
	"sluice/engine/history"
	"sluice/engine/node"
	"sluice/engine/run"
	"sluice/storage"
)

// performItem moves a token for as long as it has something to do: claim, perform, commit, perform the next node, ... until the
// token waits or ends. When it forks or joins, the worker goes on with a branch, or with the fork's token. It is the performer of every
// dispatcher.
func (e *Engine) work(ctx context.Context, it dispatch.Item) {
	first := e.takeReady(it)
	l := first.live
	if l == nil {
		l = e.hold(it.Run) // keeps the state in memory between the steps
	}
	defer e.drop(l)
	if e.fit(ctx) != nil {
		return
	}
	c := &worker{e: e, live: l, base: ctx, begun: time.Now()}
	defer func() { c.put() }()
	m, err := first.moved, error(nil)
	if m == nil {
		if e.early(l, it) {
			return
		}
		if ok, err := e.claim(ctx, it); err != nil || !ok {
			return
		}
		c.take(it)
		e.cfg.Hook(AtClaimed)
		m, err = e.report(c.ctx, it, run.Claimed{At: e.Now(), Token: it.Token, Epoch: it.Epoch})
	}
	for err == nil {
		p, ok := performOf(m.effects)
		if !ok {
			return
		}
		c.take(dispatch.Item{Run: it.Run, Token: p.Token, Epoch: p.Epoch})
		if e.rest(c.ctx, l, it.Run) {
			c.steps = turnSteps
		}
		if m, err = c.step(p); m == nil && err == nil {
			return
		}
	}
	if !errors.Is(err, run.ErrFenced) && !errors.Is(err, run.ErrOver) {
		e.log.Error("a token is stuck until the next start", "run", c.item.Run, "token", c.item.Token, "epoch", c.item.Epoch, "error", err)
	}
}

// worker performs items one after the other and holds one at a time.
type worker struct {
	e    *Engine
	live *live
	base context.Context // of the worker
	ctx  context.Context // of the item: ends when its lease is lost
	item dispatch.Item
	free func() // gives the item up; nil = none is held

	begun time.Time // of the worker's turn
	steps int       // since then
}

// A worker that has worked for so long lets other tokens have their turn: its token goes to the end of the queue.
const (
	turnSteps = 100
	turnTime  = 30 * time.Second
)

// take goes over to an item whose lease this process holds.
func (c *worker) take(it dispatch.Item) {
	if c.free != nil && c.item == it {
		return
	}
	c.put()
	c.item = it
	c.ctx, c.free = c.e.pulse.begin(c.base, it)
}

func (c *worker) put() {
	if c.free != nil {
		c.free()
	}
	c.free = nil
}

// step performs a started step and reports its outcome. Nothing comes back when the step stays unfinished: the process that took the token
// goes on, or the next start does.
func (c *worker) step(p run.Perform) (*moved, error) {
	e := c.e
	e.cfg.Hook(AtBeforeAct)
	if e.fit(c.ctx) != nil {
		return nil, nil
	}
	e.cfg.Hook(AtActing)
	out := endedBefore
	if !c.live.ended(c.item) {
		out = node.Perform(c.ctx, p, e.nodeDeps(c.live, p))
	}
	e.cfg.Hook(AtAfterAct)
	if c.ctx.Err() != nil && out.Error != nil && !e.revoked(c.item) {
		return nil, nil // the program is stopping
	}
	c.steps++
	return e.report(c.ctx, c.item, run.Finished{
		At: e.Now(), Token: p.Token, Step: p.Step, Epoch: p.Epoch, Leave: c.steps >= turnSteps || time.Since(c.begun) > turnTime,
		Output: out.Output, Error: out.Error, Usage: out.Usage, Offer: out.Offer, Asked: out.Asked, Message: out.Message, Questions: p.Questions, Verdicts: out.Verdicts,
	})
}

// endedBefore is what is reported of a step that its run ended, or handed on, before its act began.
var endedBefore = node.Outcome{Error: &history.NodeError{Type: "EndedError", Message: "the step was ended before it began to act", Permanent: true}}

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

// claim takes the lease of an item, if others could take it too: where this process serves alone, the transition that starts the step
// stores the lease as held. When the answer to an earlier try was lost, the lease may be this process's already.
func (e *Engine) claim(ctx context.Context, it dispatch.Item) (ok bool, err error) {
	if !e.cfg.Shared {
		return true, nil
	}
	unsure := false
	err = e.persist(ctx, func() (err error) {
		ok, err = e.cfg.Store.Claim(ctx, it.Run, it.Token, it.Epoch, e.cfg.Worker, e.Now())
		if err == nil && !ok && unsure {
			ok, err = e.holds(ctx, it)
		}
		unsure = unsure || err != nil
		return err
	})
	return ok, err
}

func (e *Engine) holds(ctx context.Context, it dispatch.Item) (bool, error) {
	leases, err := e.cfg.Store.HeldBy(ctx, []string{e.cfg.Worker})
	return slices.ContainsFunc(leases, func(l storage.Lease) bool { return itemOf(l) == it }), err
}

func itemOf(l storage.Lease) dispatch.Item {
	return dispatch.Item{Run: l.Run, Token: l.Token, Epoch: l.Epoch}
}

// revoked tells a token that lost its lease from a program that stops: the former's outcome is still kept as a late result.
func (e *Engine) revoked(it dispatch.Item) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	row, err := e.cfg.Store.Run(ctx, it.Run)
	if err != nil {
		return false
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		return false
	}
	t := st.Token(it.Token)
	return t == nil || t.Epoch != it.Epoch
}

// performOf gives the act that a decision asks its worker for.
func performOf(effects []run.Effect) (run.Perform, bool) {
	for _, eff := range effects {
		if p, ok := eff.(run.Perform); ok {
			return p, true
		}
	}
	return run.Perform{}, false
}

// report feeds a worker's input to the run. What was done outside must be stored even when the worker's context is over, and
// however long the database is away. A failed commit may have happened all the same: then the machine fences the repeated
// input although no other worker has the token, and the token is released by the same input as after a crash.
func (e *Engine) report(ctx context.Context, it dispatch.Item, in run.Input) (*moved, error) {
	keep := context.WithoutCancel(ctx)
	unsure := false
	var m *moved
	err := e.persist(ctx, func() (err error) {
		m, err = e.transition(keep, it.Run, in, nil)
		if domain(err) {
			return err
		}
		unsure = unsure || err != nil
		return err
	})
	if unsure && errors.Is(err, run.ErrFenced) {
		lost := run.Lost{At: e.Now(), Token: it.Token, Epoch: it.Epoch, Reason: "crash"}
		if _, lerr := e.transition(keep, it.Run, lost, nil); lerr != nil && !domain(lerr) {
			return nil, fmt.Errorf("hand the token on after an unsure commit: %w", lerr)
		}
	}
	return m, err
}

// domain reports whether an error is an answer of the machine and not a fault of the database.
func domain(err error) bool {
	var form *run.FormError
	if errors.As(err, &form) {
		return true
	}
	for _, d := range []error{run.ErrFenced, run.ErrOver, run.ErrNoGate, run.ErrChoice, run.ErrShown, run.ErrNoSuchTimer, run.ErrNobodyWaits, storage.ErrNotFound} {
		if errors.Is(err, d) {
			return true
		}
	}
	return false
}

// persist repeats a database call until it succeeds, the machine answers, or the program stops.
func (e *Engine) persist(ctx context.Context, call func() error) error {
	return e.outage.Repeat(ctx, call, domain)
}

func (e *Engine) nodeDeps(l *live, p run.Perform) node.Deps {
	l.mu.Lock()
	defer l.mu.Unlock()
	return node.Deps{
		Tools: e.cfg.Tools, Model: e.meter.For(l.program.Flow, l.row.By), Secrets: e.cfg.Secrets, Redactor: e.cfg.Redactor, Messenger: e.cfg.Messenger,
		Journal: &journal{e: e, run: l.id, p: p}, Flow: l.program.Limited,
		Run:  node.Run{ID: l.id, Name: l.row.Name, Title: l.row.Title, Channel: l.row.Channel, Thread: l.row.Thread, By: l.row.By},
		Emit: e.emitAct(l.row), Queue: e.cfg.Messenger == nil && e.cfg.Surfaces != nil,
	}
}

// recover takes up what an earlier process left: tokens without a worker are dispatched again; for claimed ones the machine
// decides between repeating under the same key and asking a person. Timers that were being fired are due again.
func (e *Engine) recover(ctx context.Context) error {
	leases, err := e.cfg.Store.Leases(ctx)
	if err != nil {
		return fmt.Errorf("list unfinished work: %w", err)
	}
	for _, l := range leases {
		if l.Worker == "" {
			e.cfg.Dispatcher.Enqueue(itemOf(l))
			continue
		}
		_, err := e.transition(ctx, l.Run, run.Lost{At: e.Now(), Token: l.Token, Epoch: l.Epoch, Reason: "crash"}, nil)
		if err != nil && !domain(err) {
			return fmt.Errorf("take up run %s: %w", l.Run, err)
		}
	}
	if len(leases) > 0 {
		e.log.Info("took up unfinished work", "tokens", len(leases))
	}
	if _, err := e.cfg.Store.FreeTimers(ctx, nil); err != nil {
		return fmt.Errorf("take up timers that were being fired: %w", err)
	}
	return nil
}
