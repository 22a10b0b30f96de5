package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/history"
	"sluice/engine/outbox"
	"sluice/engine/usererror"
	"sluice/storage"
)

// The role of the process that fires schedules. It is only for the looks of it: without, processes that lose the race for a fire would
// leave gaps in the numbers of runs.
const (
	schedulerRole = "scheduler"
	schedulerHold = 15 * time.Second
)

// What happens with fires that were missed, and while the run before still goes on.
const (
	catchUpSkip  = "skip"
	catchUpOnce  = "once"
	catchUpAll   = "all"
	overlapAllow = "allow"
	overlapSkip  = "skip"
	overlapQueue = "queue"
)

// Limits of schedules, unless the installation has others.
const (
	catchUpWindow = 24 * time.Hour
	keptMost      = 100
)

// atOnce is how many schedules are dealt with in one look.
const atOnce = 100

// lateMost is how late a fire may be and still count as on time; a later one was missed and follows the catch-up rule.
const lateMost = time.Minute

// FireDue starts the runs of due schedules, and of fires that waited for the end of the run before. The schedule's row is compared
// and set in the transaction that starts the run, so a fire happens exactly once, even when several processes see it. mine is false when
// another process is about to fire them. A schedule that cannot be fired does not hold up the others.
func (x *Firer) FireDue(ctx context.Context) (mine bool, err error) {
	now := x.cfg.Now()
	kept, err := x.cfg.Store.KeptFires(ctx, atOnce)
	if err != nil {
		return true, fmt.Errorf("list kept fires: %w", err)
	}
	if len(kept) > 0 {
		paused, err := x.cfg.Paused(ctx)
		if err != nil {
			return true, err
		}
		kept = slices.DeleteFunc(kept, func(s storage.Schedule) bool { return paused(s.Flow) })
	}
	due, err := x.cfg.Store.DueSchedules(ctx, now, atOnce)
	if err != nil {
		return true, fmt.Errorf("list due schedules: %w", err)
	}
	if x.cfg.Shared && len(due)+len(kept) > 0 {
		if mine, err = x.cfg.Store.Elect(ctx, schedulerRole, x.cfg.Worker, time.Now(), schedulerHold); err != nil || !mine {
			return mine, err
		}
	}
	var failed []error
	note := func(s storage.Schedule, err error) {
		if err != nil && !errors.Is(err, storage.ErrConflict) {
			failed = append(failed, fmt.Errorf("fire schedule %s of %s: %w", s.ID, s.Flow, err))
		}
	}
	for _, s := range kept {
		note(s, x.release(ctx, s))
	}
	for _, s := range due {
		note(s, x.Fire(ctx, s, now))
	}
	return true, errors.Join(failed...)
}

// release starts the run of the fire that has waited for longest.
func (x *Firer) release(ctx context.Context, s storage.Schedule) error {
	fire := s.Kept[0]
	s.Kept = s.Kept[1:]
	return x.startScheduled(ctx, s, fire)
}

// Fire deals with a schedule that was found to be due.
func (x *Firer) Fire(ctx context.Context, s storage.Schedule, now time.Time) error {
	sched, err := ParseCron(s.Cron, s.Zone)
	if err != nil {
		return x.pauseSchedule(ctx, s, err)
	}
	var fire time.Time
	fire, s.Next = turn(sched, s.CatchUp, s.Next, now, x.cfg.CatchUpWindow)
	if least := fire.Add(x.cfg.Shortest); !fire.IsZero() && !s.Next.IsZero() && s.Next.Before(least) {
		s.Next = sched.Next(least.Add(-time.Second)) // it was made when more was allowed
	}
	if fire.IsZero() {
		return x.cfg.Store.Write(ctx, &storage.Batch{Schedules: []storage.Schedule{s}})
	}
	s.Last = fire
	if s.Overlap == overlapAllow {
		return x.startScheduled(ctx, s, fire)
	}
	lives := len(s.Kept) > 0
	if !lives {
		if lives, err = x.runLives(ctx, s.LatestRun); err != nil {
			return err
		}
	}
	if lives {
		return x.overlap(ctx, s, fire)
	}
	return x.startScheduled(ctx, s, fire)
}

// turn says which of the fires of a schedule that is due takes place now, the zero time when none does, and which is its next one.
func turn(sched *calendar.Schedule, catchUp string, due, now time.Time, window time.Duration) (fire, next time.Time) {
	if catchUp == catchUpAll {
		if begin := now.Add(-window); due.Before(begin) {
			if due = sched.Next(begin.Add(-time.Second)); due.IsZero() || due.After(now) {
				return time.Time{}, due
			}
		}
		return due, sched.Next(due)
	}
	fire = latestFire(sched, due, now)
	if catchUp == catchUpSkip && now.Sub(fire) > lateMost {
		fire = time.Time{}
	}
	return fire, sched.Next(now)
}

