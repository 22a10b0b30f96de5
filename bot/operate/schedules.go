package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/calendar"
	"sluice/engine/schedule"
	"sluice/engine/trigger"
	"sluice/engine/usererror"
	"sluice/storage"
)

// proposed is a schedule that somebody has asked for in words, until they say that it is what they meant.
type proposed struct {
	Flow   string         `json:"flow"`
	Cron   string         `json:"cron"`
	Zone   string         `json:"zone"`
	First  time.Time      `json:"first,omitzero"`
	Inputs map[string]any `json:"inputs"`
}

// Schedule handles "schedule refund every second friday at 9 order_id=A-1003". A schedule in words is shown with its next fires before it
// counts; one in five fields, `schedule refund "*/1 * * * *" [zone]`, counts at once.
func (hs *Holds) Schedule(ctx context.Context, in request.Incoming, c request.Command) error {
	if len(c.Args) < 2 {
		return noTime()
	}
	f, err := hs.startable(ctx, in, c.Arg(0))
	if err != nil {
		return err
	}
	inputs, c, err := hs.typed(ctx, in, f, c)
	if err != nil {
		return err
	}
	zone, err := hs.zone(ctx, in)
	if err != nil {
		return err
	}
	t, err := hs.Engine.ReadSchedule(strings.Join(c.Args[1:], " "), zone)
	if err != nil {
		return err
	}
	p := proposed{Flow: f.Name, Cron: t.Cron, Zone: t.Zone, First: t.First, Inputs: inputs}
	if t.Exact {
		return hs.add(ctx, in, f, p, "")
	}
	return hs.propose(ctx, in, f, p, t)
}

func noTime() error {
	return &usererror.Error{
		Code: "no_cron", Text: "Name the flow and when it starts, before the inputs.",
		Hint: "For example: `/flow schedule refund every weekday at 8:30 order_id=A-1003`, or as fields: `/flow schedule refund \"30 8 * * 1-5\" Europe/Berlin order_id=A-1003`.",
	}
}

// typed reads the inputs behind the words of a schedule. The command that comes back has the words alone.
func (hs *Holds) typed(ctx context.Context, in request.Incoming, f storage.Flow, c request.Command) (map[string]any, request.Command, error) {
	doc, err := hs.head(ctx, f)
	if err != nil {
		return nil, c, err
	}
	asked := form.Inputs(doc, nil)
	if c, err = c.Named(form.Names(asked.Fields), len(c.Args)); err != nil {
		return nil, c, err
	}
	if len(c.Args) < 2 {
		return nil, c, noTime()
	}
	in.Form = c.Texts()
	inputs, err := hs.scheduled(ctx, in, doc, asked)
	return inputs, c, err
}

// zone is the time zone of the person who asks.
func (hs *Holds) zone(ctx context.Context, in request.Incoming) (string, error) {
	person, err := hs.Directory.Person(ctx, in.User)
	return person.Zone, err
}

// propose shows a schedule in words with its next fires. Only the proposal is stored.
func (hs *Holds) propose(ctx context.Context, in request.Incoming, f storage.Flow, p proposed, t schedule.Timetable) error {
	doc, err := hs.head(ctx, f)
	if err == nil && trigger.ReadsMessage(doc) {
		err = &usererror.Error{Code: "no_message", Text: fmt.Sprintf("%s works with the message that starts it, and the clock gives none.", f.Name)}
	}
	if err != nil {
		return err
	}
	_, fires, err := hs.Engine.PrepareSchedule(ctx, hs.row(in, f, p), p.Inputs)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	shown := card.Card{
		Text:     card.Textf(":calendar: Shall *%s* start by itself %s (%s)?", f.Name, t.Words, p.Zone),
		Sections: []card.Section{nextTimes(fires)},
		Context:  []card.Text{card.Textf("Nothing is stored yet. If you mean another time, write the command again.")},
	}
	for _, line := range form.Inputs(doc, nil).Understood(p.Inputs) {
		shown.Context = append(shown.Context, card.Plain(line))
	}
	s := hs.Replies.Private(in, shown)
	shown.Buttons = []card.Button{{Action: "schedule.add", Label: "Start it by the clock", Value: s.ID, Style: card.Primary}}
	return hs.Replies.Keep(ctx, in, s, surface.PrivateBody{Card: shown, Proposed: raw})
}

