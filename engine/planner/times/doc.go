// Package times reads words of time: "every second Friday at 9", "until Monday", "the 15th of every month at 10:00 in UTC".
//
//	Read       a whole text that is a schedule                      read.go
//	At         a schedule at the beginning of tokens, for what starts a flow (engine/planner/opening)
//	Nearest    what is near a schedule that no form can say         nearest.go
//	Until      a date, or the end of a time that begins now         date.go
//
// forms.go is the table of what schedules can say. Words are tokens of engine/planner/phrase; schedules are those of engine/calendar, with its
// notations for days that five fields cannot name, which are said by it, too.
//
// The package knows no flow, no tree and no clock: the time at which words are read is handed in.
//
// # Decisions
//
//   - Words that no form reads are an error; a part of a text is never taken for the whole.
//   - "Every second Friday" needs a first one. Read takes the next Friday to come; At, which reads descriptions that somebody approves later,
//     leaves such a schedule open.
//   - "Between 9 and 17" has its last fire before 17:00 when it comes several times an hour, and at 17:00 when it comes every hour.
//   - "Except weekends" and "every 3 months" leave a schedule open: Nearest has what five fields say plainly.
//   - A day that some months do not have, such as the 31st, is not read: "the last day of the month" is.
package times
