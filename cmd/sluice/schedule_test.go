package main

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/storage"
)

// fires lists for which times the schedule has started runs, as the runs' first facts have it, oldest first.
func fires(w *world) []time.Time {
	w.Helper()
	var out []time.Time
	w.look(func(ctx context.Context, s storage.Store) error {
		runs, err := s.Runs(ctx, storage.RunQuery{Flow: "refund"})
		if err != nil {
			return err
		}
		for _, r := range slices.Backward(runs) {
			facts, err := s.FactsBySeq(ctx, r.ID, []int64{1})
			if err != nil {
				return err
			}
			var start struct {
				Event struct {
					At time.Time `json:"at"`
				} `json:"event"`
			}
			if err := json.Unmarshal(facts[0].Body, &start); err != nil {
				return err
			}
			out = append(out, start.Event.At)
		}
		return nil
	})
	return out
}

// advance moves the clock to a second after the next full minute, and gives that minute.
func advance(w *world) time.Time {
	w.Helper()
	now := w.get("clock").Now
	next := now.Truncate(time.Minute).Add(time.Minute)
	w.post("clock", fields{"advance": next.Add(time.Second).Sub(now).String()})
	return next
}

// fired waits until the run of a fire is done.
func fired(w *world, at time.Time) {
	w.Helper()
	poll(w, "a run for "+at.String(), func() ([]time.Time, bool) {
		all := fires(w)
		return all, slices.ContainsFunc(all, at.Equal)
	})
	n := len(fires(w))
	until(w, "#support", "the scheduled run's end", func(all []message) (message, bool) {
		over := filter(all, func(m message) bool { return isStatus(m) && strings.Contains(m.shown(), "*Done*") })
		return message{}, len(over) >= n
	})
}

// TestSchedule: a schedule starts a run by itself, exactly once per fire, whatever happens to the process in between.
func TestSchedule(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s setup) {
		w := newWorld(t, s)
		drafts(w)
		for text, want := range map[string]string{
			`schedule refund "*/1 * * * *"`:                      "order_id is missing",
			`schedule refund "61 * * * *" order_id=A-1003`:       "I cannot read \"61 * * * *\" as a schedule",
			`schedule refund "*/1 * * * *" Mars order_id=A-1003`: "I do not know the time zone \"Mars\"",
			`schedule nothing "*/1 * * * *" order_id=A-1003`:     "no such flow",
		} {
			if line := w.ask("ana", "#support", text).shown(); !strings.Contains(line, want) {
				t.Errorf("%s is answered: %s", text, line)
			}
		}
		made := w.ask("ana", "#support", `schedule refund "*/1 * * * *" order_id=A-1003`).shown()
		if n := strings.Count(made, "• <!date^"); n != 5 || !strings.Contains(made, "in Europe/Berlin") {
			t.Errorf("the schedule shows %d times:\n%s", n, made)
		}
		w.untilSchedules(1)

		one := advance(w)
		fired(w, one)
		two := advance(w)
		fired(w, two)
		w.dev.kill()
		w.startDev()
		three := advance(w)
		w.dev.kill() // the fire may have happened or not
		w.startDev()
		fired(w, three)

		name := regexp.MustCompile("pause ([0-9a-f]+)`").FindStringSubmatch(made)[1]
		if line := w.ask("bob", "#support", "pause "+name).shown(); !strings.Contains(line, "Only the schedule's owner and admins") {
			t.Errorf("bob's pause is answered: %s", line)
		}
		w.ask("ana", "#support", "pause "+name)
		if line := w.ask("ana", "#support", "schedules").shown(); !strings.Contains(line, "paused") {
			t.Errorf("the paused schedule is listed as:\n%s", line)
		}
		held := w.get("clock").Now
		advance(w)
		last := advance(w)
		w.ask("ana", "#support", "resume "+name)
		fired(w, advance(w))

		all := fires(w)
		for i, at := range all {
			if slices.ContainsFunc(all[:i], at.Equal) {
				t.Errorf("%v has fired twice", at)
			}
			if at.After(held) && !at.After(last) {
				t.Errorf("%v has fired while the schedule was paused", at)
			}
		}
		for _, at := range []time.Time{one, two, three} {
			if !slices.ContainsFunc(all, at.Equal) {
				t.Errorf("%v has not fired; there are %v", at, all)
			}
		}
		if w.bookings() != len(all) {
			t.Errorf("%d runs booked %d refunds", len(all), w.bookings())
		}
	})
}

// untilSchedules waits until so many schedules are stored: the answer to a person may be shown a moment earlier.
func (w *world) untilSchedules(n int) {
	w.Helper()
	poll(w, "a stored schedule", func() (found int, ok bool) {
		w.look(func(ctx context.Context, s storage.Store) error {
			all, err := s.Schedules(ctx, "refund")
			found = len(all)
			return err
		})
		return found, found == n
	})
}
