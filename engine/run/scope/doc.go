// Package scope says what an expression of a node sees, for one token of a run. It is pure.
//
// A Reader holds what one decision may read: the compiled flow, the state, and the outputs that were given (Reads) or that the decision
// itself has made. It loads nothing: an output that is missing is noted, and Demand leaves the decision by a panic with Halt and a *Need,
// which lists all that the transition is going to read. The runner loads that, and the decision is made again.
//
// A Scope is the view of one token: names are looked up from the innermost branch, item or round outwards, and a branch never sees a
// running sibling.
//
// In a dry run a Trial says which values are not known. What rests on one is unknown (Reader.Unknown), and Trial decides where such a value
// would decide.
package scope
