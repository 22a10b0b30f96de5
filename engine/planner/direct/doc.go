// Package direct reads a reply in words as a change of a flow that has no step tree, because it came from another program: "rename 2 to
// Check", "step 3 should say Hello", "change days to weeks", "remove 4", "add after 2: write a summary".
//
//	Apply    the flows that the words may mean, the likeliest first    direct.go
//	forms    what each way to ask does                                 forms.go
//	texts    what a step says, and where                               texts.go
//
// A step is named by its number, its name or its id. Words that are no change give ErrNone.
//
// The package does not know formats: engine/importer says which of the flows can be written in the one that the flow came from. Words about
// a step tree are read by engine/planner/change.
package direct
