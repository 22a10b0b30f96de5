package run

import (
	"sluice/engine/flow"
	"sluice/engine/flow/refusal"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// judgeChoice says in the decision of a gate what it means for the outcome of the run.
func judgeChoice(m *machine, n *compile.Node, g history.Gate, b *history.GateDecided) {
	if n == nil || g.Kind != history.GateApproval && g.Kind != history.GateAsk {
		return
	}
	if b.Choice == history.ChoiceTimeout {
		b.Ends = history.OutcomeTimedOut
		return
	}
	means, agrees := m.Program.Flow().Refusal(n.Node, b.Choice)
	b.Firm, b.Settles = means == refusal.Firm, agrees
	if means != refusal.None {
		b.Ends = history.OutcomeRejected
	}
}

// dropsRefusal reports whether an act shows that the run went on after a refusal.
func dropsRefusal(t *history.Token, n *compile.Node, effects flow.Effects) bool {
	return t.Ending != nil && !t.Ending.Firm && history.RiskOf(effects) > 0 && (n == nil || !n.Tells() && n.Kind != flow.KindEmit)
}

// failureOutcome is the outcome of a run that a failed token stops: it timed out, at a gate or as a whole, or it failed.
func failureOutcome(m *machine, failed history.Token) history.Outcome {
	e := m.State.LastError
	if e == nil {
		return history.OutcomeFailed
	}
	if e.Type == history.ErrorGate || e.Type == history.ErrorLimit && e.Limit == history.LimitActive {
		return history.OutcomeTimedOut
	}
	if fr := m.State.FrameOf(failed.ID); fr != nil && e.Type == history.ErrorJoin { // its branches failed only at gates without an answer
		late := 0
		for _, br := range fr.Branches {
			if br.Failed && br.Error != nil && br.Error.Type != history.ErrorGate {
				return history.OutcomeFailed
			} else if br.Failed {
				late++
			}
		}
		if late > 0 {
			return history.OutcomeTimedOut
		}
	}
	return history.OutcomeFailed
}

// endFact is the fact that ends a run all of whose paths have ended.
func endFact(m *machine) *history.RunEnded {
	b := &history.RunEnded{Status: history.Succeeded, Outcome: history.OutcomeDone, Output: m.result, Reason: m.reason, Ending: m.State.Ending}
	if b.Ending != nil {
		b.Outcome = b.Ending.Outcome
	}
	return b
}
