// Package outline reads descriptions of workflows without a model: a small grammar in tables.
//
//	words       tokens, lists, patterns, people, verbs                    engine/planner/phrase
//	values      conditions, amounts, inputs, lists of answers             engine/planner/values
//	people      names, and who was named before                           people.go
//	opening     the name, triggers, inputs                                engine/planner/opening
//	sentence    conditions, loops, parallel steps, and their bodies       control.go, conditional.go, cases.go, tiers.go, react.go, verdict.go, loops.go
//	clause      one step, by the first form that fits                     forms.go, steps.go, effects.go
//	structure   jumps become loops and branches                           engine/planner/jumps
//	ask         choices, inputs and unread words, for other packages        ask.go
//
// Begin with Read. Forms lists the forms, for help texts.
//
// # Decisions
//
//   - No element of the tree quotes words that no form reads. The planner asks about them, and nothing is guessed.
//   - An action of people or departments is a person's step. An action of "the system" or "we" is read as an action without an actor.
//   - "He", "she" and "who" mean the person named last. After a sentence that is not read they mean no person.
//   - An answer, a deadline and a reminder belong to the nearest question, also to the only one behind a condition. Where they may belong to another
//     one, too, or to none, they stay unread.
//   - An arrow behind an amount, a yes or no, or an answer of the question before says "if". Behind other words that are no step its line stays
//     unread, because what stands behind it is not always done.
//   - A choice ends the run if it says no, or that something has to be changed, and no steps are said for it. Where none of several choices
//     does, all of them go on.
//   - The text of a message ends where somebody else does something, or time passes. In "tell @ana that it is here, @bob packs it" the rest stays unread.
//   - A time that leaves something open, such as the first of every second Friday, is a trigger without a schedule: the draft offers the
//     nearest times (engine/planner/times).
//   - A text is scanned once, and a form is matched without trying again: the time grows with the length of the text.
//   - Each <name> and {name} is an input of the tree. The planner knows the tools and removes an input that is the result of a step.
package outline
