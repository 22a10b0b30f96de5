// Package chatcmd gives commands of chat at a terminal, on the database of a bot: what "/flow history refund" does in Slack, by the same
// functions of bot/operate and bot/drafts. Its answers are printed instead of sent. Save makes a draft of a file, as a program does by HTTP.
//
// It posts nothing, and asks Slack only who people are, where it is given a directory; else people, groups and channels are known by their
// ids and names alone. It starts no runs and lets none go on, since nothing performs their steps here. It opens no database and reads no
// settings: package main of cmd/sluice does.
//
// Where to look: chatcmd.go has the list of commands, save.go saves a file, print.go makes lines of cards, directory.go says who people are.
//
// # Decisions
//
//   - A person who can open the database can read all of it, and can make a token for anybody. So the person who is named is an admin here and a
//     member everywhere; what they change is recorded as theirs, by the terminal.
//   - Rollback and Save only propose: the draft is approved in Slack.
//   - Where Slack can be asked, the person must be a member of the workspace who could give commands there.
//   - Commands that move schedules are not given beside a bot that serves a SQLite file: it looks for changes of schedules by others once a
//     minute only.
package chatcmd
