package planner

import (
	"fmt"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
)

// The first hour of the morning that is taken as such, with a note; the hours before it are asked about.
const firstMorning = 7

// unclearHour gives the words that name an hour without the half of the day: the longest ones, because the number of a step is quoted, too.
func unclearHour(t *tree.Tree, at []tree.Quote) (found tree.Quote, ok bool) {
	for _, q := range at {
		words := t.Words(q)
		if times.UnclearHour(words) && len(words) > len(t.Words(found)) {
			found, ok = q, true
		}
	}
	return found, ok
}

// askHours asks about schedules and waits for an hour at night whose words do not say that the night is meant.
func askHours(p *inquiry) {
	for i := range p.t.Triggers {
		g := &p.t.Triggers[i]
		if at, ok := unclearHour(p.t, g.At); ok {
			hour, minute := times.HourOf(g.Cron)
			q := &asking{Question: Question{ID: fmt.Sprintf("hour.%d", i), Kind: "trigger"}, at: at}
			askHour(p, q, hour, minute, func(*tree.Step) {
				g.Cron = strings.Replace(g.Cron, fmt.Sprintf(" %d ", hour), fmt.Sprintf(" %d ", hour+12), 1)
			})
		}
	}
	for s := range p.t.Walk {
		if at, ok := unclearHour(p.t, s.At); ok && s.Kind == tree.Wait {
			var hour, minute int
			day := s.Time[:strings.LastIndexByte(s.Time, ' ')+1]
			if n, err := fmt.Sscanf(s.Time[len(day):], "%d:%d", &hour, &minute); n < 2 || err != nil {
				continue
			}
			q := question(s, "time", "hour", "")
			q.at = at
			askHour(p, q, hour, minute, func(s *tree.Step) { s.Time = fmt.Sprintf("%s%d:%02d", day, hour+12, minute) })
		}
	}
}

// askHour asks which half of the day an hour before the morning is in. The tree has it at night; later moves it to the afternoon.
func askHour(p *inquiry, q *asking, hour, minute int, later func(s *tree.Step)) {
	if hour < 1 || hour >= firstMorning {
		return
	}
	night, afternoon := fmt.Sprintf("%02d:%02d", hour, minute), fmt.Sprintf("%d:%02d", hour+12, minute)
	q.Quote = p.t.Words(q.at)
	q.Text = fmt.Sprintf("Does %s mean %s or %s?", english.Quoted(q.Quote), night, afternoon)
	q.button("pm", afternoon+", in the afternoon", later)
	q.button("am", night+", in the night", nil)
	p.add(q)
}

// early notes that a schedule is for the morning, where the afternoon is meant as often: "at 7".
func (p *planning) early(g tree.Trigger) {
	if _, unclear := unclearHour(p.t, g.At); unclear {
		if hour, minute := times.HourOf(g.Cron); hour == firstMorning {
			p.note("", "early", "The schedule is for %02d:%02d in the morning: write “pm” behind the hour if the afternoon is meant.", hour, minute)
		}
	}
}
