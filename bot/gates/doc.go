// Package gates answers the questions of runs for people: by a button, by a command, by words in a run's thread, and for failed steps by
// retry and skip. Every answer ends in decide, which asks Engine.Answer; the gate itself is decided there and nowhere else.
//
// gates.go answers one question, find.go finds the question that words are for, reply.go takes words that were not said to the bot, mend.go
// is about failed and expired questions, approvals.go lists what waits for a person.
//
// form.go asks for an answer in a form and takes it: another way to make an engine.GateAnswer, which ends in decide, too.
//
// asks.go asks a person by name, and changes the arguments of a call that waits for approval; neither decides a gate.
//
// The package does not know which button or command leads to it (bot), nor how a question looks (bot/surface).
//
// Why things are as they are stands in decisions.md.
package gates
