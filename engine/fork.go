package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sluice/engine/compiled"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/engine/run"
	"sluice/engine/run/forkplan"
	"sluice/engine/run/scope"
	"sluice/engine/runner"
	"sluice/engine/usererror"
	"sluice/storage"
)

// ForkPoint is where a run goes on anew: at a node's latest visit, or at any visit by its step.
type ForkPoint struct {
	Node string // "" = that of the step
	Step int    // 0 = the latest visit to the node
}

// ForkPlan is what forking a run from a node means: for each of these acts a person says whether its outcome is reused, or whether
// it is done again although it may have taken effect before.
type ForkPlan struct {
	Run storage.Run
	*forkplan.Plan
}

// ForkPlan looks at a run that is to go on anew from a visit. Nothing happens. Errors: *usererror.Error when the run was never there, or when
// something else was under way at that moment, such as other branches.
func (e *Engine) ForkPlan(ctx context.Context, id string, at ForkPoint) (*ForkPlan, error) {
	asked := at
	row, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	if at.Step == 0 {
		if at.Step, err = forkplan.LatestVisit(stored.All(ctx, e.cfg.Store, id), at.Node); err != nil {
			return nil, err
		}
	}
	p, err := forkplan.Make(stored.All(ctx, e.cfg.Store, id), at.Step)
	there := p != nil && (at.Node == "" || p.Node == at.Node)
	switch {
	case errors.Is(err, forkplan.ErrNeverThere), p != nil && !there:
		return nil, &usererror.Error{Code: "never_there", Text: fmt.Sprintf("%s was never at %s.", row.Name, asked), Subject: row.Name}
	case errors.Is(err, run.ErrForkPoint):
		return nil, &usererror.Error{
			Code: "fork_inside", Text: fmt.Sprintf("%s cannot be forked from %s: other branches, items or questions were under way when it came there.", row.Name, ForkPoint{p.Node, asked.Step}),
			Hint: "Fork it from the node where they begin, or from one behind the place where they meet.", Err: err,
		}
	case err != nil:
		return nil, err
	}
	return &ForkPlan{Run: row, Plan: p}, nil
}

// String names the place.
func (at ForkPoint) String() string {
	switch {
	case at.Step == 0:
		return fmt.Sprintf("%q", at.Node)
	case at.Node == "":
		return fmt.Sprintf("step %d", at.Step)
	}
	return fmt.Sprintf("%q as step %d", at.Node, at.Step)
}

// generationsPerRun keeps the generations of a run's acts apart from those of every other run of its origin: a run's number is its own,
// and no step is done again so often.
const generationsPerRun = 1000

// Fork starts a run that has a run's history up to a visit, and goes on from there. again names the nodes whose acts
// are done again, under new keys; of all others of the plan what they gave is taken. The new run may stand beside the old one, also
// with the same key. Who may do that is for the caller to check. Errors: as ForkPlan, and *usererror.Error when an act without an outcome,
// or something that is no act of the plan, is to be reused or done again.
func (e *Engine) Fork(ctx context.Context, id string, at ForkPoint, again []string, actor history.Actor, inbox ...int64) (storage.Run, error) {
	p, err := e.ForkPlan(ctx, id, at)
	if err != nil {
		return storage.Run{}, err
	}
	in, err := e.forkInput(ctx, p, again)
	if err != nil {
		return storage.Run{}, err
	}
	c, err := e.target(ctx, p.Run.Flow, p.State.Revision)
	if err != nil {
		return storage.Run{}, err
	}
	start := p.Start
	q := StartRequest{
		Flow: p.Run.Flow, Actor: actor, By: actor.User, Channel: p.Run.Channel, Event: start.Event,
		Anyway: fmt.Sprintf("forked from %s at %s", p.Run.Name, p.Node),
	}
	if err := e.mayStart(ctx, q); err != nil {
		return storage.Run{}, err
	}
	row, begin, err := e.newRun(ctx, c, c.Row, q, start.Inputs)
	if err != nil {
		return storage.Run{}, err
	}
	in.At, in.Actor, in.Reason, in.Generation = row.Started, actor, q.Anyway, row.Number*generationsPerRun
	if in.Origin = p.Origin; in.Origin == "" {
		in.Origin = p.Run.ID
	}
	d, err := run.Decide(c.Program, p.State, in, &scope.Reads{Start: &begin, URL: new(string)}, &run.Context{RunID: row.ID})
	if err != nil {
		return storage.Run{}, err
	}
	return row, e.createFork(ctx, c, row, &begin, p, d, inbox)
}

// forkInput says what is kept of the plan's acts.
func (e *Engine) forkInput(ctx context.Context, p *ForkPlan, again []string) (run.Fork, error) {
	in := run.Fork{From: p.Run.Name}
	keep, missing, strange := p.Keep(again)
	if len(strange) > 0 {
		return in, &usererror.Error{
			Code: "no_act", Text: fmt.Sprintf("From %q on %s did nothing to the outside at %q.", p.Node, p.Run.Name, strange[0]),
		}
	}
	if len(missing) > 0 {
		unknown := make([]string, len(missing))
		for i, a := range missing {
			unknown[i] = a.Node + " (" + a.Why + ")"
		}
		return in, &usererror.Error{
			Code: "no_outcome", Text: fmt.Sprintf("What was done cannot be reused: %s.", strings.Join(unknown, "; ")),
			Hint: "Say that it is done again, if that is right.",
		}
	}
	var err error
	in.Keep, err = kept(ctx, e.cfg.Store, p.Run.ID, keep)
	return in, err
}

// kept reads the outputs that a fork takes.
func kept(ctx context.Context, facts stored.Reader, id string, keep []forkplan.Kept) ([]run.KeptOutput, error) {
	seqs := make([]int64, len(keep))
	for i, k := range keep {
		seqs[i] = k.Seq
	}
	read, err := stored.BySeq(ctx, facts, id, seqs...)
	if err != nil {
		return nil, err
	}
	bySeq := make(map[int64]history.Fact, len(read))
	for _, f := range read {
		bySeq[f.Seq] = f
	}
	all := make([]run.KeptOutput, len(keep))
	for i, k := range keep {
		if all[i], err = k.Output(bySeq[k.Seq]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// createFork stores the new run: the facts of the other one, then its own.
func (e *Engine) createFork(ctx context.Context, c *compiled.Revision, row storage.Run, begin *history.RunStarted, p *ForkPlan, d run.Decision, inbox []int64) error {
	first := p.First
	first.Body = begin
	err := e.runner.CreateFork(ctx, runner.Fork{
		Row: row, First: first, From: p.Run.ID, Last: p.Last, Before: p.State, Decision: d, TakeKey: c.Flow.Run.OnDuplicate == flow.DuplicateQueue,
	}, func(b *storage.Batch) { b.InboxDone = inbox }, e.queue.Write)
	if err != nil {
		return errors.Join(fmt.Errorf("store the fork of %s", p.Run.Name), err)
	}
	return nil
}
