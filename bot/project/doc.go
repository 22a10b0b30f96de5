// Package project says which surface is stale, and delivers it; bot/surface says what it shows.
//
// Every transition of a run passes Transition, which names the surfaces that it creates (a gate's card, the final picture) and
// those that it makes stale. The loop (Run) belongs to one elected process: it takes stale surfaces by whose turn it is, and delivers many at
// a time, each once at a time: makes its card from the latest state and gives it to a Sender. It is level-triggered: the latest state
// wins, edits in between are never sent, and a lost or refused call is repaired by showing again.
//
//	stale rows ── turns (queue.go) ── busy, budget, causes (loop.go, causes.go) ── deliver (deliver.go) ── settle (settle.go)
//	                                                                    pictures apart (picture.go) ──┘        └── people are told (tell.go)
//
// A surface ends a try in one of these ways: shown; to be tried again (Slack did not answer, or asked to wait); blocked (Slack takes no
// messages of the workspace or the channel: it waits until that is over); set aside (its card cannot be made, or Slack refuses it in every
// form: until its next state, or the next release); deleted by a person (posted again once, if it still matters).
//
// A run that another one has started has no messages of its own but its questions, and those are in the thread of the run that a person
// or a trigger started (Root).
//
// A question goes to those who may answer it and do not see its thread, too (spread.go): as copies, which are surfaces of the question, so that
// every change of it reaches them.
//
// The package knows no Block Kit, limits, message ids or rates: bot/slack draws and sends.
//
// A flow given out as a file is a surface, too: made from the draft or the revision when it is sent, and sent once.
//
// A run that a failure has stopped is not over: it gets its last message when it ends, however often it was mended before.
//
// What a step or a tool says (message.go) is a surface, too, posted once and never edited: its run waits for it without holding a worker, and is told
// by a signal what became of it. It is looked at again right before it is posted: a paused run keeps it back, and a run that does not wait
// for it any more takes it back.
//
// To add a kind of message: a constant in bot/surface/cards.go, and a file of bot/surface with its card (bot/surface/moves.go is a short one); a row
// in bot/project/kinds.go, which says how it is shown, sent, told of and removed. What stores the surface makes it appear: Transition in
// bot/project/project.go, or a function of the conversation, as in bot/drafts/approve.go. A new button gets a line in bot/route.go.
//
// A card that a person asks for and sees once needs no kind: it is an answer (bot/request, Replies.Say).
//
// Homes are surfaces, too; what makes them stale is noted in memory and written a moment later (homes.go).
//
// Where to look: kinds.go is the table of the kinds and how each is delivered; the other files are in the drawing above.
//
// # Decisions
//
//   - A decision that reads run.url waits up to five seconds after the start of the run until its status message is posted (address.go), instead
//     of giving an empty link to the first step. Meanwhile this run's other decisions wait, too.
//   - A run that answers somebody's message has the address of that message: it is known at once and stays the same.
//   - A picture never holds up its card, except a private line: after the moment that an ordinary one takes the card is sent without it and edited.
//   - A private line cannot be edited, and is sent once: it waits for its picture as long as drawing one may take, in the table and not
//     in a goroutine. After that it is sent without it and says so, and neither the picture nor the next release sends it again.
//   - A surface that was shown in a plain form counts as set aside, too: it is shown in full by its next state or the next release.
//   - That Slack does not answer counts as a cause only after three surfaces in a row without an answer: one call that hangs says nothing
//     about the others.
//   - Causes are kept on the rows that wait for them, so that every process can say what is wrong, and a restart goes on waiting.
//   - Up to ten people are asked in direct messages. Of more people nobody is: the first channel of their group where the bot is gets one card, and
//     without such a channel they are told once a day that questions wait, while the question is reminded of.
//   - A copy has no picture, because who may answer a question sees what it shows and not the run. In a channel it shows the question only
//     while everybody there may see it; to one person, only while they may answer.
//   - Who asks for a run in person is told its end once: by the last message in its thread, which names them, when they asked in its channel;
//     else in a direct message, because others where they asked may not see the run.
//   - A failed step is told to the run's requester and the flow's owner. Admins, who may answer, too, hear of it in the thread alone.
//   - Messages wait for a gone channel for as long as it is gone. Their owners are told once for each time that this happens.
package project
