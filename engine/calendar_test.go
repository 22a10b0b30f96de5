package engine_test

import (
	"testing"
	"time"
	_ "time/tzdata" // the zones must be known on any machine

	"sluice/engine"
	"sluice/engine/calendar"
	"sluice/engine/history"
)

const patient = `
name: patient
flow:
  entry: gate
  nodes:
    - id: gate
      type: approval
      message: "Pay?"
      deadline: {after: 2 working days, remind: 1 working day, escalate: {after: 1 working day, to: "@cfo"}}
      routes: [{when: "approvals.gate == 'approve'", to: nap}, {when: "approvals.gate == 'timeout'", to: end}, {when: default, to: end}]
    - {id: nap, type: wait, until: "2026-10-25T02:30", routes: [{to: end}]}
`

// Deadlines, reminders and escalations in working days go by the installation's calendar, and so do times without a zone.
func TestDeadlinesGoByTheCalendar(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.calendar = calendar.Usual(berlin)
	if w.calendar.Holidays, err = calendar.ParseHolidays([]string{"2026-10-26"}); err != nil {
		t.Fatal(err)
	}
	w.serve()
	w.save(patient)
	// Friday, 14:00. On Sunday the clocks go back, on Monday nobody works.
	w.clock.Advance(time.Date(2026, 10, 23, 12, 0, 0, 0, time.UTC).Sub(w.clock.Now()))
	r := w.start("patient", nil)
	g := w.gate(r.ID)
	if want := time.Date(2026, 10, 28, 13, 0, 0, 0, time.UTC); g.Due.Truncate(time.Hour) != want {
		t.Errorf("2 working days from Friday end at %v, want %v", g.Due, want)
	}
	due := map[string]time.Time{}
	timers, err := w.store.ClaimTimers(t.Context(), "", g.Due, time.Minute, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, tm := range timers {
		due[tm.Kind] = tm.Due.Truncate(time.Hour)
	}
	tuesday := time.Date(2026, 10, 27, 13, 0, 0, 0, time.UTC)
	if len(timers) != 3 || due["remind"] != tuesday || due["escalate"] != tuesday {
		t.Errorf("the timers are due at %v", due)
	}
	w.answer(g, "approve")
	w.until(r.ID, "it waits", waits(history.TimerWait))
	timers, err = w.store.ClaimTimers(t.Context(), "", g.Due, time.Minute, 10)
	if first := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC); err != nil || len(timers) != 1 || !timers[0].Due.Equal(first) {
		t.Errorf("02:30 on the day when it comes twice is %+v (%v)", timers, err)
	}
}

// A run key that may not be used again within working days is free after as many.
func TestAKeysWindowInWorkingDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	w.save(`
name: weekly
run: {key: "{{inputs.what}}", within: 2 working days}
inputs: {what: {type: string, required: true}}
flow:
  entry: done
  nodes: [{id: done, type: terminal}]
`)
	friday := time.Date(2026, 11, 13, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after     time.Duration
		duplicate bool
	}{{0, false}, {3 * 24 * time.Hour, true}, {4*24*time.Hour - time.Hour, true}, {4*24*time.Hour + time.Hour, false}} {
		w.clock.Advance(friday.Add(c.after).Sub(w.clock.Now()))
		s, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: "weekly", Inputs: map[string]any{"what": "it"}})
		if err != nil || s.Duplicate != c.duplicate {
			t.Errorf("%v later: duplicate %v (%v), want %v", c.after, s.Duplicate, err, c.duplicate)
		}
	}
}
