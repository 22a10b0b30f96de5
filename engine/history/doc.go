// Package history defines the facts of a run and makes its state from them: the durable half of the machine. It is pure.
//
// A Fact states what happened. Apply is the only way a State changes: folding Apply over a run's facts, in order, gives the run's state.
// Apply evaluates no expression, never looks at the flow, and can apply every fact that any release ever wrote. Package run decides which
// facts come next, and may change with every release; this package must not import it.
//
//	run.Decide -> Fact -> Encode -> storage -> DecodeFact -> Apply -> State
//	                                                     \-> View: what people see
//
// To add a kind of fact: write its body type with its method apply, and add its record to table (kinds.go). A record is never removed.
// A body that changes its form gets a lift, which turns the stored body of the release before into today's.
//
// Names in stored data (fact kinds, JSON fields) never change, also where the code has a better word today.
package history
