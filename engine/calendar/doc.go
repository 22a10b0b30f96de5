// Package calendar is civil time: what a clock on the wall shows in a zone, which days and hours people work, and when a schedule of
// five fields fires. It is pure: it reads no clock and knows no runs.
//
//	local.go     the instant at which a zone's clocks show a time, also when they are put forward or back
//	schedule.go  the fires of a schedule
//	narrow.go    days that five fields cannot name: the first Monday of the month, every second Friday
//	days.go      working days: zone, weekdays, hours, holidays
//	read.go      times as flows write them
//	words.go     how weekdays, hours and holidays are written in settings
//	said.go      schedules in words: every day at 09:00
//
// Where to look next: engine fires schedules and counts deadlines with it; engine/run reads the times of wait nodes with it.
//
// # Clocks that change
//
// Where clocks are put forward some times are missing, where they are put back some come twice. A time that is missing stands for the
// moment at which the clocks jump over it; one that comes twice stands for the first.
//
//	                            clocks go 02:00 -> 03:00                 clocks go 03:00 -> 02:00
//	30 2 * * *   (daily)        once, at the jump (03:00)                once, at the first 02:30
//	*/15 2 * * * (an hour)      once, at the jump                        four times, in the first hour
//	0 * * * *    (hourly)       01:00, then 03:00: an hour later         both at the first and at the second 02:00
//	*/15 * * * * (every hour)   01:45, then 03:00: 15 minutes later      eight times in those two hours
//
// # Decisions
//
//   - robfig/cron reads schedules and finds their times, but only on a clock that never changes: in a zone it leaves a daily job out
//     when its time is missing, starts it twice when its time comes twice, and loses fires where clocks change by half an hour. Each
//     stretch of time between two changes is looked at by itself here.
//   - A schedule that names every hour follows the time that passes, as people who write "hourly" mean it; every other one names
//     times of the day, and has each of them once.
//   - Several missing times are one fire: three runs at the same moment help nobody.
//   - Working days are counted from the next working moment: "1 working day" from Friday evening, or from Sunday, ends on Tuesday
//     morning, so that the person who is asked always has a whole one. Within the hours the time of the day is kept. The end of the hours
//     still belongs to them.
//   - Working hours do not go past midnight.
package calendar
