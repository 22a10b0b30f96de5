// Package bot is the conversation, in our own words: it finds out what a delivery means, and hands it to the package that does it.
//
// What Slack delivers reaches Handle as a request.Incoming, already stored in the inbox. The effect is written in one batch together with
// the inbox row, so that a kill between the two loses nothing and does nothing twice. Answers to people are surfaces in that same batch;
// nothing is sent from here.
//
// route.go is the table from a word or a button to its function; help.go lists the words; again.go keeps a command that could not be
// answered where it was typed; bot.go puts the parts together. The functions themselves are in packages by subject, which know neither
// each other nor this one, except that bot/triggers uses the words of bot/operate about a start:
//
//	bot/drafts    describe, change, approve and try a flow that is not there yet
//	bot/gates     answer the questions of runs
//	bot/hometab   what a person's Home shows
//	bot/operate   start, list, show, pause, resume, cancel, fork and move runs; schedules
//	bot/triggers  runs that messages, reactions and webhooks start
//	bot/request   below all of them: a delivery, what its sender may do and see, and how they are answered
//
// The package does not know Block Kit, tokens, sockets or message limits (bot/slack), nor when a message is edited (bot/project). It never
// decides a gate by itself: Engine.Answer does. Who may do what, engine/authority decides; bot/request asks it.
//
// Why things are as they are stands in decisions.md.
package bot
