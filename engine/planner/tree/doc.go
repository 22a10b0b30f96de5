// Package tree holds what words say before it is a flow: nested steps, triggers, inputs and a name, each with the quote from the words
// that says it.
//
//	Tree     texts, name, inputs, triggers, steps                     tree.go
//	Step     one step and the branches below it                       step.go
//	Value    a literal or the name of something, and what it means    value.go
//	Quote    a range of one of the texts                              quote.go
//	LeftOut  words that a person has set aside                        left.go
//
// The readers (engine/planner/outline, engine/planner/model) fill a tree, engine/planner resolves its open places, asks about them and
// lowers it to a flow. A tree never holds node ids, routes or expressions. A draft stores it as JSON.
//
// The package depends on no tool, person, channel or grammar. Look next at engine/planner.
//
// # Decisions
//
//   - A step has one Branches list for every kind that contains steps, so that walking, numbering and changing need no case per kind.
//   - A quote is a range of bytes and not a copy: the account needs to know which letters of a text became something.
package tree
