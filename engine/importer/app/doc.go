// Package app reads and writes Digitorn app files: YAML with an app, its agents, and a flow as an explicit graph.
//
// [Recognise] tells such a file by its flow, [Decode] reads it, and [Encode] gives it back. The graph has the form of a flow file with fewer
// kinds and keys, so engine/flow/file reads it in a dialect; the keys outside the graph are read here.
//
// It does not know tools: whether those of a flow exist is checked where the flow is.
//
// # Decisions
//
//   - The flow is named after the app, because several apps may have flows of one id.
//   - Models, their addresses and their keys are not taken from the file: the installation has its own. The same holds for knowledge bases and
//     headers. A warning says so.
//   - A channel that starts the app becomes a trigger by messages, with a name that somebody has to settle: which channel of Slack stands for
//     it is not in the file. Left as it is, it starts nothing.
//   - The names of inputs are those that the graph reads: the format declares none.
//   - A condition is not checked before it is evaluated. Everything else is as strict as in a flow file: a node that cannot be reached and a
//     cycle without a cap are errors.
//   - An approval without an answer gets its second choice after half an hour.
package app
