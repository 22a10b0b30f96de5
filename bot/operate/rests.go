package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// change changes a schedule: it gives the new schedule, and the words for the person.
type change func(s storage.Schedule) (next storage.Schedule, what string, said card.Text, err error)

// SkipNext handles "skip next refund" and "skip 3f2a1c": a schedule leaves out its next start. mine is false when no schedule is meant.
func (hs *Holds) SkipNext(ctx context.Context, in request.Incoming, c request.Command) (mine bool, err error) {
	name, next := c.Arg(0), c.Arg(0) == "next"
	if next {
		name = c.Arg(1)
	}
	s, ok, err := hs.scheduleCalled(ctx, in, name)
	if err != nil || !ok && !next {
		return false, err
	}
	if !ok {
		if s, err = hs.onlySchedule(ctx, in, name); err != nil {
			return true, err
		}
	}
	return true, hs.changeSchedule(ctx, in, s, hs.skipping)
}

// onlySchedule is the schedule of a flow that has one.
func (hs *Holds) onlySchedule(ctx context.Context, in request.Incoming, name string) (s storage.Schedule, err error) {
	if name == "" {
		return s, &usererror.Error{Code: "no_name", Text: "Which schedule?", Hint: "For example: `/flow skip next refund`. `/flow schedules` lists schedules with their short names."}
	}
	f, err := hs.Access.Flow(ctx, in, name)
	if err != nil {
		return s, hs.nothingCalled(ctx, in, name, err)
	}
	rows, err := hs.Store.Schedules(ctx, f.Name)
	switch {
	case err != nil:
		return s, err
	case len(rows) == 0:
		return s, &usererror.Error{Code: "no_schedule", Text: f.Name + " has no schedule.", Hint: "For example: `/flow schedule " + f.Name + " every weekday at 8:30`."}
	case len(rows) > 1:
		var names []string
		for _, s := range rows {
			names = append(names, "`"+shortID(s.ID)+"`")
		}
		return s, &usererror.Error{Code: "which_schedule", Text: fmt.Sprintf("%s has %d schedules. Which one?", f.Name, len(rows)), Hint: "Name one of " + strings.Join(names, ", ") + "; `/flow schedules` says which is which."}
	}
	return rows[0], nil
}

// ResumeScheduleClicked undoes the pause or the skipped start that the button's message reports.
func (hs *Holds) ResumeScheduleClicked(ctx context.Context, in request.Incoming) error {
	s, ok, err := hs.scheduleCalled(ctx, in, in.Value)
	if err == nil && !ok {
		return request.ErrHidden
	}
	if err != nil {
		return err
	}
	return hs.changeSchedule(ctx, in, s, hs.resuming)
}

func (hs *Holds) skipping(s storage.Schedule) (storage.Schedule, string, card.Text, error) {
	s, skipped, err := hs.Engine.SkipNext(s)
	return s, "schedule_skipped", card.Textf("leaves out its start on %s, next %s", card.Date(skipped), card.Date(s.Next)), err
}

func (hs *Holds) resuming(s storage.Schedule) (storage.Schedule, string, card.Text, error) {
	s, err := hs.Engine.ResumeSchedule(s)
	return s, "schedule_resumed", card.Textf("goes on, next %s", card.Date(s.Next)), err
}

func pausing(s storage.Schedule) (storage.Schedule, string, card.Text, error) {
	s.Paused, s.Failures, s.Kept = true, 0, nil
	return s, "schedule_paused", card.Textf("is paused"), nil
}

func (hs *Holds) pausingUntil(end time.Time) change {
	return func(s storage.Schedule) (storage.Schedule, string, card.Text, error) {
		next, err := hs.Engine.PauseUntil(s, end)
		said := card.Textf("is paused until %s, next %s", card.Date(end), card.Date(next.Next))
		if left := hs.Engine.LeftOut(s); !left.IsZero() && next.Next.Before(s.Next) {
			said = card.Textf("%s, which was left out until now: `%s skip %s` leaves it out again", said, hs.Replies.Command, shortID(s.ID))
		}
		return next, "schedule_paused", said, err
	}
}

// until reads until when a pause is meant; ok is false when the words are a reason.
func (hs *Holds) until(ctx context.Context, in request.Incoming, words string) (end time.Time, ok bool, err error) {
	first, _, _ := strings.Cut(strings.ToLower(words), " ")
	if !slices.Contains([]string{"until", "till", "for"}, first) {
		return end, false, nil
	}
	zone, err := hs.zone(ctx, in)
	if err != nil {
		return end, false, err
	}
	end, err = hs.Engine.ReadUntil(words, zone)
	if _, unread := errors.AsType[*usererror.Error](err); unread && first == "for" {
		return end, false, nil // "for the holidays" is a reason
	}
	return end, true, err
}

// changeSchedule changes a schedule for its owner or an admin.
func (hs *Holds) changeSchedule(ctx context.Context, in request.Incoming, s storage.Schedule, change change) error {
	f, err := hs.Store.Flow(ctx, s.Flow)
	if err != nil {
		return err
	}
	about := people.AboutFlow(f)
	about.Scheduler = s.Owner
	if err := hs.Access.May(ctx, in, authority.OperateSchedule, about); err != nil {
		return request.Because(err, card.Textf("Only the schedule's owner and admins may do this. Its owner is %s.", surface.Person(s.Owner)), "")
	}
	next, what, said, err := change(s)
	if err != nil {
		return err
	}
	out := card.Card{Text: card.Textf("The schedule %s of *%s* %s.", whenWords(s.Cron), s.Flow, said)}
	if what != "schedule_resumed" {
		out.Buttons = []card.Button{{Action: "schedule.resume", Label: "Undo", Value: s.ID}}
	}
	err = hs.Replies.Write(ctx, in, &storage.Batch{
		Schedules: []storage.Schedule{next},
		Surfaces:  []storage.Surface{hs.Replies.Private(in, out)},
		Audit:     []storage.Audit{hs.Replies.Audit(in, what, "schedule:"+s.ID, map[string]time.Time{"next": next.Next})},
	})
	if errors.Is(err, storage.ErrConflict) {
		if s, err = hs.Store.Schedule(ctx, s.ID); err == nil { // it fired at this moment
			return hs.changeSchedule(ctx, in, s, change)
		}
	}
	return err
}
