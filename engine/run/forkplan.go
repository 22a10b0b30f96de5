package run

import (
	"fmt"
	"maps"
	"slices"

	"sluice/engine/flow"
)

// ForkPlan is what forking a run from a visit means: for each of the acts that follow a person says whether what it gave is taken, or
// whether it is done again although it may have taken effect before.
type ForkPlan struct {
	Node   string
	Step   int
	Acts   []ForkAct
	Facts  []Fact // up to the fork point
	State  *State // that they fold into
	Origin string // of the run itself; "" = none
}

// ForkAct is what a run did to the outside at a node, at or after the point from which it is to be forked.
type ForkAct struct {
	Node  string
	Steps []int    // visits
	What  []string // the acts inside a step
	Why   string   // it cannot be reused; empty = it can

	inside  bool // a branch or an item
	outputs []Output
}

// PlanFork looks at a run that is to go on anew from a visit. ErrForkPoint means that something else was under way at that moment, such
// as other branches.
func PlanFork(facts []Fact, step int) (*ForkPlan, error) {
	s := &State{}
	for i, f := range facts {
		if err := Apply(s, f); err != nil {
			return nil, fmt.Errorf("follow a run: %w", err)
		}
		if t, ok := s.Forkable(step); ok {
			p := &ForkPlan{Node: t.Node, Step: step, Facts: facts[: i+1 : i+1], State: s}
			return p, p.follow(facts)
		}
	}
	return nil, ErrForkPoint
}

// follow collects the acts from the fork point on, in the order in which they began. What a run has taken over itself counts as done,
// whether it came to use it or not.
func (p *ForkPlan) follow(facts []Fact) error {
	s, ended := p.State.Clone(), map[int]Output{}
	for _, f := range facts[len(p.Facts):] {
		if out, ok := OutputOf(f); ok {
			ended[f.Step] = out
		}
		if what, acted := actOf(f); acted {
			p.note(s, f, what)
		}
		if err := Apply(s, f); err != nil {
			return fmt.Errorf("follow a run: %w", err)
		}
	}
	p.Origin = s.Origin
	for i := range p.Acts {
		p.Acts[i].judge(ended)
	}
	for _, node := range slices.Sorted(maps.Keys(s.Reuse)) {
		for _, seq := range s.Reuse[node] {
			if out, ok := facts[seq-1].Body.(*OutputKept); ok {
				a := p.act(node)
				a.outputs = append(a.outputs, out.Output)
			}
		}
	}
	return nil
}

// actOf says whether a fact begins something that may take effect outside, or takes what that gave.
func actOf(f Fact) (what string, acted bool) {
	switch b := f.Body.(type) {
	case *StepStarted:
		return "", risky(b.Effects)
	case *CallIntended:
		return b.What, risky(b.Effects)
	case *ChildStarted:
		return "", true
	case *StepFinished:
		return "", b.Reused != 0
	}
	return "", false
}

func risky(e flow.Effects) bool { return e != flow.EffectsRead && e != "" }

func (p *ForkPlan) act(node string) *ForkAct {
	i := slices.IndexFunc(p.Acts, func(a ForkAct) bool { return a.Node == node })
	if i < 0 {
		i = len(p.Acts)
		p.Acts = append(p.Acts, ForkAct{Node: node})
	}
	return &p.Acts[i]
}

func (p *ForkPlan) note(s *State, f Fact, what string) {
	a := p.act(f.Node)
	if t := s.Token(f.Token); t != nil && t.Frame != 0 {
		a.inside = true
	}
	if s.Revision != p.State.Revision {
		a.Why = fmt.Sprintf("it was done under revision %d, where it may be another act", s.Revision)
	}
	if !slices.Contains(a.Steps, f.Step) {
		a.Steps = append(a.Steps, f.Step)
	}
	if what != "" && !slices.Contains(a.What, what) {
		a.What = append(a.What, what)
	}
}

// judge says whether what a node gave can be reused: every visit must have an outcome, and it must be clear whose it is.
func (a *ForkAct) judge(ended map[int]Output) {
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

// Keep lists the outputs that are taken when these nodes are done again. missing are the acts that can neither be taken nor are among
// them; strange are names of nodes that did nothing.
func (p *ForkPlan) Keep(again []string) (keep []KeptOutput, missing []ForkAct, strange []string) {
	for _, node := range again {
		if !slices.ContainsFunc(p.Acts, func(a ForkAct) bool { return a.Node == node }) {
			strange = append(strange, node)
		}
	}
	for _, a := range p.Acts {
		switch {
		case slices.Contains(again, a.Node):
		case a.Why != "":
			missing = append(missing, a)
		default:
			for _, out := range a.outputs {
				keep = append(keep, KeptOutput{Node: a.Node, Output: out})
			}
		}
	}
	return keep, missing, strange
}
