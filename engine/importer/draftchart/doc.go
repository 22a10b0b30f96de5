// Package draftchart reads and writes draft flowcharts: the draft that is discussed, the published file with a draft and its flowchart map,
// and the runtime graph of an agent.
//
//	draft --Enrich--> enriched draft --Dissolve--> runtime graph and map --> flow
//	                        |                                                  |
//	                        +------------- chart, map: live status <-----------+
//
// [Enrich] fills in what an author leaves out, and [Classify] finds the flowchart type of a node. [Dissolve] moves the decisions into the nodes
// before them, and remembers by a map where each node went. [Fallback] makes a draft of a runtime graph that has none. [Planning] is the
// gate between a draft and building it. [Status] shows a run on the draft. [Decode] makes a flow of a document, and [Encode] gives the
// document back.
//
// The package does not know files, engines or people. engine/importer chooses among formats; engine/run runs the flow.
//
// # Decisions
//
//   - The flow has a verdict for every clause, instead of one for the text that joins them: when several decisions follow each other, the
//     first clause that is not met decides. The flat form of [Dissolve] is for export.
//   - The label of a decision's edge decides before its condition, since the condition is on_success when nobody has set it.
//   - A draft without edges is a chain. A node that is named as terminal ends its path, also when it has edges: they are drawn only.
//   - A conditional edge of a draft has no expression: a model is asked whether it holds. In a runtime graph an empty expression holds.
//   - Answers are a memory (flow.Rules.Memory): an output key of any node is read by its bare name.
//   - Edges under on_failure take technical errors, too, unless they come from a decision.
//   - A judge without a usable answer does not accept by itself: a person is asked, as in every flow.
package draftchart
