// Package lower makes a valid flow of a step tree.
//
//	Flow       the flow, the nodes of each step, and notes     lower.go
//	graph      nodes, ways between them, unique names          graph.go
//	ask        gates: choices, who, how many, deadlines        gate.go, choice.go, shown.go, deadline.go
//	decide     conditions                                      decide.go, cond.go
//	each ...   loops, branches, waiting                        blocks.go
//	tell       messages                                        tell.go
//	value      results and inputs in expressions               value.go
//	whole      name, inputs, triggers, limit of the run        whole.go
//	stop       how ways end, what is done on errors            ends.go
//	keep       what a flow had that is revised                 base.go, kept.go
//
// It reads no words and asks no questions: steps with an open question become nodes that wait for a person. engine/planner/raise is the
// inverse, and engine/planner/idiom has the forms in which nodes are written.
//
// # Decisions
//
//   - Behind a question only the first choice goes on. A choice that has a branch and is no refusal goes on behind it; everything else ends
//     the run. A refusal behind which more is done than to tell people is an answer like any other: the run is not rejected. A decision about
//     nothing but the answer just before it is part of the question.
//   - Branches that meet do not know which of them ended early: such an end is a terminal with an output, and a decision behind the meeting
//     reads it. The format has no node that ends the whole run from inside a branch.
//   - A repeat is a circle with a counter that is a text, since expressions cannot add. Its visits are added to max_iterations.
//   - A limit of the whole run is a wait beside the steps, and the first of both goes on: the timeout of a flow counts active time only.
//   - A refusal or failure inside of an item does not make the run rejected or failed.
//   - The node of a step that no change touched stays as it was written.
package lower
