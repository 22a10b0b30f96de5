package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/coerce"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// ParseCron reads a schedule of five fields or a descriptor such as @daily, in an IANA zone ("" = UTC).
func ParseCron(spec, zone string) (*calendar.Schedule, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" { // whose place would that be?
		return nil, &usererror.Error{
			Code: "bad_zone", Text: fmt.Sprintf("I do not know the time zone %q.", zone),
			Hint: "Use a name such as Europe/Berlin or America/New_York.",
		}
	}
	s, err := calendar.Parse(spec, loc)
	if err != nil {
		return nil, &usererror.Error{
			Code: "bad_cron", Text: fmt.Sprintf("I cannot read %q as a schedule: %v.", spec, err),
			Hint: `Five fields: minute hour day month weekday, such as "0 9 * * 1-5" (weekdays at 9:00), or @daily.`, Err: err,
		}
	}
	return s, nil
}

// newSchedule reads a schedule that is to be stored: it must not fire more often than the installation allows.
func (x *Schedules) newSchedule(spec, zone string) (*calendar.Schedule, error) {
	s, err := ParseCron(spec, zone)
	if err != nil {
		return nil, err
	}
	if every, least := s.Shortest(), x.cfg.Shortest; every > 0 && every < least {
		return nil, &usererror.Error{
			Code: "too_often", Text: fmt.Sprintf("The schedule %q fires every %s, and this installation allows every %s.", spec, every, least),
			Hint: "Make it rarer; an operator can lower SLUICE_MIN_SCHEDULE_INTERVAL.",
		}
	}
	return s, nil
}

// ScheduleZone is the zone that a schedule is meant in which names zone, or none.
func (x *Schedules) ScheduleZone(zone string) string {
	if zone == "" {
		return x.cfg.Zone.String()
	}
	return zone
}

// NextFires lists the next n fires after t.
func NextFires(s *calendar.Schedule, t time.Time, n int) []time.Time {
	var out []time.Time
	for range n {
		if t = s.Next(t); t.IsZero() {
			break
		}
		out = append(out, t)
	}
	return out
}

// PrepareSchedule checks a schedule that is to be stored, and gives its next fires: the flow must exist, the inputs must be complete, the cron
// must be readable. There is no fire before s.Next, when that is given.
func (x *Schedules) PrepareSchedule(ctx context.Context, s storage.Schedule, inputs map[string]any) (storage.Schedule, []time.Time, error) {
	s.Zone = x.ScheduleZone(s.Zone)
	sched, err := x.newSchedule(s.Cron, s.Zone)
	if err != nil {
		return s, nil, err
	}
	c, err := x.cfg.Revisions.Load(ctx, s.Flow, 0)
	if err != nil {
		return s, nil, usererror.Flow(s.Flow, err)
	}
	in, err := coerce.Inputs(c.Flow, inputs)
	if err != nil {
		return s, nil, err
	}
	if s.Inputs, err = json.Marshal(in); err != nil {
		return s, nil, err
	}
	fires := NextFires(sched, x.after(s.Next), shownFires)
	if len(fires) == 0 {
		return s, nil, never(s.Cron)
	}
	s.Next = fires[0]
	return s, fires, nil
}

// AddSchedule checks and stores a schedule. One without an ID gets one.
func (x *Schedules) AddSchedule(ctx context.Context, s storage.Schedule, inputs map[string]any, actor history.Actor, inbox ...int64) (storage.Schedule, []time.Time, error) {
	s, fires, err := x.PrepareSchedule(ctx, s, inputs)
	if err != nil {
		return s, nil, err
	}
	if s.ID == "" {
		s.ID = x.cfg.NewID()
	}
	err = x.cfg.Store.Write(ctx, &storage.Batch{
		Schedules: []storage.Schedule{s}, InboxDone: inbox,
		Audit: []storage.Audit{{At: x.cfg.Now(), User: actor.User, Team: actor.Team, Via: string(actor.Via), What: "schedule_made", Ref: "schedule:" + s.ID}},
	})
	x.cfg.Wake()
	return s, fires, err
}

// TriggerSchedules gives the schedules that a flow's own triggers ask for, to be stored with its approval. Those of an earlier
// revision are replaced; ones that the new revision does not have any more are paused.
func (x *Schedules) TriggerSchedules(ctx context.Context, f *flow.Flow, owner, channel string) ([]storage.Schedule, error) {
	old, err := x.cfg.Store.Schedules(ctx, f.Name)
	if err != nil {
		return nil, err
	}
	known := map[string]storage.Schedule{}
	prefix := "trigger-" + f.Name + "-"
	for _, s := range old {
		if strings.HasPrefix(s.ID, prefix) {
			known[s.ID] = s
		}
	}
	var out []storage.Schedule
	for i, t := range f.Triggers {
		if t.Schedule == nil {
			continue
		}
		s, err := x.triggerSchedule(f, *t.Schedule)
		if err != nil {
			return nil, err
		}
		s.ID = fmt.Sprintf("%s%d", prefix, i)
		s.Flow, s.Owner, s.Channel = f.Name, owner, channel
		goOn(&s, known[s.ID])
		delete(known, s.ID)
		out = append(out, s)
	}
	for _, s := range known {
		s.Paused, s.Kept = true, nil
		out = append(out, s)
	}
	return out, nil
}

// goOn lets a schedule follow the one that it replaces: the run that it started last is not forgotten, and when its times are the same
// they just go on.
func goOn(s *storage.Schedule, old storage.Schedule) {
	s.Version, s.Last, s.LatestRun = old.Version, old.Last, old.LatestRun
	if old.Cron == s.Cron && old.Zone == s.Zone && !old.Paused {
		s.Next, s.Kept = old.Next, old.Kept
	}
}

// ResumeSchedule gives a paused schedule as it goes on: with the first fire to come that has not been before.
func (x *Schedules) ResumeSchedule(s storage.Schedule) (storage.Schedule, error) {
	sched, err := ParseCron(s.Cron, s.Zone)
	if err != nil {
		return s, err
	}
	from := x.cfg.Now()
	if from.Before(s.Last) {
		from = s.Last // the clock was put back
	}
	s.Paused, s.Failures, s.Next, s.Kept = false, 0, sched.Next(from), nil
	return s, nil
}

func (x *Schedules) triggerSchedule(f *flow.Flow, t flow.ScheduleTrigger) (storage.Schedule, error) {
	zone := x.ScheduleZone(t.Timezone)
	sched, err := x.newSchedule(t.Cron, zone)
	if err != nil {
		return storage.Schedule{}, err
	}
	in, err := coerce.Inputs(f, t.Inputs)
	if err != nil {
		return storage.Schedule{}, err
	}
	raw, err := json.Marshal(in)
	s := storage.Schedule{Cron: t.Cron, Zone: zone, Inputs: raw, Next: sched.Next(x.cfg.Now()), CatchUp: t.CatchUp, Overlap: t.Overlap}
	if s.CatchUp == "" {
		s.CatchUp = catchUpOnce
	}
	if s.Overlap == "" {
		s.Overlap = overlapSkip
	}
	return s, err
}
