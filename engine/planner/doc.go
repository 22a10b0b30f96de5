// Package planner turns words into a flow that people can approve. It reports for every word which step uses it.
//
//	words -> outline.Read or model.Read -> tree.Tree -> Plan -> Proposal: a valid flow, questions, notes, the account of the words
//
// Plan resolves a tree (resolve.go and resolve_*.go), asks what is open (ask_*.go) and lowers the tree to a flow. A question holds what each of
// its answers does to the tree (question.go), and Answer plans the tree anew to do it (answer.go). look_up.go finds the tools that read what the
// words only name.
//
// The other packages below engine/planner:
//
//	english     words, numbers, stems, lists
//	tree        the steps, and the quotes that say them
//	values      words -> values and conditions
//	opening     words -> what a tree says of the whole flow: its name, triggers, inputs
//	outline     words -> tree, by a grammar
//	jumps       jumps between steps -> loops and branches
//	prose       words -> the sentences that are not plain, and may be mistaken without a model
//	reply       which answer of a question words mean
//	model       words -> tree, by a language model
//	env         the tools, flows and people that exist
//	match       words -> the tools and values that they mean
//	account     tree -> what each of its words became
//	lower       tree -> flow             idiom      how such flows are written
//	raise       flow -> tree             readback   flow -> sentences
//	change      tree and words -> tree
//
// # Decisions
//
//   - Resolving a tree that came out of Plan gives the same tree: a draft may store either.
//   - Steps can use an input that only a later step declares: the tree is resolved again until no input is added.
//   - A flow names the people who answer its questions. The draft asks whom "my manager" means; the person who starts a run never names its
//     approver.
//   - A quote is not understood when it holds a number, name, address, quoted text or negation that no field of its element has. This holds
//     for every reader.
//   - Without a model only plain sentences are certain (package prose). Any other one is shown beside its steps, and the draft asks whether that is
//     what is meant, in place of a rule for each way to misread it.
//   - decisions.md has the size of the planner and what each part of it is needed for.
//   - A tool that a person chose explains the words of its step up to the first preposition; "in project IT" behind it needs a parameter.
package planner
