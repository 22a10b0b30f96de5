// Package slacksim is a small Slack: one workspace on localhost that speaks Slack's real wire (Web API, Socket Mode, events,
// interactivity, slash commands, modals, Home, files, response urls), for development and for tests. The bot talks to it
// with its ordinary client and nothing but another address. People act in it through the page (web/) or, in scripts and
// tests, through the control API (control.md).
//
// It is strict where Slack is strict, it can be made to fail as Slack and networks fail, and it stores everything in its
// data directory before it answers, so that a kill of the process loses nothing that somebody was told.
//
// It knows nothing of flows and shares no Go type with bot/slack: a misunderstanding of the wire cannot be made twice
// alike. What it knows of Slack is written down in shapes*.go (Block Kit, field by field), api*.go (the methods), events.go,
// socket.go and deliver.go (Socket Mode), interact.go (clicks, modals, commands).
//
//	person ──page, control API──▶ Server ──world (records) ──▶ journal.jsonl
//	                                │  ▲
//	             events, clicks ────┘  └──── Web API, acks, response urls ◀── the bot
//
// # Where to look next
//
// control.md describes the control API: how scripts and tests act as people, and make Slack fail.
//
// faults.go is what is made to go wrong once, plan.go what share of everything goes wrong, limits.go how much Slack allows.
//
// A new method: one line in api.go's table and a function beside its kin. A new block or element: one entry in
// shapes_blocks.go or shapes_elements.go, and in elements.go if people can fill it in. A new control call: one line in
// control.go's table.
//
// # Decisions
//
//   - Undelivered events go out again as soon as a socket says hello, instead of at the next minute of Slack's schedule, so
//     that tests of restarts need not wait; events that found no socket at all wait without using up an attempt.
//   - Records are replaced, never changed in place; every replacement is one line of the journal, and opening the workspace
//     rewrites the journal to the shortest one. Not synced: this is for kills of the process, not for loss of power.
//   - Trigger ids, and what people typed in messages but did not send, are forgotten with the process.
//   - The clock's offset is stored, because message timestamps must not go back; the hook hears it again at the next start.
//   - Text of people is escaped and encoded the same way in messages and in commands; in commands users have their name as
//     well (<@U...|ana>), as Slack documents for should_escape.
//   - Unknown fields of blocks are refused, as Slack does. The limit on all blocks of a message counts the characters of
//     every string but types.
//   - An edited image block that keeps its block_id keeps showing its old file, because Slack's clients cache by it.
//   - Direct messages exist between the bot and one person only; there is one app, one workspace, one bot token.
//   - GET /files/ID, the url_private of a file, asks for the bot's token as Slack does. The page shows pictures by GET /shown/ID, which asks
//     for none: the server binds loopback only.
//   - app_mention comes without the files of its message, as Slack's does at times, so that an app must cope with it.
//   - An answer of the Web API to a thread_ts that does not exist is thread_not_found; Slack's own answer differs by method.
package slacksim
