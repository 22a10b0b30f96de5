package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/run"
	"sluice/storage"
)

// ForkAct is what a run did to the outside at a node, at or after the point from which it is to be forked.
type ForkAct struct {
	Node  string
	Steps []int    // visits
	What  []string // the acts inside a step
	Why   string   // it cannot be reused; empty = it can

	inside  bool // a branch or an item
	outputs []run.Output
}

// ForkPlan is what forking a run from a node means: for each of these acts a person says whether its outcome is reused, or whether
// it is done again although it may have taken effect before.
type ForkPlan struct {
	Run  storage.Run
	Node string
	Step int
	Acts []ForkAct

	facts []run.Fact // up to the fork point
	state *run.State
}

// ForkPlan looks at a run that is to go on anew from its latest visit to a node. Nothing happens. Errors: *UserError when the run was
// never there, or when something else was under way at that moment, such as other branches.
func (e *Engine) ForkPlan(ctx context.Context, id, node string) (*ForkPlan, error) {
	v, err := e.View(ctx, id)
	if err != nil {
		return nil, err
	}
	step := v.Nodes[node].Latest
	if step == 0 {
		return nil, &UserError{Code: "never_there", Text: fmt.Sprintf("%s was never at %q.", v.Run.Name, node), Hint: "`/flow show " + v.Run.Name + "` shows where it was."}
	}
	p := &ForkPlan{Run: v.Run, Node: node, Step: step, state: &run.State{}}
	for i, f := range v.Facts {
		if err := run.Apply(p.state, f); err != nil {
			return nil, err
		}
		if _, ok := p.state.Forkable(step); ok {
			p.facts = v.Facts[:i+1]
			return p, p.act(v)
		}
	}
	return nil, &UserError{
		Code: "fork_inside", Text: fmt.Sprintf("%s cannot be forked from %q: other branches, items or questions were under way when it came there.", v.Run.Name, node),
		Hint: "Fork it from the node where they begin, or from one behind the place where they meet.",
	}
}

// act collects the acts from the fork point on, in the order in which they began.
func (p *ForkPlan) act(v *View) error {
	st, ended := p.state.Clone(), map[int]run.Output{}
	for _, f := range v.Facts[len(p.facts):] {
		if out, ok := run.OutputOf(f); ok {
			ended[f.Step] = out
		}
		switch b := f.Body.(type) {
		case *run.StepStarted:
			if risky(b.Effects) {
				p.note(st, f, "")
			}
		case *run.CallIntended:
			if risky(b.Effects) {
				p.note(st, f, b.What)
			}
		case *run.ChildStarted:
			p.note(st, f, "")
		}
		if err := run.Apply(st, f); err != nil {
			return err
		}
	}
	for i := range p.Acts {
		p.Acts[i].judge(ended)
	}
	return nil
}

// judge says whether what a node gave can be reused: every visit must have an outcome, and it must be clear whose it is.
func (a *ForkAct) judge(ended map[int]run.Output) {
	for _, step := range a.Steps {
		out, ok := ended[step]
		if !ok {
			a.Why = "no outcome is recorded, and it may have taken effect"
		}
		a.outputs = append(a.outputs, out)
	}
	if a.inside && len(a.Steps) > 1 {
		a.Why = "it was done for several branches or items, which may come in another order"
	}
}

func risky(e flow.Effects) bool { return e != flow.EffectsRead && e != "" }

func (p *ForkPlan) note(st *run.State, f run.Fact, what string) {
	i := slices.IndexFunc(p.Acts, func(a ForkAct) bool { return a.Node == f.Node })
	if i < 0 {
		i = len(p.Acts)
		p.Acts = append(p.Acts, ForkAct{Node: f.Node})
	}
	a := &p.Acts[i]
	if t := st.Token(f.Token); t != nil && t.Frame != 0 {
		a.inside = true
	}
	if !slices.Contains(a.Steps, f.Step) {
		a.Steps = append(a.Steps, f.Step)
	}
	if what != "" && !slices.Contains(a.What, what) {
		a.What = append(a.What, what)
	}
}

// generationsPerRun keeps the generations of a run's acts apart from those of every other run of its origin: a run's number is its own,
// and no step is done again so often.
const generationsPerRun = 1000

