// Package flow is the flow document: its types, its canonical bytes, and one record for each kind of node.
//
// [Flow] is the document. [Canonical] gives the bytes that are hashed, stored and approved. [Node.Describe] says in words what a node does.
// kinds.go has the list of kinds; each has a file kind_NAME.go with its fields, checks, targets, words and chart type.
//
// The package is pure: it reads no file and never asks for the time. It does not know expressions, tools or
// cron schedules: callers pass these as [Checks].
//
// Where to look next: engine/flow/validate checks a flow; engine/flow/file reads and writes flow files; engine/flow/chart makes the chart;
// engine/flow/approval says what a revision newly allows; engine/expr is the language of conditions and templates; engine/run executes a
// flow.
//
// # Decisions
//
//   - Defaults are written out where a flow is read, so that other packages never ask for them.
//   - Free values (params, inputs) hold float64 for numbers, as JSON does everywhere else; integers that float64 cannot hold exactly stay
//     int64.
//   - Where an id becomes a name for people, only the first word gets a capital: "check-tier" is "Check tier", as a person would write it
//     in a chat.
//   - The parts that only other formats have (Rules, a route's If and Priority, a node's Policy, NoMatch, Criteria, Subagents, Aside and Arrivals,
//     the Cases of a decision) are in the canonical form and its hash, and in no file: an importer sets them. In such a flow a node that can
//     never be reached is a warning, and a cycle needs no cap.
//   - A deadline is a length or a time ("by Friday at noon"). Nothing compares the two: one that becomes a time counts as a weaker gate.
//   - The kinds that only imported flows have are in the same list of kinds as the others, and marked.
//   - A loop and a sequence keep the token, and with it the scope: the variables of the run are shared by all rounds and parts. A foreach
//     and a parallel node isolate their items and branches instead.
package flow
