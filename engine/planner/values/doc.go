// Package values reads what means the same wherever it stands in a description: values, conditions, amounts, the names of inputs and
// fields, lists of answers.
//
//	Source       a text of a tree: its words as they stand, and the quotes of them    values.go
//	Matching     the words of a message -> a regular expression                       match.go
//	Term, Amount durations and amounts in words                                       values.go
//	Condition    "over 100", "paid or sent", "not empty": comparisons                 cond.go
//
// It knows no steps: engine/planner/outline reads those, and uses it for what stands in them.
//
// # Decisions
//
//   - A condition that cannot be compared keeps its words and no comparison, and a person decides it. A half that cannot be compared takes the
//     other half along, because a half would mean something else.
package values
