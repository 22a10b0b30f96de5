package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sluice/engine/history"
	"sluice/engine/usererror"
)

// starts bounds how often the runs of one flow start, so that flows that start each other in a circle, by what they send to the outside,
// come to an end. Each process counts for itself. Zero a minute = no bound.
type starts struct {
	perMinute int
	mu        sync.Mutex
	flows     map[string]*started
}

type started struct {
	left float64
	at   time.Time
}

// take counts a start, and refuses it when there were too many.
func (s *starts) take(flow string, now time.Time) error {
	if s.perMinute <= 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flows == nil {
		s.flows = map[string]*started{}
	}
	f := s.flows[flow]
	if f == nil {
		f = &started{left: float64(s.perMinute), at: now}
		s.flows[flow] = f
	}
	f.left = min(float64(s.perMinute), f.left+now.Sub(f.at).Minutes()*float64(s.perMinute))
	f.at = now
	if f.left < 1 {
		return &usererror.Error{
			Code: "too_many_starts", Text: fmt.Sprintf("%s has started %d times within a minute, as often as this installation allows.", flow, s.perMinute),
			Hint: "Look whether what it does starts it again. Otherwise wait a minute; an operator can raise SLUICE_MAX_STARTS_PER_MINUTE.",
		}
	}
	f.left--
	return nil
}

// mayHaveMore refuses a start by a person who has started as many live runs as one person may. Starts that come at the same moment are not
// counted for each other. Schedules, webhooks and subflows have bounds of their own.
func (e *Engine) mayHaveMore(ctx context.Context, q StartRequest) error {
	most := e.cfg.LiveRuns
	if most <= 0 || q.Actor.User == "" || q.Accepted || q.Actor.Via == history.ViaTimer {
		return nil
	}
	n, err := e.cfg.Store.LiveRunsBy(ctx, q.Actor.User)
	if err != nil || n < most {
		return err
	}
	return &usererror.Error{
		Code: "too_many_live_runs", Text: fmt.Sprintf("You have started %d runs that are not over, and this installation allows one person %d.", n, most),
		Hint: "Answer or cancel some of them first; an operator can raise SLUICE_MAX_LIVE_RUNS.",
	}
}
