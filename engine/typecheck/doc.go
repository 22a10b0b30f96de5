// Package typecheck says what a flow says against what there is: the fields, parameters and types of tools, inputs, agents and gates,
// and the names of people, channels, secrets and other flows. Whether the document itself is right says engine/flow.
//
//	Check      every problem of a flow, as flow.Problems
//	World.Report  the same for flow.Checks, which adds line and column of the file
//	Unchecked  writing steps that do not get the value that was checked or approved
//
// One check works for words, files and models. It depends on neither Slack nor a store: callers pass functions for names and other flows.
//
// The way of a check: walk.go finds every expression, template and parameter of the flow. shape.go says what a schema or a value is.
// infer.go gives each part of an expression its shape, names.go those of names (an input, a variable, a step), result.go what a step
// gives, compare.go looks at comparisons, functions.go at what functions take and give. params.go compares what a tool, or another flow, gets with what it takes, address.go texts that must be a URL, a
// channel or a person. fields.go lists the fields of schemas. order.go knows which steps have run before another, unchecked.go what was checked before a step writes.
//
// # What schemas may say
//
// A text parameter with format uri, or with x-sluice: url, takes a URL. With x-sluice: address it takes a channel or a person, and with
// x-sluice: channel a channel. Without these words a description that shows how both are written (#channel, @person) means an address,
// and one that shows http:// a URL.
//
// # Decisions
//
//   - A problem is an error only where the flow cannot work: a call that its own schema refuses, a comparison that is never true, a name
//     that nothing gives. What may still be right is a warning.
//   - A result with properties is known, and another field is a warning; with additionalProperties false it is an error; with
//     additionalProperties true, or with a part of JSON Schema that is more than properties and items, nothing is said.
//   - A bare name may be a field of an agent's answer. It is unknown only if no agent of the flow can give it.
//   - A literal in a parameter is held against the schema itself, instead of by rules of our own, so that the check says what the call
//     would say.
//   - An equality test with a literal does not make another literal wrong: "if the status is open, set it to closed".
//   - Flows of other formats have names and rules of their own: only their tools are checked, and whether the names of a call's parameters
//     are those that its tool takes. Such a call is a warning, because the format may go on after a call that failed.
package typecheck
