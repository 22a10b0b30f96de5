package run

import "sluice/engine/history"

// A gate that opens asks the installation, which alone knows, whether there is anybody who may answer it. The question is a timer that
// is due at once: it is stored with the gate, so that neither a crash nor a directory that is out of reach loses it, and the engine
// brings the answer along when it fires it.

// closeUnanswerable closes a gate that no person may answer. That is an error of its node: it is no decision, and the gate is not opened to all.
func closeUnanswerable(m *machine, g history.Gate, reason string) {
	m.closeGate(g, &history.GateDecided{Gate: g.ID, Choice: history.ChoiceCancelled, Note: reason})
	m.fail(g.Token, history.NodeError{Node: g.Node, Type: history.ErrorPeople, Message: reason, Permanent: true})
}
