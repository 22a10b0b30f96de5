// Package validate checks a flow document as a whole: its header, inputs, triggers, agents and nodes, and where its edges lead.
//
//	Flow    a flow that was built, or read from storage
//	Read    a flow that was read from a file, whose problems have a place in it
//
// What a kind of node has of its own is checked by the kind, in engine/flow/kind_NAME.go, with the same flow.Checker.
//
//	validate.go    the order of the checks, the header
//	node.go        what all nodes have: ids, routes, retries; rules.go has what only other formats have
//	paths.go       unknown targets, nodes that nothing leads to, cycles
//	inputs.go      inputs; triggers.go and agents.go what their names say
//	priced.go      limits in USD on models without a price
//	script.go      ids that mix scripts, or look like another one
//
// The package is pure. It does not know expressions, tools or cron schedules: callers pass these as flow.Checks. What a flow says about
// tools, fields and people is checked by engine/typecheck.
package validate
