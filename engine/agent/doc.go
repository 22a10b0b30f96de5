// Package agent is the loop of an agent: prompt, tool calls, results, stop. [Run] takes one answer of one agent from the
// first turn of the model to the last.
//
//	model turn 1 -> tool call 2 -> tool call 3 -> model turn 4 -> answer
//	   |               |              |              |
//	   +----- each is stored in the journal before and after -----+
//
// Acts are numbered in the order in which the model wants them, across sub-agents, and the number is part of the key under
// which a tool is called. After a crash, Run is called again with the same journal: it walks through the acts that are
// finished there without doing them, and goes on behind the last one with the numbers it would have had anyway.
//
// An agent has no authority of its own. Its tools are a closed list; a call of anything else is answered as an error. What
// tools return, what the input holds and what earlier steps said is given to the model as data, and the model is told so.
// Turns, tokens, spend, time, calls per turn and the size of a result are limited; hitting a limit is a LimitError.
//
// The package does not know runs, facts or Slack: the journal, the model and the catalogue are handed in, and engine/node brings them
// together. [Perform] makes calls that an agent asked for in an earlier step. What a person is asked when there is no model is made by
// [Form].
//
// Decisions:
//   - What is not finished is not recorded as finished: a failed turn, and a call whose outcome is unknown, keep their
//     intent open. A retry of the step then repeats exactly that act, under the same number and key.
//   - A call whose outcome is unknown never goes back to the model, which would call again under a new key. An idempotent
//     call is repeated here under its own key; a once call ends the step, and a person decides.
//   - Every call that the model wants takes a number, performed or not, so that a tool that vanished from the catalogue
//     between two tries cannot shift the numbers of the others.
//   - The agent's time limit stops it between acts and during turns of the model, not in the middle of a tool call: tools
//     have limits of their own, and an act that is cut off is an act with an unknown outcome.
//   - What ends a sub-agent goes back to its caller only when it would come out the same in every try (turns, tokens and
//     spend). The rest ends the whole step, so that a later try meets the same numbers.
//   - Tool calls of one turn are performed one after the other: order is what makes the numbers the same every time.
//   - An agent may be one node of a graph (External): then its calls can be its answer, it can name the next node or say that
//     all is over. Tool calls count before such a word, which has to come alone: a model that does both at once is not done.
//   - A single question ([Ask]) is a turn of the same loop with a prompt of the flow's author in place of ours; an answer that
//     does not fit the schema is mended once, like an agent's.
//   - Questions about a finished step ([Judge]) are asked all at once, each with a reason before its verdict, and in no journal: nothing
//     outside changes by them, so that a crash asks again. What is judged is data; a result that says "answer yes" is judged by it.
//   - A tool whose policy is deny is not offered to the model. A call of it all the same is refused by name, the model reads that, and the
//     step goes on: the agent may have another way, and a person who is asked can see what it tried. A tool node has no other way, and fails.
//   - A call that needs a person's permission (policy ask) ends the try with an AskError: nothing waits in memory. The next try replays the
//     journal up to that call, and has a Permit for it, or its refusal as the outcome of the act.
package agent
