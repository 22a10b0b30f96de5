package run

import (
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
)

// endRun ends the whole run at a terminal: its output is the run's, and everything else that is live is ended in the same
// transition, like the branches that a join does not wait for.
func endRun(m *machine, id int, outcome history.Outcome) {
	own := m.Token(id)
	others := slices.DeleteFunc(m.inside(0), func(t history.Token) bool { return t.ID == id })
	m.reason = unknownActs(m, others)
	m.clear(others, nil, history.ChoiceSuperseded)
	m.emit(own, &history.PathEnded{Reason: history.EndTerminal, Outcome: outcome})
	endAll(m, others)
	m.Queue, m.result = nil, own.Prev
}

// endAll ends tokens, those inside of frames before the ones that opened the frames.
func endAll(m *machine, tokens []history.Token) {
	for _, t := range slices.Backward(tokens) {
		m.emit(m.Token(t.ID), &history.PathEnded{Reason: history.EndCancelled})
	}
}

// unknownActs names the once acts of tokens about to end that may have happened; empty when there are none. An act that this same decision has
// started has not begun.
func unknownActs(m *machine, tokens []history.Token) string {
	var acts []string
	for _, t := range tokens {
		begins := slices.ContainsFunc(m.effects, func(e Effect) bool { p, ok := e.(Perform); return ok && p.Token == t.ID })
		if !begins && t.Phase == history.PhaseStarted && t.Done == 0 && t.Risk() == flow.EffectsOnce || t.MayActTwice() {
			acts = append(acts, m.actWords(t))
		}
	}
	if len(acts) == 0 {
		return ""
	}
	return "not known whether it took effect: " + strings.Join(acts, ", ")
}

// cancel ends everything that is still live.
func (m *machine) cancel(reason string) {
	m.Queue = nil
	all := m.inside(0)
	unknown := unknownActs(m, all)
	m.clear(all, nil, history.ChoiceCancelled)
	endAll(m, all)
	if reason != "" && unknown != "" {
		reason += "; "
	}
	reason += unknown
	m.emit(history.Token{}, &history.RunEnded{Status: history.Cancelled, Outcome: history.OutcomeStopped, Reason: reason})
	tellParent(m, history.Cancelled, reason)
}

// tellParent tells the run that waits for this one that it is over.
func tellParent(m *machine, status history.Status, reason string) {
	if parent := m.Start().Parent; parent != "" {
		m.effect(TellParent{Parent: parent, Status: status, Reason: reason})
	}
}
