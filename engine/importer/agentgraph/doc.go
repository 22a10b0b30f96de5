// Package agentgraph reads and writes graphs of agents: one start, agents, ifs and approvals, and connections between their handles.
//
// [Decode] makes a flow of a document, and [Encode] gives the document back. [Upgrade] writes an older document in today's form. [NewRecord] shows a
// run in the format's own words: its status, the outputs of its nodes, and its log.
//
// The package does not know files, engines or people. engine/importer chooses among formats; engine/run runs the flow.
//
// # Decisions
//
//   - What the format refuses before a run is an error of the document, so that no run of it can begin. A connection to a node that does not
//     exist is such an error.
//   - The model and the reasoning effort are the installation's unless the document names a model.
//   - A node of an unknown type is skipped, and the output before it stays the previous output.
//   - A tool that is not installed is left out of an agent's tools.
//   - The format takes any answer at an approval, and approves unless it contains reject. Here an answer is one of the two choices.
package agentgraph
