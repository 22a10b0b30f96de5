// Package slack is Slack in and out: the only room that knows Block Kit, Socket Mode, message limits and rates.
//
// In: every delivery becomes an inbox row and is acknowledged after that (socket.go). Workers decode rows (decode.go) and give
// them to the bot in order per thread (inbox.go); a row is done in the transaction of its effect, once: who comes too late finds
// that it was done (storage.ErrDone) and leaves it.
//
// Out: cards become blocks (draw.go) and are posted or edited under a shared budget (send.go, budget.go). A message carries its
// surface's id as metadata, so that a post whose answer was lost is found instead of sent again. Pictures are uploaded, awaited
// and swapped (picture.go). Files that people attach are read when their row is worked on (file.go); files for people are shared into
// a conversation (share.go). messenger.go posts for tools; directory.go answers who people are.
//
// The room does not know what a flow, a draft or a gate is. It shares no type with bot/slacksim, so that the two cannot share a
// misunderstanding of Slack.
//
// # Decisions
//
//   - Two sockets are kept open, because the client library closes the old socket before it opens the next one. Slack gives each
//     delivery to one of them; the inbox's dedupe key makes a second delivery harmless.
//   - app_mention and the message event that Slack sends beside it have the same key (channel and ts): whichever comes first counts,
//     and the text says whether the bot is named. app_mention may come without the files of its message, or not at all when there are
//     some, so that the message is looked at again where it names none (file.go).
//   - A delivery that fails again and again is set aside, except while the database is away or full: that is nobody's fault, and what
//     was said goes on to count.
//   - A message that shows a file takes no metadata: after a lost answer it is known by the file's name and the time, instead of a key.
//   - Names are resolved to "@name" and "#name" on the way in, so that words keep their meaning for the planner and the reader.
//   - Every reaction becomes an inbox row, also one that starts nothing: whether it does is for the bot to say, and that it was heard must
//     be stored before Slack is told. The message that it is on is read only when a flow wants to know (read.go).
package slack
