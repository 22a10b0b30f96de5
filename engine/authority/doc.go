// Package authority decides who may do what. It is pure: everything that it must know is handed in.
//
//	Principal (who asks) + Action + Subject (what it is about)  --May-->  nil, or *Denied: a code and data
//
// rules.go is the whole policy, one line for each action. Every way to ask (mention, direct message, command, button, trigger, file,
// terminal, timer) leads to May. The engine finds out who asks and who stands in which relation to a subject (engine/people); package bot
// writes the sentence for a refusal.
//
// # Decisions
//
//   - A guest may answer a question that names them by user id, and see it. A name or a group does not count: names change, and
//     a manager of a group decides about members, not about guests.
//   - People of other workspaces, deactivated people, bots and unknown ids may do nothing. Somebody whom nobody can look up at the moment has
//     no principal: that is a fault, and what they asked is tried again.
//   - A person who may not see a subject is refused with Hidden, as for something that does not exist.
//   - Admins are those of the installation's configuration, not the workspace's.
package authority
