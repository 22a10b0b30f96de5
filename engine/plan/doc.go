// Package plan turns words into a flow.
//
// [Read] finds the steps of an outline, [Outline.Edit] changes single steps, [Build] makes a flow of them, and [ReadBack] says in
// words what a flow does. No model takes part: a step means what its words say, or it is quoted back.
package plan
