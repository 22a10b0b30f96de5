// Package bot is the conversation, in our own words: commands, drafts, approvals, answers at gates, schedules.
//
// What Slack delivers reaches Handle as an Incoming, already stored in the inbox. Handle finds out what it means, who asks
// and whether they may, and writes the effect in one batch together with the inbox row, so that a kill between the two loses
// nothing and does nothing twice. Answers to people are surfaces in that same batch; nothing is sent from here.
//
// The package does not know Block Kit, tokens, sockets or message limits (bot/slack), nor when a message is edited
// (bot/project). It never decides a gate by itself: Engine.Answer does.
//
// Where to look: words.go reads commands; route.go is the table from a word or a button to its function; draft.go (from words), drop.go
// (from a file), rewrite.go (words on a file's draft), export.go (a file of a flow), approve.go, try.go, runs.go, operate.go, move.go, fork.go, gates.go, schedules.go and triggers.go hold those
// functions; may.go asks who may (engine/authority decides), denied.go has the words of a refusal, again.go keeps a command that could not
// be answered where it was typed, pages.go cuts long lists.
//
// A webhook's delivery takes the same way (hook.go): bot/httpapi verifies it, here it is checked, stored, and becomes a run.
//
// Why things are as they are stands in decisions.md.
package bot
