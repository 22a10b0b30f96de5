// Package slacksim is a small Slack: one workspace on localhost that speaks Slack's real wire (Web API, Socket Mode, events,
// interactivity, slash commands, modals, Home, files, response urls), for development and for tests. The bot talks to it
// with its ordinary client and nothing but another address. People act in it through the page (web/) or, in scripts and
// tests, through the control API below.
//
// It is strict where Slack is strict, it can be made to fail as Slack and networks fail, and it stores everything in its
// data directory before it answers, so that a kill of the process loses nothing that somebody was told.
//
// It knows nothing of flows and shares no Go type with the bot's room: a misunderstanding of the wire cannot be made twice
// alike. What it knows of Slack is written down in shapes*.go (Block Kit, field by field), api*.go (the methods), events.go,
// socket.go and deliver.go (Socket Mode), interact.go (clicks, modals, commands).
//
//	person ──page, control API──▶ Server ──world (records) ──▶ journal.jsonl
//	                                │  ▲
//	             events, clicks ────┘  └──── Web API, acks, response urls ◀── the bot
//
// # The control API
//
// Bodies are JSON or forms (in a form `container.channel` is the field channel of container). Every answer is JSON
// {ok, error?, detail?, seq} with its own fields; error is for machines, detail for people. Users and channels are named by
// name or id, `@ana` as a channel is the direct message between ana and the bot. seq counts changes and never goes back; the
// seq of message is that of the new message, and that of command, action, submit and shortcut is from before the bot heard
// of it, so that waiting for something after it finds whatever the bot does.
//
//	POST message   {user, channel, text, thread_ts?, files?: [{name, alt?, content | content_base64, ask?}]}  -> ts, text as encoded
//	POST edit      {user, channel, ts, text}      POST delete {user, channel, ts}
//	POST delete_file {user, file}                 a person deletes their own file, everywhere
//	POST reaction  {user, channel, ts, name, remove?}
//	POST command   {user, channel, command, text} -> response; error dispatch_failed or operation_timeout, and `text` as shown
//	POST action    {user, container: {channel, message_ts} | {view_id}, action_id, block_id?, value?, selected?, stale?}
//	POST submit    {user, view_id, values: {block_id: {action_id: value}}} -> response_action (close, errors, update, push, clear), errors, view
//	POST close_view {user, view_id}
//	POST shortcut  {user, callback_id, channel?, message_ts?}
//	POST open_dm   {user} -> channel              POST open_home {user}
//	POST join      {user, channel}                POST leave  {user, channel}      (the bot too)
//	POST user      {user, admin?, deleted?}       POST group  {group, members: [name]}
//	POST seen      {user, channel, ts}            what somebody has read; GET info?user= gives it back
//	GET  state     ?channel=&thread_ts=&after=SEQ&wait=10s -> messages; waits until something in the channel changed after SEQ
//	GET  events    ?after=SEQ&wait=10s            -> events {seq, kind, channel, ts, user, view_id, message?}, resync
//	GET  info      ?user=                         -> workspace, bot, users, groups, channels, commands, shortcuts, seen
//	GET  views     ?user=                         -> the open modals, the topmost last
//	GET  home      ?user=                         -> what the bot published, or null
//	GET  ready     ?wait=                         -> whether the bot has a socket that was greeted
//	GET  shop                                     -> arrivals and bookings of the shop beside it
//	GET  clock                                    -> offset_ms, how far this clock is ahead: a bot in another process may poll it
//	POST clock     {advance: "90s"}               moves the clock, and the bot's with it when it runs in the same process
//	POST fault     {target: api|socket|shop, kind, method?, path?, times?, after?}
//	POST release                                  lets everything go on that a fault holds
//	POST disconnect {hard?, reason?}              ends every socket, politely or like a lost network
//	POST reset                                    empties workspace and shop; sockets, clock and seq stay
//
// A file with ask shows nothing but its id in messages (file_access check_file_info, as in channels that workspaces share), so that an
// app must ask files.info.
//
// A button is found by action_id, and by block_id or value where several have one action_id; one that is not there is the
// error no_such_action. With stale the click is sent all the same, as one that was under way when the card changed. `selected`
// is an option's value, a user's or channel's name, a date; an array where several can be picked.
//
// Faults: for api 429, 500, timeout (never answered), drop (connection cut), duplicate (performed twice), delay, hold; after
// is before_act (the default) or after_act (the call took effect, its answer is lost), or milliseconds for delay and for
// the Retry-After of 429; method is as in `chat.update`, or url_private for the download of a file. For socket timeout (the ack is lost), drop (the socket is cut instead
// of the delivery), duplicate, delay, hold; method is an envelope's type (events_api, interactive, slash_commands) or what it
// carries (app_mention, block_actions). For shop the same kinds as for api; after is before_booking or after_booking.
//
// # Where to look next
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
//   - Text of people is escaped and encoded the same way in messages and in commands; in commands users carry their name as
//     well (<@U...|ana>), as Slack documents for should_escape.
//   - Unknown fields of blocks are refused, as Slack does. The limit on all blocks of a message counts the characters of
//     every string but types.
//   - An edited image block that keeps its block_id keeps showing its old file, because Slack's clients cache by it.
//   - Direct messages exist between the bot and one person only; there is one app, one workspace, one bot token.
//   - GET /files/ID, the url_private of a file, asks for the bot's token as Slack does. The page shows pictures by GET /shown/ID, which asks
//     for none: the server binds loopback only.
//   - app_mention comes without the files of its message, as Slack's does at times, so that an app must cope with it.
//   - An answer of the Web API to a thread_ts that nobody posted is thread_not_found; Slack's own answer differs by method.
package slacksim
