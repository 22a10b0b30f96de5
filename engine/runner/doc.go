// Package runner moves runs: it loads a run, has the pure machine (engine/run) decide about one input, stores the answer in one transaction,
// and has the effects performed by the workers of this process.
//
//	input --> Transition: load, decide, store --> Dispatch --> Work: claim, perform (engine/node), report --> Transition ...
//	                |          ^                                                                     |
//	                v          +---------------------------------------------------------------------+
//	     facts, leases, timers, gates, signals: one storage.Write
//
// Transitions of one run come one after the other in a process; the store's compare-and-set meets only other processes. What one worker
// reports may share a transaction with what others report of the same run (batch.go).
//
// The package does not know who may do what, nor what the operations on runs are called: package engine asks and then feeds an input. It
// knows neither schedules nor other processes: engine/cluster tells it through Presence whether it may act, and hands on what dead ones held.
// What a decision wants of other runs is written by Config.Signals.
//
// Where to look next: transition.go (one input of a run), live.go (a run in memory), write.go (what a decision stores), worker.go (one
// worker), create.go (the first transition), pauses.go (what people have paused), recover.go (what a crash left).
//
// Why things are as they are stands in engine/decisions.md.
package runner
