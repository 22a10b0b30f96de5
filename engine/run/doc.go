// Package run decides what an input means for a run. It is pure: it reads no clock, no storage, no network, and knows no Slack.
//
// Decide answers with facts, and with effects to perform once the facts are stored. Package history applies facts, which is the only way
// the state changes: Decide applies what it emits to a scratch copy. This package may change with every release, history may not.
//
//	worker: Claimed, Finished, Called, Lost    person: Answer, Cancel    timer: Fired    other runs: ChildOver, Happened    Start
//	                  \                                   |                        /            /
//	                   v                                  v                       v            v
//	compile.Program -------------------------------->  Decide  <------------------------ State, scope.Reads, Context
//	                                                   /      \
//	                      facts (stored, one transition)      effects (after that): Perform, Dispatch, Revoke, Unlease
//
// A token moves through the graph. A parallel node opens a frame with one token per branch, and its join closes the frame. A foreach opens a
// frame, too, whose branches are slots for items. The phase of a token says what it is doing:
//
//	        +------------------------- route taken --------------------------+
//	        v                                                                |
//	-->  ready  -- Claimed -->  started  -- Finished -->  (route chosen) ----+--> path ended
//	      ^  ^                   |  |  \
//	      |  +---- lost ---------+  |   +-- error, retry left --> timer --+
//	      |                         |                                     |
//	      +--- answered --- gate <--+-- lost during a once act            |
//	      |                         |                                     |
//	      +--- retried --- failed <-+-- error that nothing catches        |
//	      +-----------------------------------------------------------<---+
//
// A token waits for another run at a subflow node, for an event at a wait node, and for its delivery at a step that posts a message. No
// worker holds it then.
//
// Nodes that no worker performs (compile.Node.Pure) are passed in the transition that reaches them. The worker of a token goes on to the
// next acting node in the same transition. A token that no worker holds is dispatched.
//
// Where to look: decide.go has inputs and effects, nodes.go one record per kind of node; the function that enters a node is in the file of its
// subject. take.go takes inputs, move.go moves tokens through nodes, route.go on from them; split.go, parallel.go and foreach.go divide and join;
// fail.go and limit.go say what stops. Below them are machine.go (emits facts and effects), worker.go, settimer.go, opengate.go and close.go
// (begin and end what a token waits for), and lookup.go. The parts that know nothing of
// facts to come are packages: compile (flow -> program), scope (what expressions see), routes (which ones a token takes), talk (what agents
// have said and heard), form (what people give at a gate), forkplan (what forking a run means).
//
// To add a kind of node: give it a record in package flow, which says what of it is compiled, and a record in nodes.go, with its function
// enter in a file of its own. testdata/flows shows every rule of the format by a small run.
//
// To add a rule of gates: a field of flow.Who with its check, its default, its words and when a change makes it weaker (all in
// engine/flow/gate.go), and what files say of it (engine/flow/file/shape.go). A rule about votes: what an open gate keeps of it, its fields in
// the audit, and how many votes people see as needed (engine/history/gates.go); what decides (votesDecide in engine/run/gate.go). A rule
// about people: what the question's row says of it (engine/gate/asked.go); the people whom it excludes, with all that must be looked up for
// that, and the words for a question that nobody is left for (decision and missing in engine/people/gates.go); the relation that excludes them
// from Decide and Reopen (engine/authority/rules.go), and its words (bot/request/denied.go). Changes by words keep the rules that words do not
// say.
//
// decisions.md has the decisions and their reasons.
package run
