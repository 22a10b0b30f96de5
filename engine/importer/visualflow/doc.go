// Package visualflow reads VisualFlow documents and bundles, and writes them again.
//
// A document is a graph of nodes with pins. Execution edges order what a run does; data edges bring values to pins, and so do defaults in the
// document. [Decode] makes an executed node a step, and every other node a value that is made when it is read (compute with Pull).
// What cannot be run (Python code, media) is kept as an opaque node with its reason: a run stops where it gets there.
//
// Files: graph.go reads the document, names.go knows older spellings, value.go writes the values of pins as expressions, kinds.go is the one table
// of types of nodes; pure.go, variables.go, act.go, control.go and memory.go have what the table names; cycle.go and secret.go find what is refused;
// fit.go says which pins may be connected;
// bundle.go unpacks archives, and packs them again.
//
// The package does not know which tools, models and flows there are: names stay as the document has them.
//
// To add a type of node: write its record into kinds.go.
//
// # Decisions
//
//   - The id of a document, not its name, is the name of its flow: other documents call it by its id. People see the name in titles.
//   - A document with a secret in it is refused instead of stripped: its text is kept and given back as it is.
//   - A list of tools, a schema or a setting that comes from an input of the run is the default of that input: what a flow may do is approved
//     before it runs.
//   - Branches that run side by side follow each other if one of them sets a variable, because they share their variables.
//   - Notes and assertions are variables of the run. Those whose scope is more than a run are remembered (flow.Rules.Remembers): later runs of the
//     flow begin with them. Of the others a warning says that they are gone with the run.
//   - Compacting takes messages out of the conversation without a summary: no model is asked. They come back by the id of their span.
//   - An unknown type is no error: the node is opaque.
//   - A step that comes is an agent, a question or a message. In a bundle the flow by which it begins is changed; the others are flows of their
//     own here.
//   - An agent without a list of tools may call none, though there it may call all.
package visualflow
