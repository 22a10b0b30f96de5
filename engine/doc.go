// Package engine has the operations on runs and flows: start, answer, cancel, pause, fork, move to another revision, try out, look at. Each of
// them asks who may do it and whether it can be done, and then feeds an input to the run, which engine/runner moves.
//
//	button, command, timer, worker            engine/run (pure)
//	           |                                ^        |
//	           v          input, reads          |        | facts, effects
//	  engine/runner: Transition ----------------+        v
//	           |                                  storage.Write: one transaction
//	           |                                         |
//	           +<----------------------------------------+
//	           v
//	     dispatcher --> engine/runner: Work: claim, perform (engine/node), report, perform the next, ...
//
// The packages around it, bottom-up:
//
//	engine/flow      the document: kinds of nodes, canonical form; flow/file parses, flow/validate checks
//	engine/expr      expressions and templates, their values and functions
//	engine/authority who may do what: one table, asked by every door
//	engine/calendar  working days, local times, when schedules fire
//	engine/history   facts, the state that they give, and the view of a run; engine/history/stored reads and writes them in the store
//	engine/run       the machine: Decide
//	engine/tool      what a flow can call; engine/llm and engine/agent: a model, and the loop around it
//	engine/node      one performer per kind of node
//	engine/dispatch  which worker performs a token
//	engine/runner    load, decide, store, perform: the one loop that moves a run
//	engine/cluster   several processes: heartbeat, sweep, taking over
//	engine/signals   what runs tell each other: subflows, events, key queues; engine/timer fires what is due
//	engine/schedule  fires of schedules, and those that were missed
//	engine/outbox    the messages of steps and tools, until they are posted
//	engine/dryrun    what a flow would do, and what another revision would have made of runs that are over; engine/try computes it
//	engine/gate      the rows of questions; engine/people: who may do what at this moment
//	engine/compiled  revisions, compiled once; engine/lock: what a flow depends on
//	engine/view      a run as people look at it; engine/audit: who did what
//	engine/budget    what flows and people may spend on models
//	engine/trigger   the rows of triggers that answer to something that happens
//	engine/coerce    the inputs of a run out of what somebody gives
//	engine/outage    calls that are repeated until the database takes them
//	engine/chaos     tests: the invariants hold while processes, database and network fail
//	engine/prune     removes what is over and old, and keeps who decided what in it
//	engine/planner   words to flow
//
// What changes where:
//
//	new node kind      its record, engine/flow/kind_NAME.go, and a line in engine/flow/kinds.go; what the machine does with a token that comes
//	                   to it, a line in engine/run/nodes.go; when a worker performs it, a line in engine/node/node.go with its function in
//	                   engine/node/NAME.go; when people write it in files, words for its keys in engine/flow/file/shape.go. Everything else
//	                   asks the node (engine/flow/answer.go). cmd/check/kinds_test.go lists the files that tell kinds apart all the same
//	new fact           a body in engine/history with its row in the table of facts; stored histories must still fold
//	new way to start   a caller of Engine.Start. A new trigger: engine/trigger/trigger.go
//	new way to decide  a caller of Engine.Answer
//	new gate rule      engine/run/doc.go. A new message or card: bot/project/doc.go
//	new function       a row in engine/expr/function/table.go
//	new thing to do    an action in engine/authority/rules.go, asked with Engine.May
//
// Where to look next: engine.go (what an engine is made of), start.go, gates.go (answers), pause.go, fork.go, revision.go, serve.go (what a
// process does all the time).
//
// The package does not know Slack: people are ids, and messages are surfaces that another package draws. It does not know SQL.
//
// Why things are as they are stands in decisions.md. What was measured, and how to measure again, stands in figures.md.
package engine
