// Package routing reads and writes workflows of the 2nChat kind: JSON with agents and a tool executor as nodes, and edges that are taken by
// the name that an agent gives as the next one, or by the tool that was called.
//
// [Recognise] tells such a workflow by its keys, [Decode] reads it, and [Encode] gives it back. agents.go has the agents, nodes.go the nodes
// and edges.
//
// It does not know tools: whether those of an agent exist is checked where the flow is.
//
// # Decisions
//
//   - Ids of nodes stay as they are. The flow is named after the id of the workflow, so that importing it again gives a revision.
//   - A workflow names agents of the installation. They may also be listed under agents in the same file, each as its own file has it.
//     One that neither has is an error. Where neither has any agents at all it is a warning, and a run fails when it gets there.
//   - An edge to or from a node that is not there is left out with a warning.
//   - A run has 15 visits and 90 seconds of work. At either limit a node called human_handoff goes on; without one a person is asked.
//   - A human_handoff node without an agent is a question to people.
package routing
