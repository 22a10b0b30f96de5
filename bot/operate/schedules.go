package operate

import (
	"context"
	"errors"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/engine/schedule"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Schedule handles `schedule refund "*/1 * * * *" [zone] order_id=A-1003`.
func (hs *Holds) Schedule(ctx context.Context, in request.Incoming, c request.Command) error {
	if len(c.Args) < 2 {
		return &usererror.Error{Code: "no_cron", Text: "Name the flow and the schedule.", Hint: "For example: `/flow schedule refund \"0 9 * * 1-5\" Europe/Berlin order_id=A-1003`."}
	}
	f, err := hs.startable(ctx, in, c.Arg(0))
	if err != nil {
		return err
	}
	cron, zone, err := cronWords(c.Args[1:])
	if err != nil {
		return err
	}
	person, err := hs.Directory.Person(ctx, in.User)
	if err != nil {
		return err
	}
	if zone == "" {
		zone = person.Zone
	}
	s, fires, err := hs.Engine.AddSchedule(ctx, storage.Schedule{
		Flow: f.Name, Cron: cron, Zone: zone, Owner: in.User, Channel: f.Channel, CatchUp: "once", Overlap: "skip",
	}, c.Pairs, in.Actor(), in.Inbox)
	if err != nil {
		return err
	}
	var next []card.Text
	for _, t := range fires {
		next = append(next, card.Textf("• %s", card.Date(t)))
	}
	out := card.Card{
		Text:     card.Textf(":calendar: *%s* starts by itself: `%s` in %s, on your word.", f.Name, cron, zoneName(s.Zone)),
		Sections: []card.Section{{Title: "The next times, in your zone", Text: card.Join("\n", next...)}},
		Context:  []card.Text{card.Textf("Each start is a run of its own, also for the same inputs. `%s pause %s` holds it.", hs.Replies.Command, shortID(s.ID))},
	}
	return hs.Replies.Say(ctx, in.WithoutRow(), out)
}

// cronWords reads a schedule that is quoted (one word) or typed as five words, and an optional zone after it.
func cronWords(args []string) (cron, zone string, err error) {
	n := 1
	if !strings.Contains(args[0], " ") && !strings.HasPrefix(args[0], "@") {
		n = 5
	}
	if len(args) < n {
		_, err := schedule.ParseCron(strings.Join(args, " "), "")
		return "", "", err
	}
	cron = strings.Join(args[:n], " ")
	if len(args) > n {
		zone = args[n]
	}
	_, err = schedule.ParseCron(cron, zone)
	return cron, zone, err
}

func zoneName(z string) string {
	if z == "" {
		return "UTC"
	}
	return z
}

func shortID(id string) string { return id[max(0, len(id)-6):] }

// Schedules lists those of the flows that a person may read.
func (hs *Holds) Schedules(ctx context.Context, in request.Incoming, c request.Command) error {
	page, err := request.PageOf(c, 0, "schedules")
	if err != nil {
		return err
	}
	rows, err := hs.readableSchedules(ctx, in)
	if err != nil {
		return err
	}
	var lines []card.Text
	for _, s := range rows {
		next := card.Textf("next %s", card.Date(s.Next))
		if s.Paused {
			next = card.Textf("paused")
		}
		if n := len(s.Kept); n > 0 {
			next = card.Textf("%s, %d wait for the run before to end", next, n)
		}
		lines = append(lines, card.Textf("• `%s`  *%s*  `%s` %s, %s, by %s", shortID(s.ID), s.Flow, s.Cron, zoneName(s.Zone), next, surface.Person(s.Owner)))
	}
	if len(lines) == 0 {
		return hs.Replies.SayText(ctx, in, card.Textf("There are no schedules. For example: `%s schedule <flow> \"0 9 * * 1-5\" Europe/Berlin`", hs.Replies.Command))
	}
	out := card.Card{Title: "Schedules"}
	out.Text, out.Context = hs.Replies.Paged(lines, page, "schedules")
	return hs.Replies.Say(ctx, in, out)
}

func (hs *Holds) readableSchedules(ctx context.Context, in request.Incoming) ([]storage.Schedule, error) {
	flows, err := hs.Access.Readable(ctx, in)
	if err != nil {
		return nil, err
	}
	all, err := hs.Store.Schedules(ctx, "")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(s storage.Schedule) bool {
		return !slices.ContainsFunc(flows, func(f storage.Flow) bool { return f.Name == s.Flow })
	}), nil
}

// scheduleCalled finds a schedule by its short id, if a person may see it.
func (hs *Holds) scheduleCalled(ctx context.Context, in request.Incoming, name string) (s storage.Schedule, ok bool, err error) {
	rows, err := hs.readableSchedules(ctx, in)
	if err != nil {
		return s, false, err
	}
	i := slices.IndexFunc(rows, func(s storage.Schedule) bool { return shortID(s.ID) == name })
	if i < 0 {
		return s, false, nil
	}
	return rows[i], true, nil
}

// holdSchedule pauses or resumes a schedule.
func (hs *Holds) holdSchedule(ctx context.Context, in request.Incoming, s storage.Schedule, paused bool) error {
	f, err := hs.Store.Flow(ctx, s.Flow)
	if err != nil {
		return err
	}
	about := people.AboutFlow(f)
	about.Scheduler = s.Owner
	if err := hs.Access.May(ctx, in, authority.OperateSchedule, about); err != nil {
		return request.Because(err, card.Textf("Only the schedule's owner and admins may do this. Its owner is %s.", surface.Person(s.Owner)), "")
	}
	s.Paused, s.Failures, s.Kept = paused, 0, nil
	words := card.Textf("is paused")
	if !paused {
		resumed, err := hs.Engine.ResumeSchedule(s)
		if err != nil {
			return err
		}
		s = resumed
		words = card.Textf("goes on, next %s", card.Date(s.Next))
	}
	err = hs.Replies.Write(ctx, in, &storage.Batch{
		Schedules: []storage.Schedule{s},
		Surfaces:  []storage.Surface{hs.Replies.Private(in, card.Card{Text: card.Textf("The schedule `%s` of *%s* %s.", s.Cron, s.Flow, words)})},
		Audit:     []storage.Audit{hs.Replies.Audit(in, map[bool]string{true: "schedule_paused", false: "schedule_resumed"}[paused], "schedule:"+s.ID, nil)},
	})
	if errors.Is(err, storage.ErrConflict) {
		if s, err = hs.Store.Schedule(ctx, s.ID); err == nil { // it fired at this moment
			return hs.holdSchedule(ctx, in, s, paused)
		}
	}
	return err
}