// Fork starts a run that has a run's history up to its latest visit to a node, and goes on from there. again names the nodes whose acts
// are done again, under new keys; of all others of the plan what they gave is taken. The new run may stand beside the old one, also
// with the same key. Who may do that is for the caller to check. Errors: as ForkPlan, and *UserError when an act without an outcome,
// or something that is no act of the plan, is to be reused or done again.
func (e *Engine) Fork(ctx context.Context, id, node string, again []string, actor run.Actor, inbox ...int64) (storage.Run, error) {
	p, err := e.ForkPlan(ctx, id, node)
	if err != nil {
		return storage.Run{}, err
	}
	in, err := p.input(again)
	if err != nil {
		return storage.Run{}, err
	}
	c, err := e.target(ctx, p.Run.Flow, p.state.Revision)
	if err != nil {
		return storage.Run{}, err
	}
	start, _ := p.facts[0].Body.(*run.RunStarted)
	q := StartRequest{
		Flow: p.Run.Flow, Actor: actor, By: actor.User, Channel: p.Run.Channel, Event: start.Event,
		Anyway: fmt.Sprintf("forked from %s at %s", p.Run.Name, node),
	}
	if err := e.mayStart(ctx, q); err != nil {
		return storage.Run{}, err
	}
	row, begin, err := e.newRun(ctx, c, c.revision, q, start.Inputs)
	if err != nil {
		return storage.Run{}, err
	}
	in.At, in.Actor, in.Reason, in.Generation = row.Started, actor, q.Anyway, row.Number*generationsPerRun
	if in.Origin = p.state.Origin; in.Origin == "" {
		in.Origin = p.Run.ID
	}
	d, err := run.Decide(c.program, p.state, in, &run.Reads{Start: &begin}, &run.Context{RunID: row.ID})
	if err != nil {
		return storage.Run{}, err
	}
	return row, e.createFork(ctx, row, &begin, p, d, inbox)
}

// input says what is kept of the plan's acts.
func (p *ForkPlan) input(again []string) (run.Fork, error) {
	in := run.Fork{From: p.Run.Name}
	for _, node := range again {
		if !slices.ContainsFunc(p.Acts, func(a ForkAct) bool { return a.Node == node }) {
			return in, &UserError{Code: "no_act", Text: fmt.Sprintf("From %q on %s did nothing to the outside at %q.", p.Node, p.Run.Name, node)}
		}
	}
	var unknown []string
	for _, a := range p.Acts {
		switch {
		case slices.Contains(again, a.Node):
		case a.Why != "":
			unknown = append(unknown, a.Node+" ("+a.Why+")")
		default:
			for _, out := range a.outputs {
				in.Keep = append(in.Keep, run.KeptOutput{Node: a.Node, Output: out})
			}
		}
	}
	if len(unknown) > 0 {
		return in, &UserError{
			Code: "no_outcome", Text: fmt.Sprintf("What was done cannot be reused: %s.", strings.Join(unknown, "; ")),
			Hint: "Say that it is done again, if that is right.",
		}
	}
	return in, nil
}

// createFork stores the new run: the facts of the other one, then its own.
func (e *Engine) createFork(ctx context.Context, row storage.Run, begin *run.RunStarted, p *ForkPlan, d run.Decision, inbox []int64) error {
	st := d.State
	row.Status, row.Steps, row.Revision = string(st.Status), st.Steps, st.Revision
	var err error
	if row.State, err = run.EncodeState(st); err != nil {
		return err
	}
	w := &storage.RunWrite{Run: row}
	first := p.facts[0]
	first.Body = begin
	copied := append([]run.Fact{first}, p.facts[1:]...)
	for _, f := range copied {
		sf, err := encodeFact(row.ID, f)
		if err != nil {
			return err
		}
		w.Facts = append(w.Facts, sf)
	}
	if err := e.fill(ctx, w, d, p.state, 0); err != nil {
		return err
	}
	b := &storage.Batch{Run: w, InboxDone: inbox}
	if e.cfg.Surfaces != nil {
		b.Surfaces, b.Stale = e.cfg.Surfaces.Transition(row, append([]run.Fact{first}, d.Facts...))
	}
	if err := e.cfg.Store.Write(ctx, b); err != nil {
		return errors.Join(fmt.Errorf("store the fork of %s", p.Run.Name), err)
	}
	e.after(row.ID, d)
	e.wake(b)
	return nil
}
