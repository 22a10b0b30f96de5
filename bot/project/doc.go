// Package project says which surface is stale and what it should show. A surface is a Slack message; it is a projection of the
// database and never the truth.
//
// Every transition of a run passes Transition, which names the surfaces that it creates (a gate's card, the final picture) and
// those that it makes stale. The loop (Run) belongs to one elected process: it takes stale surfaces, makes their cards from the
// latest state and gives them to a Sender. It is level-triggered: the latest state wins, edits in between are never sent, and a
// lost or refused call is repaired by showing again.
//
// A run that another one has started has no messages of its own but its questions, and those are in the thread of the run that a person
// or a trigger started (Root).
//
// The room knows runs, drafts and gates, but no Block Kit, limits, message ids or rates: bot/slack draws and sends.
//
// A flow given out as a file (file.go) is a surface, too: made from the draft or the revision when it is sent, and sent once.
//
// A run that a failure has stopped is not over: it gets its last message when it ends, however often it was mended before.
//
// Where to look: refs.go names surfaces and what their rows hold; show.go is the table from a surface's kind to its card; one
// file per kind of card.
package project
