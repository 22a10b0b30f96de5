// Package node performs one step of a run: one file per kind of node that acts on the outside.
//
// The machine (engine/run) has decided that a step starts, and the engine has stored that intent; a performer does
// the act and says how it ended. Pure kinds (decision, set, parallel, terminal, gates) never get here: the machine folds them
// into the transition that reaches them.
//
// The package does not know how facts are stored, which worker has the token, or what follows: it returns an outcome and nothing else.
// Journalled acts inside a step (an agent's turns and calls) go through Deps.Journal.
//
// A Perform with questions is about a step that has finished: judge.go lets the model answer them, whatever the kind, and the step is
// not done again.
//
// To add a kind: write its file with a performer, and add one line to the list in node.go.
//
// Decisions:
//   - A performer gets the rendered parameters with secrets still sealed and opens them at the last moment, so that no secret can
//     reach a fact, a log line or a picture by the way.
//   - A node that performs an agent's calls makes them in the name of that agent: with its list of tools, and through the same
//     code that makes the calls of an agent which performs them itself (agent.Perform), so that policy, keys, the journal and
//     what is said about a failed call are the same. Calls that the flow lists are made with the tools that the node names.
//   - A conversation that goes on over several steps is put together from the outputs of those steps; the first words are
//     rendered anew and not kept, because they may hold what must not be stored.
//   - A panic in a performer is an outcome (PanicError), not the end of the process: one broken tool must not stop other runs.
package node
