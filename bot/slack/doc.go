// Package slack is Slack in and out: the only room that knows Block Kit, Socket Mode, message limits and rates.
//
// In: every delivery becomes an inbox row and is acknowledged after that (socket.go). Workers decode rows (decode.go) and give
// them to the bot in order per thread (inbox.go); a row is done in the transaction of its effect, once: a process that comes too late finds
// that it was done (storage.ErrDone) and leaves it.
//
// Out: cards become blocks (draw.go) and are posted or edited under a shared budget (send.go, budget.go). A message has its surface's id as
// metadata, so that a post whose answer was lost is found instead of sent again. Pictures are drawn, uploaded and awaited (picture.go)
// before a message shows them. What Slack answers means is one table (answers.go). A person's Home is published (home.go) under a budget of its own. Files that people attach are read when their row is
// worked on (file.go); files for people are shared into a conversation (share.go). message.go posts what steps and tools say; directory.go
// answers who people are.
//
// The package does not know what a flow, a draft or a gate is. It shares no type with bot/slacksim, so that the two cannot share a
// misunderstanding of Slack.
//
// # Decisions
//
//   - Two sockets are kept open, because the client library closes the old socket before it opens the next one. Slack gives each
//     delivery to one of them; the inbox's dedupe key makes a second delivery harmless.
//   - app_mention and the message event that Slack sends beside it have the same key (channel and ts): whichever comes first counts,
//     and the text says whether the bot is named. app_mention may come without the files of its message, or not at all when there are
//     some, so that the message is looked at again where it names none (file.go).
//   - A delivery that fails again and again is set aside, except while the database is away or full: that is no fault of the delivery, and what
//     was said goes on to count.
//   - A message that shows a file takes no metadata: after a lost answer it is known by the file's id, which is stored before the file is
//     shown. No search for an earlier message is bounded by a clock: ours may be wrong.
//   - Budgets are per method, as Slack counts them (budget.go), and scale with one setting. A pause that Slack asks for is one of the method,
//     in the channel where Slack counts by channel.
//   - Answers at the address of a command or a click are sent by an own request: the client library would add empty metadata.
//   - Names are resolved to "@name" and "#name" on the way in, so that words keep their meaning for the planner and the reader.
//   - Messages and reactions that were not said to the bot are stored only when they are part of its work (triggers.Concerns), before
//     Slack is told that they were heard. When the database cannot be asked, Slack is told nothing and sends them again. The message that a
//     reaction is on is read only when a flow wants to know (read.go).
//   - Events that say that a channel can be written to again, or that a message was deleted, are hints (hint.go): they take no inbox row, and an
//     app that is not subscribed to them notices the same a little later, by what Slack answers to the next message.
//   - Opening a socket is tried by a client of its own each time, with pauses of two seconds: the client library would wait up to five minutes
//     after a long outage. Operators are told once.
package slack
