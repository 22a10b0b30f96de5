package run

import (
	"slices"
	"strings"

	"sluice/engine/flow"
)

// endRun ends the whole run at a terminal: its output is the run's, and everything else that is live is ended in the same
// transition, like the branches that a join does not wait for.
func (m *machine) endRun(id int) {
	own := m.tok(id)
	others := slices.DeleteFunc(m.inside(0), func(t Token) bool { return t.ID == id })
	m.reason = m.unknown(others)
	m.clear(others, nil, ChoiceSuperseded)
	m.emit(own, &PathEnded{Reason: EndTerminal})
	m.endAll(others)
	m.todo, m.result = nil, own.Prev
}

// endAll ends tokens, those inside of frames before the ones that opened the frames.
func (m *machine) endAll(tokens []Token) {
	for _, t := range slices.Backward(tokens) {
		m.emit(m.tok(t.ID), &PathEnded{Reason: EndCancelled})
	}
}

// unknown says which once acts of tokens that are about to be ended may have happened; empty when there are none. What this decision
// itself has started nobody has begun.
func (m *machine) unknown(tokens []Token) string {
	var acts []string
	for _, t := range tokens {
		begins := slices.ContainsFunc(m.effects, func(e Effect) bool { p, ok := e.(Perform); return ok && p.Token == t.ID })
		if !begins && t.Phase == PhaseStarted && t.Done == 0 && t.risk() == flow.EffectsOnce || t.doubtful() {
			acts = append(acts, m.what(t))
		}
	}
	if len(acts) == 0 {
		return ""
	}
	return "not known whether it took effect: " + strings.Join(acts, ", ")
}
