package schedule

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/planner/times"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Timetable is a schedule as somebody has said it.
type Timetable struct {
	Cron  string    // for storage.Schedule, with Zone
	Zone  string    // IANA
	Words string    // when it fires, as people say it
	First time.Time // no fire before it; zero = from now on
	Fires []time.Time
	Exact bool // it was given as fields, and not in words
}

// shownFires is how many fires people see before they say yes to a schedule.
const shownFires = 5

// fieldsForm is what five fields look like, with a zone behind them or without one.
var fieldsForm = regexp.MustCompile(`^(@every \w+|@\w+|[\d*/,-]+(?: [\w*/,%#+-]+){4})(?: ([\w/+-]+))?$`)

// ReadSchedule reads a schedule in words, such as "every second Friday at 9", or in five fields. It is meant in the zone that it names, else in
// zone, else in that of the installation. The error says what can be read.
func (x *Schedules) ReadSchedule(words, zone string) (Timetable, error) {
	t := Timetable{Zone: x.ScheduleZone(zone)}
	text := strings.Join(strings.Fields(words), " ")
	fields := fieldsForm.FindStringSubmatch(text)
	var bad error
	if fields != nil {
		if fields[2] != "" {
			t.Zone = fields[2]
		}
		if _, bad = ParseCron(fields[1], t.Zone); bad == nil {
			t.Cron, t.Exact = fields[1], true
		}
	}
	if t.Cron == "" {
		if err := x.readWords(&t, text); err != nil {
			if bad != nil {
				err = bad
			}
			return t, err
		}
	}
	sched, err := x.newSchedule(t.Cron, t.Zone)
	if err != nil {
		return t, err
	}
	var ok bool
	if t.Words, ok = calendar.Words(t.Cron); !ok {
		t.Words = "on the schedule " + t.Cron
	}
	if t.Fires = NextFires(sched, x.after(t.First), shownFires); len(t.Fires) == 0 {
		return t, never(t.Cron)
	}
	return t, nil
}

// readWords reads a schedule that is no five fields.
func (x *Schedules) readWords(t *Timetable, text string) error {
	now, err := x.nowIn(t.Zone)
	if err != nil {
		return err
	}
	s, err := times.Read(text, now)
	if unread, ok := errors.AsType[*times.UnreadError](err); ok {
		return &usererror.Error{
			Code: "bad_schedule", Text: fmt.Sprintf("I cannot read “%s” as a schedule.", short(text)),
			Hint: "For example: `" + strings.Join(unread.Near, "`, `") + "`, or five fields such as `0 9 * * 1-5`.", Err: err,
		}
	}
	if s.Zone != "" {
		t.Zone = s.Zone
	}
	t.Cron, t.First = s.Cron, s.First
	return err
}

// ReadUntil reads when a time ends that begins now, such as "until Monday", in a zone ("" = that of the installation).
func (x *Schedules) ReadUntil(words, zone string) (time.Time, error) {
	now, err := x.nowIn(x.ScheduleZone(zone))
	if err != nil {
		return now, err
	}
	end, err := times.Until(words, now)
	if unread, ok := errors.AsType[*times.UnreadError](err); ok {
		return end, &usererror.Error{
			Code: "bad_date", Text: fmt.Sprintf("I cannot read “%s” as a time to come.", short(words)),
			Hint: "For example: `" + strings.Join(unread.Near, "`, `") + "`.", Err: err,
		}
	}
	return end, err
}

// short cuts words for a sentence.
func short(words string) string {
	const most = 80
	if r := []rune(words); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return words
}

func (x *Schedules) nowIn(zone string) (time.Time, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		_, err = ParseCron("@daily", zone) // which says so
		return time.Time{}, err
	}
	return x.cfg.Now().In(loc), nil
}

// after is the time behind which fires are looked for that are not before first.
func (x *Schedules) after(first time.Time) time.Time {
	if now := x.cfg.Now(); first.Before(now) {
		return now
	}
	return first.Add(-time.Second)
}

func never(cron string) error {
	return &usererror.Error{Code: "never", Text: fmt.Sprintf("The schedule %q never fires.", cron), Hint: "Check the day and the month."}
}

// SkipNext gives a schedule as it goes on without its next fire, and that fire. ResumeSchedule takes it back.
func (x *Schedules) SkipNext(s storage.Schedule) (_ storage.Schedule, skipped time.Time, err error) {
	skipped = s.Next
	switch {
	case s.Paused:
		return s, skipped, &usererror.Error{Code: "schedule_paused", Text: "The schedule is paused: there is no next start to leave out.", Subject: s.ID}
	case !skipped.After(x.cfg.Now()):
		return s, skipped, &usererror.Error{Code: "schedule_due", Text: "The schedule starts a run at this moment.", Hint: "Try again to leave out the start after that."}
	}
	s, err = x.PauseUntil(s, skipped.Add(time.Second))
	return s, skipped, err
}

// PauseUntil gives a schedule without its fires before a time. ResumeSchedule takes it back.
func (x *Schedules) PauseUntil(s storage.Schedule, end time.Time) (storage.Schedule, error) {
	sched, err := ParseCron(s.Cron, s.Zone)
	if err != nil {
		return s, err
	}
	next := sched.Next(x.after(end))
	if next.IsZero() {
		return s, never(s.Cron)
	}
	s.Paused, s.Failures, s.Next, s.Kept = false, 0, next, nil
	return s, nil
}

// LeftOut gives the first fire that a schedule leaves out on somebody's word, the zero time when it leaves out none.
func (x *Schedules) LeftOut(s storage.Schedule) time.Time {
	sched, err := ParseCron(s.Cron, s.Zone)
	if err != nil || s.Paused {
		return time.Time{}
	}
	from := x.cfg.Now()
	if from.Before(s.Last) {
		from = s.Last
	}
	if due := sched.Next(from); due.Before(s.Next) {
		return due
	}
	return time.Time{}
}
