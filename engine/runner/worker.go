package runner

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

// Work moves a token for as long as it has something to do: claim, perform, commit, perform the next node, ... until the
// token waits or ends. After a split or a join the worker goes on with a branch, or with the token that was split. It is the performer of every
// dispatcher.
func (x *Runner) Work(ctx context.Context, it dispatch.Item) {
	first := x.takeReady(it)
	l := first.live
	if l == nil {
		l = x.hold(it.Run) // keeps the state in memory between the steps
	}
	defer x.drop(l)
	if x.cfg.Presence.Fit(ctx) != nil {
		return
	}
	c := &worker{x: x, live: l, base: ctx, begun: time.Now()}
	defer func() { c.put() }()
	m, err := first.moved, error(nil)
	if m == nil {
		if x.early(l, it) {
			return
		}
		if ok, err := x.claim(ctx, it); err != nil || !ok {
			return
		}
		c.take(it)
		x.cfg.Hook(AtClaimed)
		m, err = x.report(c.ctx, it, run.Claimed{At: x.cfg.Now(), Token: it.Token, Epoch: it.Epoch})
	}
	for err == nil {
		p, ok := performOf(m.Effects)
		if !ok {
			return
		}
		c.take(dispatch.Item{Run: it.Run, Token: p.Token, Epoch: p.Epoch})
		if x.rest(c.ctx, l, it.Run) {
			c.steps = turnSteps
		}
		if m, err = c.step(p); m == nil && err == nil {
			return
		}
	}
	if !errors.Is(err, run.ErrFenced) && !errors.Is(err, run.ErrOver) {
		x.cfg.Log.Error("a token is stuck until the next start", "run", c.item.Run, "token", c.item.Token, "epoch", c.item.Epoch, "error", err)
	}
}

// worker performs items one after the other and holds one at a time.
type worker struct {
	x    *Runner
	live *live
	base context.Context // of the worker
	ctx  context.Context // of the item: ends when its lease is lost
	item dispatch.Item
	free func() // gives the item up; nil = none is held

	begun time.Time // of the worker's turn
	steps int       // since then
}

// A worker that has performed one token for so long gives way to others: its token goes to the end of the queue.
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
	c.ctx, c.free = c.x.cfg.Presence.Begin(c.base, it)
}

func (c *worker) put() {
	if c.free != nil {
		c.free()
	}
	c.free = nil
}

// step performs a started step and reports its outcome. It returns nothing when the step stays unfinished: the process that took the token
// continues it, or the next start does.
func (c *worker) step(p run.Perform) (*Moved, error) {
	x := c.x
	x.cfg.Hook(AtBeforeAct)
	if x.cfg.Presence.Fit(c.ctx) != nil {
		return nil, nil
	}
	x.cfg.Hook(AtActing)
	out := endedBefore
	if !c.live.ended(c.item) {
		out = node.Perform(c.ctx, p, x.nodeDeps(c.live, p))
	}
	x.cfg.Hook(AtAfterAct)
	if c.ctx.Err() != nil && out.Error != nil && !x.revoked(c.item) {
		return nil, nil // the program is stopping
	}
	c.steps++
	return x.report(c.ctx, c.item, run.Finished{
		At: x.cfg.Now(), Token: p.Token, Step: p.Step, Epoch: p.Epoch, Leave: c.steps >= turnSteps || time.Since(c.begun) > turnTime,
		Output: out.Output, Error: out.Error, Usage: out.Usage, Offer: out.Offer, Asked: out.Asked, Message: out.Message, Questions: p.Questions, Verdicts: out.Verdicts,
	})
}

// endedBefore is the outcome of a step that its run has ended, or given to another worker, before its act began.
var endedBefore = node.Outcome{Error: &history.NodeError{Type: "EndedError", Message: "the step was ended before it began to act", Permanent: true}}

// claim takes the lease of an item, if others could take it too: where this process serves alone, the transition that starts the step
// stores the lease as held. When the answer to an earlier try was lost, the lease may be this process's already.
func (x *Runner) claim(ctx context.Context, it dispatch.Item) (ok bool, err error) {
	if !x.cfg.Shared {
		return true, nil
	}
	unsure := false
	err = x.persist(ctx, func() (err error) {
		ok, err = x.cfg.Store.Claim(ctx, it.Run, it.Token, it.Epoch, x.cfg.Worker, x.cfg.Now())
		if err == nil && !ok && unsure {
			ok, err = x.holds(ctx, it)
		}
		unsure = unsure || err != nil
		return err
	})
	return ok, err
}

func (x *Runner) holds(ctx context.Context, it dispatch.Item) (bool, error) {
	leases, err := x.cfg.Store.HeldBy(ctx, []string{x.cfg.Worker})
	return slices.ContainsFunc(leases, func(l storage.Lease) bool { return ItemOf(l) == it }), err
}

// ItemOf names what a lease is for.
func ItemOf(l storage.Lease) dispatch.Item {
	return dispatch.Item{Run: l.Run, Token: l.Token, Epoch: l.Epoch}
}

// revoked reports whether a token has lost its lease, and not the program stops: its outcome is still kept as a late result.
func (x *Runner) revoked(it dispatch.Item) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	row, err := x.cfg.Store.Run(ctx, it.Run)
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

// report feeds a worker's input to the run. The outcome of an act must be stored even when the worker's context has ended, and however long the
// database is unavailable. A failed commit may have happened all the same: then the machine fences the repeated input although no other
// worker has the token, and the token is released by the same input as after a crash.
func (x *Runner) report(ctx context.Context, it dispatch.Item, in run.Input) (*Moved, error) {
	keep := context.WithoutCancel(ctx)
	unsure := false
	var m *Moved
	err := x.persist(ctx, func() (err error) {
		m, err = x.Transition(keep, it.Run, in, nil)
		if IsAnswer(err) {
			return err
		}
		unsure = unsure || err != nil
		return err
	})
	if unsure && errors.Is(err, run.ErrFenced) {
		lost := run.Lost{At: x.cfg.Now(), Token: it.Token, Epoch: it.Epoch, Reason: "crash"}
		if _, lerr := x.Transition(keep, it.Run, lost, nil); lerr != nil && !IsAnswer(lerr) {
			return nil, fmt.Errorf("hand the token on after an unsure commit: %w", lerr)
		}
	}
	return m, err
}

func (x *Runner) nodeDeps(l *live, p run.Perform) node.Deps {
	l.mu.Lock()
	defer l.mu.Unlock()
	return node.Deps{
		Tools: x.cfg.Tools, Model: x.cfg.Meter.For(l.revision.Flow, l.row.By), Secrets: x.cfg.Secrets, Redactor: x.cfg.Redactor, Messenger: x.cfg.Messenger,
		Journal: &journal{x: x, run: l.id, p: p}, Flow: l.revision.Limited,
		Run:  node.Run{ID: l.id, Name: l.row.Name, Title: l.row.Title, Channel: l.row.Channel, Thread: l.row.Thread, By: l.row.By},
		Emit: x.cfg.Emit(l.row), Queue: x.cfg.Messenger == nil && x.cfg.Surfaces != nil,
	}
}
