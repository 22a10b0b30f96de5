// Package readback describes in sentences what a flow does, from its graph alone.
//
//	Lines      numbered sentences                                          readback.go, node.go, gate.go, side.go, value.go, start.go
//	May        what a run may do; Details has the names of its tools       may.go
//	Review     what a drafter should know of a flow that no words made     review.go
//	Chart      the picture, with numbers and open steps                    chart.go
//
// It knows nothing of the words that a flow was made of, so that an approver can hold one against the other.
package readback
