// Package raise finds the steps of a flow from a file, so that words can change it.
//
//	Tree     the steps, when lowering them gives the same flow again     raise.go
//	Steps    the steps, unchecked                                        raise.go, branch.go, step.go
//	Names    what the values and nodes of a flow are called in a draft   names.go
//
// It fails for a flow that steps cannot express: such a flow is changed in its file.
//
// # Decisions
//
//   - Steps that were raised have the ids of their nodes.
package raise
