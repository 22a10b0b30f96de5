// Package bot is the conversation, in our own words: commands, drafts, approvals, answers at gates, schedules.
//
// What Slack delivers reaches Handle as an Incoming, already stored in the inbox. Handle finds out what it means, who asks
// and whether they may, and writes the effect in one batch together with the inbox row, so that a kill between the two loses
// nothing and does nothing twice. Answers to people are surfaces in that same batch; nothing is sent from here.
//
// The room does not know Block Kit, tokens, sockets or message limits (bot/slack), nor when a message is edited
// (bot/project). It never decides a gate by itself: Engine.Answer does.
//
// Where to look: words.go reads commands; route.go is the table from a word or a button to its function; draft.go, approve.go,
// try.go, runs.go, operate.go, move.go, fork.go, gates.go, schedules.go and triggers.go hold those functions; reading.go says who may see what.
//
// A webhook's delivery takes the same way (hook.go): bot/httpapi verifies it, here it is checked, stored, and becomes a run.
//
// # Decisions
//
//   - Whoever may not read a flow gets the same words as for a flow that does not exist.
//   - A run's messages go to its flow's home channel wherever the command was typed, because values of a run are for the
//     members of that channel; the person who typed it elsewhere is told privately where.
//   - Questions without choices are answered by a command in the run's thread ("answer ..."), never by plain talk: text has no
//     authority.
//   - "Run anyway" asks by a confirmation and records who confirmed it beside which run; a reason in one's own words is given to the
//     command (anyway="..."). A button cannot ask for text without a modal.
//   - What a draft would do, and what it would have made of finished runs, is answered privately: both show what runs got, so that
//     whoever asks must be one who may read the flow.
//   - A flow's name in "pause" and "resume" means the flow and its runs; a schedule alone is named by its short id.
//   - "move <flow>" only says what would fit: whoever moves runs says "all", or names a run.
//   - Who starts a run that is queued is told behind which one it is. Its card has "Run anyway" in the place of Resume.
//   - A message that starts a run is a person's new top-level message in the channel that the trigger names, not said to the bot; it is
//     matched as people read it: trimmed, with @name and #channel for what Slack encodes, links as their address, Slack's marks for
//     bold and the like as they were typed. An edit starts nothing, since nobody sees whether the run knew of it; a reply starts
//     nothing, since a thread is where something is discussed already. One flow starts once, by the first of its triggers that matches.
//   - A run that a message or a reaction started lives in the thread of that message, also outside the flow's home channel: whoever
//     approved the trigger has said so. Guests and people of other workspaces start nothing.
//   - A reaction counts in the flow's home channel, from those who may start the flow by a command, and once for each message: the
//     second person who reacts sees the run in the thread already.
//   - Who starts nothing by a message because of its values, a pause or a run for the same thing is told so privately, and nobody else.
//   - A webhook's run belongs to its flow's owner and lives in the flow's home channel. Its inputs are checked before the delivery is
//     stored, because whoever sends it can still mend them, and once more at the start. What keeps a stored delivery from starting a run
//     is told in the home channel.
//   - A delivery is taken while its flow is paused, and its run begins held: not everybody who sends sends again, and some stop for good
//     when they are refused for long.
//   - A delivery of which a run with the same key is there starts nothing; the audit of the flow says so. Where the flow lets runs queue,
//     it queues.
//   - Fields that become sensitive inputs are not in the run's event, which everybody who may read the run can see.
//   - Paths that differ only in capitals, - _ and / share a secret. To keep them apart it is bound to a flow (_FLOWS).
package bot
