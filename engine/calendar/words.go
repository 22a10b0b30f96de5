package calendar

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// dayNames are the weekdays as settings write them, Sunday first.
var dayNames = [7]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// ParseWeekdays reads "mon-fri", "sun-thu" or "mon,wed,fri".
func ParseWeekdays(text string) (weekdays, error) {
	var days weekdays
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, ok := weekday(first)
		to, ok2 := from, true
		if isRange {
			to, ok2 = weekday(last)
		}
		if !ok || !ok2 {
			return days, fmt.Errorf(`%q is not a list of weekdays; write for example "mon-fri" or "mon,wed,fri"`, text)
		}
		for days[from] = true; from != to; days[from] = true {
			from = (from + 1) % len(days)
		}
	}
	return days, nil
}

// weekday finds a day by its name, which may be written out.
func weekday(word string) (int, bool) {
	word = strings.ToLower(strings.TrimSpace(word))
	for i, name := range dayNames {
		if word == name || word == strings.ToLower(time.Weekday(i).String()) {
			return i, true
		}
	}
	return 0, false
}

// String lists the days as ParseWeekdays reads them.
func (w weekdays) String() string {
	var names []string
	for i := range w {
		day := (i + 1) % len(w) // Monday first
		if w[day] {
			names = append(names, dayNames[day])
		}
	}
	return strings.Join(names, ",")
}

// ParseHours reads "09:00-17:00"; the day ends at 24:00.
func ParseHours(text string) (Hours, error) {
	first, last, _ := strings.Cut(text, "-")
	from, err := timeOfDay(first)
	to, err2 := timeOfDay(last)
	if err != nil || err2 != nil {
		return Hours{}, fmt.Errorf(`%q are not hours; write for example "09:00-17:00"`, text)
	}
	if from >= to {
		return Hours{}, fmt.Errorf(`%q: the hours must end after they begin, on the same day`, text)
	}
	return Hours{from, to}, nil
}

func timeOfDay(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if text == "24:00" {
		return 24 * time.Hour, nil
	}
	t, err := time.Parse("15:04", text)
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err
}

// String writes the hours as ParseHours reads them.
func (h Hours) String() string {
	clock := func(d time.Duration) string { return fmt.Sprintf("%02d:%02d", int(d.Hours()), int(d.Minutes())%60) }
	return clock(h.From) + "-" + clock(h.To)
}

// ParseHolidays reads days, each in an entry of its own: "2026-04-03", or "12-25" for every year; what follows the day is its name.
// Empty entries and what follows a # are left out. All entries that cannot be read are named in one error.
func ParseHolidays(entries []string) (Holidays, error) {
	h := Holidays{Dates: map[Date]bool{}, Yearly: map[Date]bool{}}
	var wrong []error
	for _, entry := range entries {
		text, _, _ := strings.Cut(entry, "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if day, err := time.Parse(time.DateOnly, words[0]); err == nil {
			h.Dates[Date{day.Year(), day.Month(), day.Day()}] = true
		} else if day, err := time.Parse(time.DateOnly, "2000-"+words[0]); err == nil { // a leap year: 02-29 is a day
			h.Yearly[Date{0, day.Month(), day.Day()}] = true
		} else {
			wrong = append(wrong, fmt.Errorf(`%q is not a day; write for example "2026-04-03", or "12-25" for every year`, words[0]))
		}
	}
	return h, errors.Join(wrong...)
}

// Days is how many holidays there are; one of every year counts once.
func (h Holidays) Days() int { return len(h.Dates) + len(h.Yearly) }