func nextTimes(fires []time.Time) card.Section {
	var next []card.Text
	for _, t := range fires {
		next = append(next, card.Textf("• %s", card.Date(t)))
	}
	return card.Section{Title: "The next times, in your zone", Text: card.Join("\n", next...)}
}

// row is a schedule that is to be stored.
func (hs *Holds) row(in request.Incoming, f storage.Flow, p proposed) storage.Schedule {
	return storage.Schedule{Flow: f.Name, Cron: p.Cron, Zone: p.Zone, Next: p.First, Owner: in.User, Channel: f.Channel, CatchUp: "once", Overlap: "skip"}
}

// AddClicked stores the schedule that its button proposes, once.
func (hs *Holds) AddClicked(ctx context.Context, in request.Incoming) error {
	body, err := hs.Replies.Kept(ctx, in, in.Value)
	if err != nil {
		return err
	}
	var p proposed
	if json.Unmarshal(body.Proposed, &p) != nil {
		return request.ErrHidden
	}
	f, err := hs.startable(ctx, in, p.Flow)
	if err != nil {
		return err
	}
	switch _, err := hs.Store.Schedule(ctx, in.Value); {
	case err == nil:
		return &usererror.Error{Code: "done", Text: "This is done already: the schedule is there.", Hint: "`/flow schedules` shows it."}
	case !errors.Is(err, storage.ErrNotFound):
		return err
	}
	return hs.add(ctx, in, f, p, in.Value)
}

// add stores a schedule, and says when it fires.
func (hs *Holds) add(ctx context.Context, in request.Incoming, f storage.Flow, p proposed, id string) error {
	row := hs.row(in, f, p)
	row.ID = id
	s, fires, err := hs.Engine.AddSchedule(ctx, row, p.Inputs, in.Actor(), in.Inbox)
	if err != nil {
		return err
	}
	name := shortID(s.ID)
	return hs.Replies.Say(ctx, in.WithoutRow(), card.Card{
		Text:     card.Textf(":calendar: *%s* starts by itself: %s in %s, on your word.", f.Name, whenWords(s.Cron), zoneName(s.Zone)),
		Sections: []card.Section{nextTimes(fires)},
		Context: []card.Text{card.Textf("Each start is a run of its own, also for the same inputs. `%s pause %s` holds it, `%s skip %s` leaves out the next start.",
			hs.Replies.Command, name, hs.Replies.Command, name)},
	})
}

// whenWords says when a schedule fires: in words, with its fields, and in fields where there are no words.
func whenWords(cron string) card.Text {
	if words, ok := calendar.Words(cron); ok {
		return card.Textf("%s (`%s`)", words, cron)
	}
	return card.Code(cron)
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
		lines = append(lines, hs.scheduleLine(s))
	}
	if len(lines) == 0 {
		return hs.Replies.SayText(ctx, in, card.Textf("There are no schedules. For example: `%s schedule <flow> every weekday at 8:30`", hs.Replies.Command))
	}
	out := card.Card{Title: "Schedules"}
	hs.Replies.PagedCard(&out, lines, page, "schedules")
	return hs.Replies.Say(ctx, in, out)
}

func (hs *Holds) scheduleLine(s storage.Schedule) card.Text {
	next := card.Textf("next %s", card.Date(s.Next))
	if out := hs.Engine.LeftOut(s); !out.IsZero() {
		next = card.Textf("%s, without those from %s on", next, card.Date(out))
	}
	if s.Paused {
		next = card.Textf("paused")
	}
	if n := len(s.Kept); n > 0 {
		next = card.Textf("%s, %d wait for the run before to end", next, n)
	}
	return card.Textf("• `%s`  *%s*  %s %s, %s, by %s", shortID(s.ID), s.Flow, whenWords(s.Cron), zoneName(s.Zone), next, surface.Person(s.Owner))
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
	i := slices.IndexFunc(rows, func(s storage.Schedule) bool { return shortID(s.ID) == name || s.ID == name })
	if i < 0 {
		return s, false, nil
	}
	return rows[i], true, nil
}