// latestFire gives the latest fire that is not after now; due is one of them.
func latestFire(sched *calendar.Schedule, due, now time.Time) time.Time {
	// Looking back further and further keeps the search short, however many fires were missed.
	for back := time.Hour; ; back *= 4 {
		latest := now.Add(-back)
		if latest.Before(due) {
			latest = due
		}
		begin := latest
		for next := sched.Next(latest); !next.IsZero() && !next.After(now); next = sched.Next(next) {
			latest = next
		}
		if latest.After(begin) || begin.Equal(due) {
			return latest
		}
	}
}

// runLives reports whether a run has not ended yet.
func (x *Firer) runLives(ctx context.Context, id string) (bool, error) {
	if id == "" {
		return false, nil
	}
	row, err := x.cfg.Store.Run(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil && row.Ended.IsZero(), err
}

// overlap does what the schedule says about a fire while the run before still goes on: it is left out or kept.
func (x *Firer) overlap(ctx context.Context, s storage.Schedule, fire time.Time) error {
	b := &storage.Batch{}
	switch {
	case s.Overlap != overlapQueue:
	case len(s.Kept) >= x.cfg.KeptFires:
		full := fmt.Errorf("%d fires wait for the end of the run before already: the one of %s is left out", len(s.Kept), fire.Format(time.RFC3339))
		x.cfg.Log.Warn("a fire is left out", "schedule", s.ID, "flow", s.Flow, "error", full)
		b.Audit = append(b.Audit, x.scheduleAudit(s, "schedule_full", full))
	default:
		s.Kept = append(s.Kept, fire)
	}
	b.Schedules = append(b.Schedules, s)
	return x.cfg.Store.Write(ctx, b)
}

func (x *Firer) startScheduled(ctx context.Context, s storage.Schedule, fire time.Time) error {
	var inputs map[string]any
	if err := json.Unmarshal(s.Inputs, &inputs); err != nil {
		return x.pauseSchedule(ctx, s, err)
	}
	err := x.cfg.MayFire(ctx, s)
	if why, ok := errors.AsType[*usererror.Error](err); ok {
		return x.pauseSchedule(ctx, s, why)
	}
	if err != nil {
		return err
	}
	failures := s.Failures
	s.Failures = 0
	err = x.cfg.Start(ctx, Start{Schedule: s, Inputs: inputs, At: fire, Add: func(b *storage.Batch) {
		s.LatestRun = b.Run.Run.ID
		b.Schedules = append(b.Schedules, s)
	}})
	var ue *usererror.Error
	if errors.As(err, &ue) {
		s.Failures = failures
		return x.failedFire(ctx, s, ue)
	}
	return err
}

// failuresMax failed fires in a row pause a schedule.
const failuresMax = 3

func (x *Firer) failedFire(ctx context.Context, s storage.Schedule, cause *usererror.Error) error {
	if s.Failures++; s.Failures >= failuresMax {
		return x.pauseSchedule(ctx, s, cause)
	}
	return x.cfg.Store.Write(ctx, &storage.Batch{Schedules: []storage.Schedule{s}, Audit: []storage.Audit{x.scheduleAudit(s, "schedule_failed", cause)}})
}

func (x *Firer) pauseSchedule(ctx context.Context, s storage.Schedule, cause error) error {
	s.Paused, s.Kept = true, nil
	x.cfg.Log.Warn("a schedule is paused", "schedule", s.ID, "flow", s.Flow, "error", cause)
	b := &storage.Batch{Schedules: []storage.Schedule{s}, Audit: []storage.Audit{x.scheduleAudit(s, "schedule_paused", cause)}}
	if s.Channel != "" {
		text := fmt.Sprintf("The schedule “%s” of %s is paused: %s", s.Cron, s.Flow, x.cfg.Explain(cause))
		b.Surfaces = append(b.Surfaces, outbox.Notice(x.cfg.NewID(), s.Channel, "", text, x.cfg.Now()))
	}
	if err := x.cfg.Store.Write(ctx, b); err != nil {
		return err
	}
	x.cfg.Shown()
	return nil
}

func (x *Firer) scheduleAudit(s storage.Schedule, what string, cause error) storage.Audit {
	detail, _ := json.Marshal(map[string]string{"error": cause.Error()})
	return storage.Audit{At: x.cfg.Now(), User: s.Owner, Via: string(history.ViaTimer), What: what, Ref: "schedule:" + s.ID, Detail: detail}
}
