// Package plan turns words into a flow, without a model.
//
//	Read            text -> Outline: a name and numbered steps            read.go, schedule.go, event.go
//	Outline.Edit    "2. ...", "add after 2: ...", "2 goes to @name"       edit.go
//	Outline.Said    who "me" is                                           said.go
//	Build           Outline + catalogue -> Proposal: a flow and notes     build.go
//	ReadBack        flow -> numbered sentences                            readback.go
//	Review          flow from elsewhere -> Proposal: numbers and notes     review.go
//	Change          flow + "3 goes to @name", "add after 2: ..." -> flow   change.go, change_graph.go
//
// On the way from a line to nodes:
//
//	words (words.go, number.go) -> statement (statement.go, ask.go, branch.go, condition.go, answer.go)
//	    -> nodes: decide.go, gate.go, tell.go, and for everything else a tool (match.go) with its parameters (fill.go)
//	    -> graph.go, whose methods are the edits of a planner: add, connect, jump, prune
//	    -> finish.go, base.go, dominate.go: what belongs to the flow as a whole
//
// What a step means is decided by its words alone. A step begins with a word of the language (ask, tell, say, wait, stop, go to,
// if, unless, otherwise) or with the verb of a tool. A step that no tool, or more than one, could do becomes a placeholder, whose
// note blocks approval; words that nothing explains are quoted back in a note; nothing is dropped in silence.
//
// The room knows no tool, field or channel by name: renaming all of them alike in the catalogue and in the words gives the same
// graph (rename_test.go, names_test.go). The tool behind "tell" is recognised by its shape (messaging.go). It does not know Slack,
// runs, or who may approve; whether names and secrets exist is asked through [Options]. Look next at bot/draft.go, which shows
// proposals, and at engine/flow, which says when a flow is valid.
//
// # What is safe
//
//   - A decision has three ways: the condition holds, it does not, or a value is missing. What is missing goes to people, if one
//     of the sides begins by asking some, else the run ends and says so. It never takes the side that does something.
//   - Behind a gate only the first choice goes on. Every other choice ends the run, also when words say what is done instead.
//   - A step must begin with the verb of its tool: "cancel the refund" does not refund. A step with a "not" in it is not done, and
//     one that limits what is done ("half of it") waits for words that are understood.
//   - A step reads only results that every way to it passes.
//
// # Decisions
//
//   - A step that came with an imported flow and cannot be run is a warning by its name (Opaque), computed from the flow whenever a draft
//     is shown, and blocks nothing: the other ways may be worth running.
//   - The condition of a decision stands on its routes and the value in its expr, instead of a true-or-false expr as in the
//     example of the format: a new limit then changes bounds on one value, which can be compared with the old ones, and "why this
//     branch" shows the value.
//   - The message to the requester at the end of a refused way is a say node in the run's thread, instead of a direct message: it
//     stands where the question and its answer stand.
//   - A parameter that the words of an earlier step gave is taken over ("check host web-1", then "restart it") before a run is
//     asked for it; and an optional parameter whose value a condition looked at is passed on, so that what was checked is what is
//     done.
//   - "@a and @b" are two gates, instead of one with a quorum of two: a quorum over groups could be met by one of them alone.
//   - "Me" is replaced when words arrive, instead of when they are built: later, somebody else may edit another line.
//   - Change edits a graph where Edit edits lines, because a flow that came from a file has more than lines can say. It refuses what it
//     cannot do without touching something that the words do not name: a step with several ways out, a result that others read.
//   - What happens (a message, a reaction) is read in front of the steps only, in a few fixed forms; words that say more of the message
//     than these forms can are no trigger that ignores them, but a step that is asked about. "says" means whole words, "contains"
//     any place, and <name> a value without the signs beside it; the pattern is written so that the read-back can say the words again.
//   - A value that no message gives blocks nothing, other than for a schedule: people are there, and are told what to type.
//   - A message lists up to eight plain values of the last result; schemas do not say which of them matter.
package plan
