package run

// A gate that opens asks the installation, which alone knows, whether there is anybody who may answer it. The question is a timer that
// is due at once: it is stored with the gate, so that neither a crash nor a directory that is out of reach loses it, and whoever
// fires it brings the answer along.

// askPeople lets the installation find out who may answer a gate that has just been opened. Questions about what went wrong are never
// closed for want of people: there would be nothing left to do with the run.
func (m *machine) askPeople(t Token, g *GateOpened) {
	if m.c.People && (g.Kind == GateApproval || g.Kind == GateAsk || g.Kind == GateAgent) {
		m.setTimer(t, Timer{Kind: TimerPeople, Gate: g.Gate, Due: m.now})
	}
}

// unanswerable closes a gate that nobody may answer. It is an error of its node, never a decision, and never open to all instead.
func (m *machine) unanswerable(g Gate, reason string) {
	m.closeGate(g, &GateDecided{Gate: g.ID, Choice: ChoiceCancelled, Note: reason})
	m.fail(g.Token, NodeError{Node: g.Node, Type: ErrorPeople, Message: reason, Permanent: true})
}
