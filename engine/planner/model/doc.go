// Package model reads a description with a language model: the model fills the step tree by structured output, and what it says counts
// only where the words say it.
//
//	Read     words -> tree.Tree, one call and at most three more to correct it    read.go
//	Compare  the finished draft against the words, a call of its own              compare.go
//	Draft    both; what Compare finds goes back once                              draft.go
//	brief    what the model is told: rules, schema, catalogue, names, words       brief.go, answer.go, schema.go
//	fill     the answer made a tree; each quote is held against the words         fill.go, fill_step.go, cond.go, said.go, find.go
//	checks   the whole tree held against the words: a list                        checks.go, change.go
//	unsaid   details that no field says                                           unsaid.go
//	Differences  what a change did, and whether its words name it                 change.go, named.go
//
// The model writes quotes, never ids, routes, expressions or values: a literal is cut out of the words, a tool, person, channel or flow
// is one of those that were listed. Look next at engine/planner.
//
// # Decisions
//
//   - The system message holds nothing of the words or the drafter, so that the service can cache it. What the words are about comes last.
//   - An element whose quote does not stand in the words is not taken over; an unknown tool leaves its step open, and the draft asks.
//   - What contradicts its words is not repaired here: it goes back to the model, and when it stays so, its words are left unread, so that
//     the draft asks about them.
//   - The name of a person or channel must share a word with the words that mean it, so that nobody is asked whom the words do not name.
//   - Numbers, times, comparisons and who must agree are read by the grammar, too. Where it reads something else, the answer goes back, and
//     people are asked when it stays so.
//   - A detail that is quoted and that no field says goes back once, beside other problems: a model may insist, and the comparison looks at it.
//   - After three corrections the best tree counts if it has steps: what is wrong in it is not understood, and the draft asks about it.
package model
