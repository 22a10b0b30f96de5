// Package change reads a reply in words as a change of a step tree: "make it 300 instead of 100", "swap 3 and 4", "remove 9".
//
//	Apply      the changed tree, and a sentence that says what is different       change.go
//	AtEnd      likewise for words that are steps and name no place                change.go
//	StandIn    likewise for words in the place of some that were not understood   place.go
//	draft      finds steps, and reads words of the change                         draft.go
//	forms      what each way to ask does: to steps, to their words, to people,
//	           to what follows an answer, to times and what starts the flow       ops.go, words.go, people.go, outcome.go, terms.go
//	measured   a quantity, and what has it: "the limit should be 300"              measure.go
//	reason     changes that say why                                               reason.go
//	answers    what follows an answer: steps, the end, an earlier or a later step     answers.go
//	dropped    a clause of the words that a change leaves out                     dropped.go
//	lost       what a rewritten step takes along, and what is left of its sentence    lost.go
//	held       quantities of the steps that words can exchange                    held.go
//	NearestIn  the forms that are like words which are none of them               near.go
//
// Pattern and SameClock are what other readers of changes need, too: engine/planner/direct and engine/planner/model.
//
// A step is named by its number or by words that only it is about. A form that does not fit gives ErrNone, and the next one is tried. The
// forms are few: most have an example in the README, and other wordings are answered with the nearest of these. What
// asks people less often than before, or puts an action in front of their answer, is confirmed by a person (tree.Objection).
//
// New words are read by engine/planner/outline; engine/planner plans the tree that comes out.
package change
