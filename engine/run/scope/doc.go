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
//
// # Decisions
//
//   - Written says which parts of a text for people a language model wrote: those that are values of expressions which read nothing but
//     outputs that a model wrote. It knows them by their bytes; where somebody changes the text afterwards, nothing in it counts as the model's.
//     Variables, items and results of other steps do not keep who wrote them.
package scope
