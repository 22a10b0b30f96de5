package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/flow"
	"sluice/engine/run"
	"sluice/storage"
)

// ParseCron reads a schedule of five fields or a descriptor such as @daily, in an IANA zone ("" = UTC).
func ParseCron(spec, zone string) (*calendar.Schedule, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" { // whose place would that be?
		return nil, &UserError{
			Code: "bad_zone", Text: fmt.Sprintf("I do not know the time zone %q.", zone),
			Hint: "Use a name such as Europe/Berlin or America/New_York.",
		}
	}
	s, err := calendar.Parse(spec, loc)
	if err != nil {
		return nil, &UserError{
			Code: "bad_cron", Text: fmt.Sprintf("I cannot read %q as a schedule: %v.", spec, err),
			Hint: `Five fields: minute hour day month weekday, such as "0 9 * * 1-5" (weekdays at 9:00), or @daily.`, Err: err,
		}
	}
	return s, nil
}

// ScheduleZone is the zone that a schedule is meant in which names zone, or none.
func (e *Engine) ScheduleZone(zone string) string {
	if zone == "" {
		return e.cfg.Calendar.Zone.String()
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

// The role of the process that fires schedules. It is only for the looks of it: without, processes that lose the race for a fire would
// leave gaps in the numbers of runs.
const (
	schedulerRole = "scheduler"
	schedulerHold = 15 * time.Second
)

// fireSchedules starts the runs of due schedules. Next is compared and set in the transaction that starts the run, so a fire
// happens exactly once, whoever sees it first. mine is false when another process is about to fire them.
func (e *Engine) fireSchedules(ctx context.Context) (mine bool, err error) {
	now := e.Now()
	due, err := e.cfg.Store.DueSchedules(ctx, now, timerBatch)
	if err != nil {
		return true, fmt.Errorf("list due schedules: %w", err)
	}
	if e.cfg.Shared && len(due) > 0 {
		if mine, err = e.cfg.Store.Elect(ctx, schedulerRole, e.cfg.Worker, time.Now(), schedulerHold); err != nil || !mine {
			return mine, err
		}
	}
	for _, s := range due {
		if err := e.fireSchedule(ctx, s, now); err != nil && !errors.Is(err, storage.ErrConflict) {
			return true, fmt.Errorf("fire schedule %s of %s: %w", s.ID, s.Flow, err)
		}
	}
	return true, nil
}

// lateMost is how late a fire may be and still count as on time; a later one was missed and follows the catch-up rule.
const lateMost = time.Minute

func (e *Engine) fireSchedule(ctx context.Context, s storage.Schedule, now time.Time) error {
	sched, err := ParseCron(s.Cron, s.Zone)
	if err != nil {
		return e.pauseSchedule(ctx, s, err)
	}
	fire := s.Next
	s.Last = fire
	if s.Next = sched.Next(fire); s.CatchUp != "all" && !s.Next.IsZero() && !s.Next.After(now) {
		s.Next = sched.Next(now)
	}
	missed := now.Sub(fire) > lateMost
	skip := missed && s.CatchUp == "skip"
	if !skip && s.Overlap != "allow" {
		if skip, err = e.scheduledRunLives(ctx, s); err != nil {
			return err
		}
	}
	if skip {
		return e.cfg.Store.Write(ctx, &storage.Batch{Schedules: []storage.Schedule{s}})
	}
	return e.startScheduled(ctx, s, fire)
}

func (e *Engine) startScheduled(ctx context.Context, s storage.Schedule, fire time.Time) error {
	var inputs map[string]any
	if err := json.Unmarshal(s.Inputs, &inputs); err != nil {
		return e.pauseSchedule(ctx, s, err)
	}
	s.Failures = 0
	_, err := e.Start(ctx, StartRequest{
		Flow: s.Flow, Inputs: inputs, Channel: s.Channel, By: s.Owner,
		Actor: run.Actor{User: s.Owner, Via: run.ViaTimer},
		Event: map[string]any{"type": "schedule", "schedule": s.ID, "at": fire.Format(time.RFC3339)},
		// Whoever made the schedule asked for one run per fire: the repetition is recorded with its reason.
		Anyway: "schedule " + s.Cron,
		Add:    func(b *storage.Batch) { b.Schedules = append(b.Schedules, s) },
	})
	var ue *UserError
	if errors.As(err, &ue) {
		return e.failedFire(ctx, s, ue)
	}
	return err
}

// failuresMax failed fires in a row pause a schedule.
const failuresMax = 3

func (e *Engine) failedFire(ctx context.Context, s storage.Schedule, cause *UserError) error {
	if s.Failures++; s.Failures >= failuresMax {
		return e.pauseSchedule(ctx, s, cause)
	}
	return e.cfg.Store.Write(ctx, &storage.Batch{Schedules: []storage.Schedule{s}, Audit: []storage.Audit{e.scheduleAudit(s, "schedule_failed", cause)}})
}

func (e *Engine) pauseSchedule(ctx context.Context, s storage.Schedule, cause error) error {
	s.Paused = true
	e.log.Warn("a schedule is paused", "schedule", s.ID, "flow", s.Flow, "error", cause)
	b := &storage.Batch{Schedules: []storage.Schedule{s}, Audit: []storage.Audit{e.scheduleAudit(s, "schedule_paused", cause)}}
	if s.Channel != "" {
		text := fmt.Sprintf("The schedule `%s` of *%s* is paused: %v", s.Cron, s.Flow, cause)
		b.Surfaces = append(b.Surfaces, Notice(e.NewID(), s.Channel, "", text, e.Now()))
	}
	if err := e.cfg.Store.Write(ctx, b); err != nil {
		return err
	}
	if e.cfg.Surfaces != nil {
		e.cfg.Surfaces.Wake()
	}
	return nil
}

func (e *Engine) scheduleAudit(s storage.Schedule, what string, cause error) storage.Audit {
	detail, _ := json.Marshal(map[string]string{"error": cause.Error()})
	return storage.Audit{At: e.Now(), User: s.Owner, Via: string(run.ViaTimer), What: what, Ref: "schedule:" + s.ID, Detail: detail}
}

// scheduledRunLives reports whether a run that this schedule started has not ended yet.
func (e *Engine) scheduledRunLives(ctx context.Context, s storage.Schedule) (bool, error) {
	rows, err := e.cfg.Store.Runs(ctx, storage.RunQuery{Flow: s.Flow, Live: true})
	if err != nil {
		return false, err
	}
	for _, r := range rows {
		facts, err := e.cfg.Store.FactsBySeq(ctx, r.ID, []int64{1})
		if err != nil {
			return false, err
		}
		for _, sf := range facts {
			f, err := decodeFact(sf)
			if err != nil {
				return false, err
			}
			if rs, ok := f.Body.(*run.RunStarted); ok && rs.Event["schedule"] == s.ID {
				return true, nil
			}
		}
	}
	return false, nil
}

// AddSchedule checks and stores a schedule: the flow must exist, the inputs must be complete, the cron must be readable.
func (e *Engine) AddSchedule(ctx context.Context, s storage.Schedule, inputs map[string]any, actor run.Actor, inbox ...int64) (storage.Schedule, []time.Time, error) {
	s.Zone = e.ScheduleZone(s.Zone)
	sched, err := ParseCron(s.Cron, s.Zone)
	if err != nil {
		return s, nil, err
	}
	c, err := e.compiled(ctx, s.Flow, 0)
	if err != nil {
		return s, nil, flowError(s.Flow, err)
	}
	in, err := CoerceInputs(c.flow, inputs)
	if err != nil {
		return s, nil, err
	}
	if s.Inputs, err = json.Marshal(in); err != nil {
		return s, nil, err
	}
	fires := NextFires(sched, e.Now(), 5)
	if len(fires) == 0 {
		return s, nil, &UserError{Code: "never", Text: fmt.Sprintf("The schedule %q never fires.", s.Cron), Hint: "Check the day and the month."}
	}
	s.ID, s.Next = e.NewID(), fires[0]
	err = e.cfg.Store.Write(ctx, &storage.Batch{
		Schedules: []storage.Schedule{s}, InboxDone: inbox,
		Audit: []storage.Audit{{At: e.Now(), User: actor.User, Team: actor.Team, Via: string(actor.Via), What: "schedule_made", Ref: "schedule:" + s.ID}},
	})
	e.wakeTimers()
	return s, fires, err
}

// TriggerSchedules gives the schedules that a flow's own triggers ask for, to be stored with its approval. Those of an earlier
// revision are replaced; ones that the new revision does not have any more are paused.
func (e *Engine) TriggerSchedules(ctx context.Context, f *flow.Flow, owner, channel string) ([]storage.Schedule, error) {
	old, err := e.cfg.Store.Schedules(ctx, f.Name)
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
		s, err := e.triggerSchedule(f, *t.Schedule)
		if err != nil {
			return nil, err
		}
		s.ID = fmt.Sprintf("%s%d", prefix, i)
		s.Flow, s.Owner, s.Channel, s.Version = f.Name, owner, channel, known[s.ID].Version
		delete(known, s.ID)
		out = append(out, s)
	}
	for _, s := range known {
		s.Paused = true
		out = append(out, s)
	}
	return out, nil
}

func (e *Engine) triggerSchedule(f *flow.Flow, t flow.ScheduleTrigger) (storage.Schedule, error) {
	zone := e.ScheduleZone(t.Timezone)
	sched, err := ParseCron(t.Cron, zone)
	if err != nil {
		return storage.Schedule{}, err
	}
	in, err := CoerceInputs(f, t.Inputs)
	if err != nil {
		return storage.Schedule{}, err
	}
	raw, err := json.Marshal(in)
	s := storage.Schedule{Cron: t.Cron, Zone: zone, Inputs: raw, Next: sched.Next(e.Now()), CatchUp: t.CatchUp, Overlap: t.Overlap}
	if s.CatchUp == "" {
		s.CatchUp = "once"
	}
	if s.Overlap == "" {
		s.Overlap = "skip"
	}
	return s, err
}

// UnsupportedTriggers names the kinds of triggers that this version does not fire.
func UnsupportedTriggers(f *flow.Flow) []string {
	var out []string
	for _, t := range f.Triggers {
		switch {
		case t.Message != nil:
			out = append(out, "message")
		case t.Reaction != nil:
			out = append(out, "reaction")
		case t.Webhook != nil:
			out = append(out, "webhook")
		}
	}
	return out
}
