// Package compile makes a flow ready to run: it parses every expression and template once, and computes what each node reads. It is pure,
// and knows nothing of a run's state.
//
// Flow gives a Program. A Program does not change after Bound, and any number of runs and goroutines may use it at once.
//
// Paths are what expressions read of earlier outputs. Those of a node are collected ahead (Program.look): its own, its routes', and
// those of the pure nodes behind it, which the same transition passes. So one query loads all that a transition needs.
package compile
