// Package talk says what the agent of a token has said and heard in earlier steps: to people, and of the calls that another node performs
// for it.
//
//	Turns     the conversation before the present step
//	Began     the token as it was when the conversation began, and what came after its last turn
//	TooMany   whether the agent has asked for tools too often
//	Pending   the calls that a node is to perform for an agent
//
// A token keeps the numbers of the facts (history.Talk), and the words are loaded from there. The package emits no facts and moves no token:
// engine/run does.
//
// # Decisions
//
//   - What was said to the person is heard by every agent of the flow, and so are the calls that led to it: one conversation, and several
//     agents that take part in it. Calls that are not answered to a person yet belong to their agent alone.
package talk
