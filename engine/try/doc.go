// Package try finds out what a flow would do without doing anything: a dry run.
//
// It feeds the real machine (engine/run) in memory: facts that are not stored, acts that are not performed. What a step would have
// given comes from a sample, from what a recorded run got, from the schema that a tool or agent declares, or is not known.
// Values that were made up or are not known decide nothing: where one would, every way stays open and is walked by itself.
//
//	                     +--> approve --> ... --> end      walk 1
//	start --> amount? ---+--> reject  --> end              walk 2
//	  (certain)          +--> otherwise --> ...            walk 3
//
// What all walks have in common is certain, what some reach is possible; what only a failing step, a join that is not satisfied
// or a limit leads to is exceptional. How much is walked is bounded (explore.go); what lies behind a bound is possible, and the
// result names the bound.
//
// Replay is the other question: what would another revision have made of runs that are over? What they got from outside (inputs,
// outputs and errors of every attempt, answers, the times of all of them) is fed to the other revision in the order in which it
// came, and the visits of both are compared.
//
// The package knows no store, no people and no pictures: package engine brings inputs and recorded values, bot/project draws.
//
// Where to look next: try.go has the request and the result, explore.go the walks, walk.go one of them, value.go where values come
// from, reach.go what the graph alone says, stage.go the machine in memory; replay.go and
// record.go are the replay, repeat.go, hold.go, judge.go and hear.go its parts; engine/run/trial.go is what the machine asks.
//
// # Decisions
//
//   - The machine tells what every expression reads, and the trial says which of it is not known; routes up to the first that certainly
//     matches are open. The other way, to compare what two made-up values lead to, would miss what neither of them happens to show.
//   - Whole outputs, variables and inputs are uncertain, not their fields, and everything that is made from an uncertain value is
//     uncertain: a condition that reads a certain field of an example is open too.
//   - A recorded value decides: it is what this step really gave, if for another run. The result says which.
//   - No step fails in a trial. Error routes, join timeouts and what follows behind them is found in the graph alone, and has a mark
//     of its own: else a flow in which every step has an error route would be possible everywhere and certain nowhere. A
//     question's deadline is no failure: its timeout is walked like a choice.
//   - What is behind a join that lets the first through depends on who is first: what its branches leave is uncertain, and
//     the nodes inside are possible at best.
//   - One walk branches into the same way twice, so that loops end; of the ways not walked, the graph says what cannot be missed.
//   - A replay names a visit by its node, its branches and items, and its number there. What is recorded for a visit is fed to the same
//     visit of the candidate. Crashes are not repeated. Pauses are, and waiting in a queue: that time counts for no limit, and timers
//     that fire meanwhile wait. What a forked run took over it takes over again. A token that had to wait its turn is taken up when it was; votes
//     count for the gate that they were given at. A question that was not asked, an answer that does not fit, a step that is
//     reached anew or not any more is a difference; nodes that only compute may come and go. A step without a recorded outcome is
//     where the replay ends as unknown: when it is new, or another tool. Other parameters on the same way are noted, and are no
//     difference: else every change of a message's words would be one.
//   - Facts do not say where one decision ended and the next began, nor who took a token up when. Both matter where tokens share variables:
//     so of the ways in which a worker can go on the replay takes the one that gives the facts that follow in the record.
//   - The words of a message are made by the flow itself; everything else that acts gives a value by the rules above, so that a
//     new kind of node needs nothing here. So do subflows and events: a subflow succeeds, and an event happens. What a child does inside
//     is for a trial of its own flow. What a model would think of an outcome is not known: what depends on it is open. A replay takes
//     the recorded verdict on a question of the same words.
package try
