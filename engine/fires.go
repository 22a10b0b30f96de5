package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"sluice/engine/authority"
	"sluice/engine/calendar"
	"sluice/engine/history"
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

// lateMost is how late a fire may be and still count as on time; a later one was missed and follows the catch-up rule.
const lateMost = time.Minute

// fireSchedules starts the runs of due schedules, and of fires that waited for the end of the run before. The schedule's row is compared
// and set in the transaction that starts the run, so a fire happens exactly once, even when several processes see it. mine is false when
// another process is about to fire them. A schedule that cannot be fired does not hold up the others.
func (e *Engine) fireSchedules(ctx context.Context) (mine bool, err error) {
	now := e.Now()
	kept, err := e.cfg.Store.KeptFires(ctx, timerBatch)
	if err != nil {
		return true, fmt.Errorf("list kept fires: %w", err)
	}
	if len(kept) > 0 {
		p, err := e.runner.Pauses.Known(ctx)
		if err != nil {
			return true, err
		}
		kept = slices.DeleteFunc(kept, func(s storage.Schedule) bool { return p.Holds(s.Flow) })
	}
	due, err := e.cfg.Store.DueSchedules(ctx, now, timerBatch)
	if err != nil {
		return true, fmt.Errorf("list due schedules: %w", err)
	}
	if e.cfg.Shared && len(due)+len(kept) > 0 {
		if mine, err = e.cfg.Store.Elect(ctx, schedulerRole, e.cfg.Worker, time.Now(), schedulerHold); err != nil || !mine {
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
		note(s, e.release(ctx, s))
	}
	for _, s := range due {
		note(s, e.fireSchedule(ctx, s, now))
	}
	return true, errors.Join(failed...)
}

// release starts the run of the fire that has waited for longest.
func (e *Engine) release(ctx context.Context, s storage.Schedule) error {
	fire := s.Kept[0]
	s.Kept = s.Kept[1:]
	return e.startScheduled(ctx, s, fire)
}

func (e *Engine) fireSchedule(ctx context.Context, s storage.Schedule, now time.Time) error {
	sched, err := ParseCron(s.Cron, s.Zone)
	if err != nil {
		return e.pauseSchedule(ctx, s, err)
	}
	var fire time.Time
	fire, s.Next = turn(sched, s.CatchUp, s.Next, now, e.cfg.CatchUpWindow)
	if least := fire.Add(e.cfg.Ceilings.Interval); !fire.IsZero() && !s.Next.IsZero() && s.Next.Before(least) {
		s.Next = sched.Next(least.Add(-time.Second)) // it was made when more was allowed
	}
	if fire.IsZero() {
		return e.cfg.Store.Write(ctx, &storage.Batch{Schedules: []storage.Schedule{s}})
	}
	s.Last = fire
	if s.Overlap == overlapAllow {
		return e.startScheduled(ctx, s, fire)
	}
	lives := len(s.Kept) > 0
	if !lives {
		if lives, err = e.runLives(ctx, s.LatestRun); err != nil {
			return err
		}
	}
	if lives {
		return e.overlap(ctx, s, fire)
	}
	return e.startScheduled(ctx, s, fire)
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
func (e *Engine) runLives(ctx context.Context, id string) (bool, error) {
	if id == "" {
		return false, nil
	}
	row, err := e.cfg.Store.Run(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil && row.Ended.IsZero(), err
}

// overlap does what the schedule says about a fire while the run before still goes on: it is left out or kept.
func (e *Engine) overlap(ctx context.Context, s storage.Schedule, fire time.Time) error {
	b := &storage.Batch{}
	switch {
	case s.Overlap != overlapQueue:
	case len(s.Kept) >= e.cfg.KeptFires:
		full := fmt.Errorf("%d fires wait for the end of the run before already: the one of %s is left out", len(s.Kept), fire.Format(time.RFC3339))
		e.log.Warn("a fire is left out", "schedule", s.ID, "flow", s.Flow, "error", full)
		b.Audit = append(b.Audit, e.scheduleAudit(s, "schedule_full", full))
	default:
		s.Kept = append(s.Kept, fire)
	}
	b.Schedules = append(b.Schedules, s)
	return e.cfg.Store.Write(ctx, b)
}

func (e *Engine) startScheduled(ctx context.Context, s storage.Schedule, fire time.Time) error {
	var inputs map[string]any
	if err := json.Unmarshal(s.Inputs, &inputs); err != nil {
		return e.pauseSchedule(ctx, s, err)
	}
	err := e.mayFire(ctx, s)
	if why, ok := errors.AsType[*UserError](err); ok {
		return e.pauseSchedule(ctx, s, why)
	}
	if err != nil {
		return err
	}
	failures := s.Failures
	s.Failures = 0
	_, err = e.Start(ctx, StartRequest{
		Flow: s.Flow, Inputs: inputs, Channel: s.Channel, By: s.Owner,
		Actor: history.Actor{User: s.Owner, Via: history.ViaTimer},
		Event: map[string]any{"type": "schedule", "schedule": s.ID, "at": fire.Format(time.RFC3339)},
		// The owner of the schedule asked for one run per fire: the repetition is recorded with its reason.
		Anyway: "schedule " + s.Cron,
		Add: func(b *storage.Batch) {
			s.LatestRun = b.Run.Run.ID
			b.Schedules = append(b.Schedules, s)
		},
	})
	var ue *UserError
	if errors.As(err, &ue) {
		s.Failures = failures
		return e.failedFire(ctx, s, ue)
	}
	return err
}

// mayFire checks that a schedule's owner may still start the flow: its runs are theirs. A *UserError says that they may not.
func (e *Engine) mayFire(ctx context.Context, s storage.Schedule) error {
	if e.cfg.Directory == nil {
		return nil // there are no people
	}
	f, err := e.cfg.Store.Flow(ctx, s.Flow)
	if err != nil {
		return usererror.Flow(s.Flow, err)
	}
	p, err := e.Principal(ctx, history.Actor{User: s.Owner})
	if err == nil {
		err = e.May(ctx, p, authority.Start, AboutFlow(f))
	}
	if denied, ok := errors.AsType[*authority.Denied](err); ok {
		why := "not in its channel any more"
		if denied.Code != authority.Hidden {
			why = "not an active member of this workspace any more"
		}
		return &UserError{
			Code: "schedule_owner", Text: fmt.Sprintf("The owner of the schedule may not start %s any more: they are %s.", s.Flow, why),
			Hint: "Make the schedule anew, in your name.", Err: err,
		}
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
	s.Paused, s.Kept = true, nil
	e.log.Warn("a schedule is paused", "schedule", s.ID, "flow", s.Flow, "error", cause)
	b := &storage.Batch{Schedules: []storage.Schedule{s}, Audit: []storage.Audit{e.scheduleAudit(s, "schedule_paused", cause)}}
	if s.Channel != "" {
		text := fmt.Sprintf("The schedule “%s” of %s is paused: %s", s.Cron, s.Flow, e.cfg.Explain(cause))
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
	return storage.Audit{At: e.Now(), User: s.Owner, Via: string(history.ViaTimer), What: what, Ref: "schedule:" + s.ID, Detail: detail}
}
