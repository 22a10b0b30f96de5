package times

import (
	"sluice/engine/planner/phrase"
)

// Form is one way to say when something starts.
type Form struct {
	Pattern string // words with alternatives a|b, [optional] ones, and {slots}
	Example string // a text that the form reads
	Meaning string // when that is
	Counts  bool   // weeks or days from a first one, which At does not know

	// fields are those of engine/calendar; none = somebody has to say more. Small letters are filled in: m minute, h hour, d days of the month
	// or which of the weekdays in it, w weekdays, n a number.
	fields string
	count  int // n where the words have no number
}

// Beginnings and ends that forms have in common.
const (
	each       = "[on] [the|every|each]"
	ofMonth    = "of|in the_month|every_month|each_month|a_month|month"
	workingDay = "working_day|business_day|workday|weekday|week_day"
	weekdays   = "every_weekday|every_working_day|every_workday|each_weekday|each_working_day|every_business_day|weekdays|working_days|on_weekdays|on_working_days|workdays"
	daytime    = "[morning|mornings|afternoon|afternoons|evening|evenings|night|nights]"
	fortnight  = "every_second_week|every_other_week|each_second_week|biweekly|fortnightly|every_fortnight"
)

// Forms are the forms of schedules. The first that fits is taken.
var Forms = []Form{
	{Pattern: each + " {nths} {days} " + ofMonth + " " + daytime, Example: "the first Monday of every month at 9", Meaning: "on that weekday of every month", fields: "m h * * w#d"},
	{Pattern: each + " last {days} " + ofMonth + " " + daytime, Example: "the last Friday of every month at 16:00", Meaning: "on the last such day of every month", fields: "m h * * wL"},
	{Pattern: each + " last " + workingDay + " " + ofMonth + " " + daytime, Example: "the last working day of every month at 16:00", Meaning: "on the last day from Monday to Friday of every month", fields: "m h * * WL"},
	{Pattern: each + " last day " + ofMonth + " " + daytime, Example: "the last day of every month at noon", Meaning: "on the last day of every month", fields: "m h L * *"},
	{Pattern: each + " {nths} " + workingDay + " " + ofMonth + " " + daytime, Example: "the first working day of every month at 9", Meaning: "on that day from Monday to Friday of every month", fields: "m h * * W#d"},
	{Pattern: "[on] every|each other|second|2nd {days} " + daytime, Example: "every second Friday at 9", Meaning: "on that day of every second week", fields: "m h * * w%n", count: 2, Counts: true},
	{Pattern: "every {n} weeks [on] {days}", Example: "every 2 weeks on Friday at 9", Meaning: "on that day of every second week", fields: "m h * * w%n", Counts: true},
	{Pattern: fortnight + " [on] {days}", Example: "every other week on Friday at 9", Meaning: "on that day of every second week", fields: "m h * * w%n", count: 2, Counts: true},
	{Pattern: "every {n} weeks", Example: "every 3 weeks at 9", Meaning: "on Monday of every so many weeks", fields: "m h * * 1%n", Counts: true},
	{Pattern: fortnight, Example: "biweekly at 9", Meaning: "on Monday of every second week", fields: "m h * * 1%n", count: 2, Counts: true},
	{Pattern: "every|each other|second|2nd day", Example: "every other day at 9", Meaning: "on every second day", fields: "m h *%n * *", count: 2, Counts: true},
	{Pattern: "every {n} days", Example: "every 3 days at 9", Meaning: "on every such day", fields: "m h *%n * *", Counts: true},
	{Pattern: "every {n} months", Counts: true},
	{Pattern: "every|each other|second|third month", Counts: true},
	{Pattern: "once_a_week|once_per_week|once_every_week [on] {days} " + daytime, Example: "once a week on Friday at 16:00", Meaning: "on that day of every week", fields: "m h * * w"},
	{Pattern: "once|twice|three_times every|a|per|each day|week|month", Counts: true},

	{Pattern: "every {n} minutes", Example: "every 15 minutes", Meaning: "a time that comes again within the hour", fields: "*/n * * * *"},
	{Pattern: "every {n} hours", Example: "every 2 hours", Meaning: "a time that comes again within the day", fields: "0 */n * * *"},
	{Pattern: "every_minute", Example: "every minute", Meaning: "a time that comes again within the hour", fields: "* * * * *"},
	{Pattern: "every_hour|hourly|each_hour", Example: "hourly", Meaning: "each full hour", fields: "0 * * * *"},
	{Pattern: "every_quarter|quarterly|each_quarter", Example: "every quarter at 8am", Meaning: "on the first day of January, April, July and October", fields: "m h 1 1,4,7,10 *"},
	{Pattern: "[on] [the|every] {nths} [day] of every_month|each_month|the_month|a_month", Example: "the 15th of every month", Meaning: "on that day of every month", fields: "m h d * *"},
	{Pattern: "on [the] {nths} [.] [day] of every_month|each_month|the_month|a_month", Example: "on 15. of every month", Meaning: "on that day of every month", fields: "m h d * *"},
	{Pattern: "[on] every|each {nths} " + daytime, Example: "every 15th at 10:00", Meaning: "on that day of every month", fields: "m h d * *"},
	{Pattern: "every_year|each_year|yearly|annually|once_a_year [on] [the] {date}", Example: "every year on May 1st at 9", Meaning: "on that day of every year", fields: "m h D M *"},
	{Pattern: "every_month|monthly|each_month on [the|day] {nths} [day]", Example: "every month on the 15th at 10:00", Meaning: "on that day of every month", fields: "m h d * *"},
	{Pattern: "every_month|monthly|each_month", Example: "monthly", Meaning: "on the first day of every month", fields: "m h 1 * *"},
	{Pattern: "every_week|weekly|each_week on {days}", Example: "weekly on Friday at 16:00", Meaning: "on that day of every week", fields: "m h * * w"},
	{Pattern: "every_week|weekly|each_week", Example: "weekly", Meaning: "every Monday", fields: "m h * * 1"},
	{Pattern: "[on] " + weekdays + " " + daytime, Example: "every weekday at 9", Meaning: "from Monday to Friday", fields: "m h * * 1-5"},
	{Pattern: "every_day|each_day|daily|every_morning|each_morning|every_afternoon|each_afternoon|every_evening|each_evening|every_night|each_night", Example: "every day at 8:30", Meaning: "each day; without a time at 9:00", fields: "m h * * *"},
	{Pattern: "every|each {days} " + daytime, Example: "every Monday and Thursday at 17:30", Meaning: "on those days of every week", fields: "m h * * w"},
	{Pattern: "[on] {days} mornings|morning|afternoons|evenings", Example: "Monday mornings at 9", Meaning: "on those days of every week", fields: "m h * * w"},
	{Pattern: "[on] {plural} " + daytime, Example: "on Fridays at noon", Meaning: "on those days of every week", fields: "m h * * w"},
}

// short are forms that a whole text may have besides: in a description they would be parts of steps.
var short = []Form{
	{Pattern: "{days}", Example: "Mondays at 9", Meaning: "on those days of every week", fields: "m h * * w"},
	{Pattern: "[on] the {nths}", Example: "the 1st and 15th at 9", Meaning: "on those days of every month", fields: "m h d * *"},
}

// days are what may stand behind a form that comes several times a day.
var days = []Form{
	{Pattern: "[on] " + weekdays, fields: "1-5"},
	{Pattern: "[on|every|each|from] {days}", fields: "w"},
}

// excepts leave days out of a schedule: somebody has to say which of the schedules near to it is meant.
var excepts = []string{excepting + "{days}", excepting + "[public|bank|national|school] weekend|weekends|holiday|holidays|vacation|vacations [and|or] [holidays]"}

const excepting = "[,] except|excluding|but|apart_from|other_than [on|at|for|during] [the] "

var eachOf = phrase.Phrases(`for_each for_every for_all`)

// against are words that change a schedule in a way that no form can say.
var against = phrase.Set(`except but until till not without starting beginning from between that of before after or and other excluding during for at in`)
