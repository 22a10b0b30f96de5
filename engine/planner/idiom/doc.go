// Package idiom is how the flows of steps are written: the names, marks and forms of expressions that engine/planner/lower writes and by
// which engine/planner/raise and engine/planner/readback recognise what a node was made of.
//
//	Unsure, Stopped, Late, NotKnown         what only such flows have           marks.go
//	Literal, InputName                      names and values in expressions     expr.go
//	Answered, Filled                        answers and templates               expr.go
//	ReadCondition, OfRoute                  expressions taken apart             condition.go
//	Moment                                  times that values of a run give     wait.go
//
// It depends on no tree and no sentence.
package idiom
