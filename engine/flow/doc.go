// Package flow is the document: what a flow says, how it is written in a file, when it is valid, what it is as bytes,
// and what it looks like as a plan.
//
// A file becomes a [Document] with [Parse], which reports every problem of form with line, column and a suggestion.
// [Document.Validate] then checks what the parts say about each other. [Canonical] gives the bytes that are hashed,
// stored and approved; [Flow.Plan] gives the picture as data.
//
// The package is pure: it imports nothing of the project, reads no file and never asks for the time. It does not know
// what an expression means, which tools exist or what a cron line is: whoever validates brings that along as [Checks].
//
// Where to look next: engine/expr is the language of conditions and templates; engine/run executes a flow; render
// draws a plan.
//
// # Decisions
//
//   - Parse fills in defaults (join, choices, retry, item name), so that rooms above never think about them. Format
//     leaves them out again.
//   - Free values (params, inputs) hold float64 for numbers, as JSON does everywhere else; integers that float64
//     cannot hold exactly stay int64.
//   - An S3 id such as support_main is accepted as flow.id and becomes the name support-main.
//   - Where an id becomes a name for people, only the first word gets a capital: "check-tier" is "Check tier", as a
//     person would write it in a chat.
//   - What only other formats have (Rules, a route's If and Priority, a node's Policy, NoMatch, Criteria, Subagents,
//     Aside and Arrivals, the Cases of a decision) is in the canonical form and its hash, and in no file: an importer sets it. Format leaves it out, as it
//     leaves out Profile and Raw. A node that can never be reached is a warning there, and a cycle needs no cap.
//   - The kinds that only imported flows have (foreign.go) are in the same list of kinds as the others, and marked: the file and
//     its schema refuse them by name, the canonical form has them. Format writes them for reading; Parse does not take them back.
//   - A loop and a sequence keep the token, and with it the scope: the variables of the run are shared by all rounds and parts. A
//     foreach and a fork isolate their items and branches instead. Both draw what ends inside them back to their node.
//   - A value that is made when it is read (compute with pull) is no step: no edge leads there, and the picture leaves it out.
//   - A file that cannot be read as YAML gives one problem; guessing on behind a syntax error gives noise.
package flow
