// Package chatcmd gives commands of chat at a terminal, on the database of a bot: what "/flow history refund" does in Slack, by the same
// functions of bot/operate and bot/drafts. Its answers are printed instead of sent.
//
// It speaks with no Slack: people, groups and channels are known by their ids and names alone. It starts no runs and lets none go on, since
// nothing performs their steps here. It opens no database and reads no settings: package main of cmd/sluice does.
//
// Where to look: chatcmd.go has the list of commands, print.go makes lines of cards.
//
// # Decisions
//
//   - A person who can open the database can read all of it, and can make a token for anybody. So the person who is named is an admin here and a
//     member everywhere; what they change is recorded as theirs, by the terminal.
//   - Rollback only proposes: the draft is checked again and approved in Slack.
package chatcmd
