// Package session answers programs that ask for the flowchart of a session: a draft that is discussed in a thread, or a run.
//
//	GET /api/sessions/{id}/draft-graph     {"draft": ...}                  the chart under discussion
//	GET /api/sessions/{id}/flowchart-map   {"map": ..., "original_draft": ...}  which step became which node, once it is approved
//	GET /api/sessions/{id}/draft-status    {"nodes": {"node of the draft": {"status": ..., "color": ...}}}  where a run stands
//	GET /api/sessions/{id}/record          a run of a graph of agents in the words of that format: its status, outputs and log
//	PUT /api/workflows/{id}                the definition of a flow: a draft of it is shown in its channel, and approved there as every draft
//	DELETE /api/workflows/{id}             the flow starts no run any more; its live runs go on
//	GET /api/sessions/{id}/events          text/event-stream: draft_graph_updated, flowchart_map_updated, draft_status_updated
//
// id is that of a draft or a run, or a run's name such as refund-12. A draft stands for its thread: the newest draft there is shown.
// A request has a token (engine/token) as Authorization: Bearer ..., and sees what the token's person may see in Slack at that moment;
// everything else is answered as if it did not exist. state.go finds a session, run.go shows its run,
// events.go follows it.
//
// The package starts and decides nothing. engine/importer/draftchart has the charts, engine/importer/agentgraph the record; bot/httpapi listens.
//
// # Decisions
//
//   - A reader of events gets the whole state when it connects and after each change. It needs no history: one that comes back misses nothing.
//   - Changes are found by looking at the session's rows once a second, since another process may have made them. What a person may see is
//     asked again each time something is sent, and at least twice a minute.
//   - The record of a run of more than 2,000 facts has the entries of the newest, and of those that say how it began and what was asked.
//   - A token is read from the header only. In an address it would end up in logs.
package session
