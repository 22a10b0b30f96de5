package forkplan

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// Plan says what a fork of a run from a visit means. For each of the acts that follow, a person chooses whether its output is reused or whether
// it is performed again, although it may have taken effect before.
type Plan struct {
	Node   string
	Step   int
	Acts   []Act
	Start  *history.RunStarted
	First  history.Fact   // that holds Start
	Last   int64          // the newest fact up to the fork point
	State  *history.State // that the facts up to there fold into
	Origin string         // of the run itself; "" = none
}

// Act is what a run did to the outside at a node, at or after the point from which it is to be forked.
type Act struct {
	Node  string
	Steps []int    // visits
	What  []string // the acts inside a step
	Why   string   // it cannot be reused; empty = it can

	inside  bool    // a branch or an item
	outputs []int64 // the facts that hold what it gave
}

// ErrNeverThere means that a run has no such visit.
var ErrNeverThere = errors.New("the run was never there")

// Make plans the fork of a run from a visit, out of its facts. run.ErrForkPoint means that something else was under way at that moment, such as
// other branches; the plan then has the node alone. Other errors are those of reading facts.
func Make(facts iter.Seq2[history.Fact, error], step int) (*Plan, error) {
	f := forkPlanner{plan: &Plan{Step: step}, state: &history.State{}, ended: map[int]int64{}, noted: map[int]bool{}}
	for fact, err := range facts {
		if err == nil {
			err = f.add(fact)
		}
		if err != nil {
			return nil, fmt.Errorf("follow a run: %w", err)
		}
	}
	switch {
	case f.plan.State != nil:
		f.close()
		return f.plan, nil
	case f.plan.Node != "":
		return f.plan, run.ErrForkPoint
	}
	return nil, ErrNeverThere
}

// LatestVisit gives the step of the latest visit to a node; 0 when there is none.
func LatestVisit(facts iter.Seq2[history.Fact, error], node string) (latest int, err error) {
	s := &history.State{}
	for f, err := range facts {
		first := s.NextStep
		if err == nil {
			err = history.Apply(s, f)
		}
		if err != nil {
			return 0, fmt.Errorf("follow a run: %w", err)
		}
		for _, t := range s.Tokens {
			if t.Node == node && t.Step >= first {
				latest = max(latest, t.Step)
			}
		}
	}
	return latest, nil
}

// forkPlanner makes a plan of the facts of a run as they come. It holds no more of them than where the outputs of the acts are.
type forkPlanner struct {
	plan  *Plan
	state *history.State
	ended map[int]int64 // by step, from the fork point on: the fact that holds its output
	noted map[int]bool  // steps that are among those of the acts
}

func (f *forkPlanner) add(fact history.Fact) error {
	p := f.plan
	if p.State != nil { // behind the fork point
		f.note(fact)
		return history.Apply(f.state, fact)
	}
	if b, ok := fact.Body.(*history.RunStarted); ok {
		p.Start, p.First = b, fact
	}
	if err := history.Apply(f.state, fact); err != nil {
		return err
	}
	if p.Node == "" && f.state.NextStep > p.Step {
		if i := slices.IndexFunc(f.state.Tokens, func(t history.Token) bool { return t.Step == p.Step }); i >= 0 {
			p.Node = f.state.Tokens[i].Node
		}
	}
	if t, ok := f.state.Forkable(p.Step); ok {
		p.Node, p.Last, p.State = t.Node, fact.Seq, f.state.Clone()
	}
	return nil
}

// note takes a fact behind the fork point into account before it is applied. Acts are in the order in which they began.
func (f *forkPlanner) note(fact history.Fact) {
	if _, ok := history.OutputOf(fact); ok {
		f.ended[fact.Step] = fact.Seq
	}
	what, acted := actOf(fact)
	if !acted {
		return
	}
	a := f.plan.act(fact.Node)
	if t := f.state.Token(fact.Token); t != nil && t.Frame != 0 {
		a.inside = true
	}
	if f.state.Revision != f.plan.State.Revision {
		a.Why = fmt.Sprintf("it was done under revision %d, where it may be another act", f.state.Revision)
	}
	if !f.noted[fact.Step] {
		f.noted[fact.Step] = true
		a.Steps = append(a.Steps, fact.Step)
	}
	if what != "" && !slices.Contains(a.What, what) {
		a.What = append(a.What, what)
	}
}

// close judges the acts. An output that the run itself was forked with counts as an act, even if the run has not used it.
func (f *forkPlanner) close() {
	p := f.plan
	p.Origin = f.state.Origin
	for i := range p.Acts {
		p.Acts[i].judge(f.ended)
	}
	for _, node := range slices.Sorted(maps.Keys(f.state.Reuse)) {
		a := p.act(node)
		a.outputs = append(a.outputs, f.state.Reuse[node]...)
	}
}

// actOf reports whether a fact begins an act that may take effect outside, or reuses the output of one.
func actOf(f history.Fact) (what string, acted bool) {
	switch b := f.Body.(type) {
	case *history.StepStarted:
		return "", risky(b.Effects)
	case *history.CallIntended:
		return b.What, risky(b.Effects)
	case *history.ChildStarted:
		return "", true
	case *history.StepFinished:
		return "", b.Reused != 0
	}
	return "", false
}

func risky(e flow.Effects) bool { return e != flow.EffectsRead && e != "" }

func (p *Plan) act(node string) *Act {
	i := slices.IndexFunc(p.Acts, func(a Act) bool { return a.Node == node })
	if i < 0 {
		i = len(p.Acts)
		p.Acts = append(p.Acts, Act{Node: node})
	}
	return &p.Acts[i]
}

// judge says whether the outputs of a node can be reused: every visit must have an outcome, and each outcome must belong to one visit.
func (a *Act) judge(ended map[int]int64) {
	for _, step := range a.Steps {
		seq, ok := ended[step]
		if !ok {
			a.Why = "no outcome is recorded, and it may have taken effect"
		}
		a.outputs = append(a.outputs, seq)
	}
	if a.inside && len(a.Steps) > 1 {
		a.Why = "it was done for several branches or items, which may come in another order"
	}
}

// Kept is a node whose output is taken, and the fact that holds it.
type Kept struct {
	Node string
	Seq  int64
}

// Keep lists the outputs that are reused when the named nodes are performed again. missing are the acts that can neither be reused nor are
// named; strange are names of nodes without an act.
func (p *Plan) Keep(again []string) (keep []Kept, missing []Act, strange []string) {
	for _, node := range again {
		if !slices.ContainsFunc(p.Acts, func(a Act) bool { return a.Node == node }) {
			strange = append(strange, node)
		}
	}
	for _, a := range p.Acts {
		switch {
		case slices.Contains(again, a.Node):
		case a.Why != "":
			missing = append(missing, a)
		default:
			for _, seq := range a.outputs {
				keep = append(keep, Kept{Node: a.Node, Seq: seq})
			}
		}
	}
	return keep, missing, strange
}

// Output gives the reused output out of the fact that holds it.
func (k Kept) Output(f history.Fact) (run.KeptOutput, error) {
	out, ok := history.OutputOf(f)
	if b, taken := f.Body.(*history.OutputKept); taken {
		out, ok = b.Output, true
	}
	if !ok || f.Seq != k.Seq {
		return run.KeptOutput{}, fmt.Errorf("fact %d does not hold what %s gave", k.Seq, k.Node)
	}
	return run.KeptOutput{Node: k.Node, Output: out}, nil
}
