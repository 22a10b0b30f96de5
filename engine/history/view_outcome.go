package history

import (
	"slices"
)

// sumOutcome marks gates that refused or timed out, unlike those after which the run went on, and steps that a person skipped. A refusal that
// is not firm counts as long as the run does not act after it.
func (v *View) sumOutcome() {
	for i := range v.Visits {
		x := &v.Visits[i]
		if x.Ended.IsZero() || x.State != StateComplete && x.State != StateRefused && x.State != StateTimedOut {
			continue
		}
		x.State = StateComplete
		switch {
		case x.Choice == ChoiceSkip && x.GateKind == GateFailure:
			x.State = StateByHand
		case x.Ends == OutcomeTimedOut:
			x.State = StateTimedOut
		case x.Ends == OutcomeRejected && (x.Firm || v.refusedBy(x.Node)):
			x.State = StateRefused
		}
	}
}

// refusedBy reports whether a node's decision is why the run, or a token of it, is not done.
func (v *View) refusedBy(node string) bool {
	all := []*Ending{v.state.Ending}
	for i := range v.state.Tokens {
		all = append(all, v.state.Tokens[i].Ending)
	}
	return slices.ContainsFunc(all, func(e *Ending) bool { return e != nil && e.Node == node })
}
