// Package bot is the conversation, in our own words: commands, drafts, approvals, answers at gates, schedules.
//
// What Slack delivers reaches Handle as an Incoming, already stored in the inbox. Handle finds out what it means, who asks
// and whether they may, and writes the effect in one batch together with the inbox row, so that a kill between the two loses
// nothing and does nothing twice. Answers to people are surfaces in that same batch; nothing is sent from here.
//
// The room does not know Block Kit, tokens, sockets or message limits (bot/slack), nor when a message is edited
// (bot/project). It never decides a gate by itself: Engine.Answer does.
//
// Where to look: words.go reads commands; route.go is the table from a word or a button to its function; draft.go (from words), drop.go
// (from a file), rewrite.go (words on a file's draft), export.go (a file of a flow), approve.go, try.go, runs.go, operate.go, move.go, fork.go, gates.go, schedules.go and triggers.go hold those functions; reading.go says who may see what.
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
//   - A file counts when it is said to the bot: with a mention, or in a direct message. It becomes what words become, a draft, and the
//     person who drops it is its author. What is wrong inside a flow file is answered in the thread, for everybody who can open the
//     file; why a file is no flow is answered privately.
//   - A tool that does not exist is no fault of a file: its draft names the nearest ones and waits, as a step in words does. A flow that
//     it starts and that is missing, or hidden from the author, is a warning; approving asks again.
//   - A draft from a file has no outline. Words change its graph, one edit at a time, and say so when they cannot; what they do not
//     name stays (plan.Change). Dropping what is there already makes no draft.
//   - A flow is revised in its home channel alone, in words and by file: its members see the difference, and they approve.
//   - A file of a flow goes to the thread where it was asked for, if everybody there may read the flow, else to a direct message.
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
//   - A value that a message gives to a sensitive input shows as dots in the run's event; the message itself is its writer's.
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
