package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"sluice/engine"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// hold asks a worker to hold a run, a flow (all its runs), or everything when neither is named; or to let it go on.
type hold struct {
	Run, Flow string
	GoOn      bool
}

func (h hold) String() string {
	switch {
	case h.Run != "":
		return "run " + h.Run
	case h.Flow != "":
		return "flow " + h.Flow
	}
	return "everything"
}

var operator = history.Actor{User: "U2", Via: history.ViaCommand}

// hold holds or resumes, and reports whether that changed anything. A person who asks again after a worker has died is told that it was
// done already.
func (c *workerAPI) hold(ctx context.Context, h hold) (made bool, err error) {
	switch {
	case h.Run != "" && h.GoOn:
		_, err = c.e.ResumeRun(ctx, h.Run, operator, "go on")
	case h.Run != "":
		err = c.e.PauseRun(ctx, h.Run, operator, "wait a moment")
	case h.GoOn:
		_, err = c.e.ResumeFlow(ctx, h.Flow, operator, "go on", nil)
	default:
		_, err = c.e.PauseFlow(ctx, h.Flow, operator, "wait a moment", nil)
	}
	return err == nil, unless(err, "over", "paused", "not_paused")
}

// unless drops user errors with these codes.
func unless(err error, codes ...string) error {
	var ue *usererror.Error
	if errors.As(err, &ue) && slices.Contains(codes, ue.Code) {
		return nil
	}
	return err
}

// interfere holds runs, flows and everything for a while, again and again until ctx ends. Then nothing is held.
func (s *storm) interfere(ctx context.Context) {
	for !s.ended(ctx, s.upTo(time.Second)) {
		h, most := s.toHold()
		asked, whole := time.Now(), false
		if !s.tell("/hold", h, &whole) {
			return
		}
		from := time.Now()
		s.figures.add(&s.mu, &s.figures.holds)
		s.note("%s is held", h)
		time.Sleep(s.upTo(most))
		if h.Run == "" {
			s.mu.Lock()
			s.held = append(s.held, span{h.Flow, asked, from, time.Now(), whole})
			s.mu.Unlock()
		}
		h.GoOn = true
		s.tell("/hold", h, &whole)
		s.note("%s goes on", h)
	}
}

// ended waits for a while, and reports whether ctx has ended meanwhile.
func (s *storm) ended(ctx context.Context, after time.Duration) bool {
	select {
	case <-ctx.Done():
		return true
	case <-time.After(after):
		return false
	}
}

// toHold chooses what to hold, and for how long at most.
func (s *storm) toHold() (h hold, most time.Duration) {
	var live []storage.Run
	s.query("list the runs", func(ctx context.Context) (err error) {
		live, err = s.store.Runs(ctx, storage.RunQuery{Live: true, Limit: 1000})
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.r.IntN(10)
	switch {
	case n == 0 || len(live) == 0:
		return hold{}, 600 * time.Millisecond
	case n < 4:
		most = 1500 * time.Millisecond
		if n == 1 && !s.sqlite { // for longer than other processes need to learn of it
			most = 2 * holdDelay
		}
		return hold{Flow: live[s.r.IntN(len(live))].Flow}, most
	}
	return hold{Run: live[s.r.IntN(len(live))].ID}, 1500 * time.Millisecond
}

// cancelled reports whether the run with this key is to be cancelled.
func cancelled(key string) bool { return chance(key, " is cancelled")%15 == 0 }

// cancel cancels a run, and reports whether this call ended it.
func (c *workerAPI) cancel(ctx context.Context, id string) (ended bool, err error) {
	err = c.e.Cancel(ctx, id, operator, "not needed any more")
	return err == nil, unless(err, "over")
}

// cancelSoon cancels a run at some moment.
func (s *storm) cancelSoon(wg *sync.WaitGroup, id string) {
	pause := s.upTo(2500 * time.Millisecond)
	wg.Go(func() {
		time.Sleep(pause)
		ended := false
		s.tell("/cancel", id, &ended)
		s.note("run %s is cancelled: %v", id, ended)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.started[id].cancelled = ended
	})
}

// wasCancelled reports whether a run was to be cancelled, and was.
func (s *storm) wasCancelled(id string) bool {
	b := s.started[id]
	return b != nil && cancelled(b.key) && s.rows[id].Status == string(history.Cancelled)
}

// tickPeriod is the time between two fires of a storm's schedule, and tick the flow that it starts.
const (
	tickPeriod = 2 * time.Second
	tick       = "tick"
)

// addSchedule adds a schedule that starts a flow every few seconds.
func (s *storm) addSchedule(eng *engine.Engine) {
	s.Helper()
	_, _, err := eng.AddSchedule(s.ctx, storage.Schedule{
		Flow: tick, Cron: "@every " + tickPeriod.String(), Zone: "UTC", Owner: "U1", CatchUp: "all", Overlap: "allow",
	}, map[string]any{"key": tick}, operator)
	if err != nil {
		s.Fatal(err)
	}
}

// pauseSchedule pauses it.
func (s *storm) pauseSchedule() {
	s.query("pause the schedule", func(ctx context.Context) error {
		all, err := s.store.Schedules(ctx, tick)
		if err != nil {
			return err
		}
		if all[0].Failures > 0 || all[0].Paused {
			s.Errorf("the schedule has failed: %+v", all[0])
		}
		s.latest = all[0].Last
		all[0].Paused = true
		return s.store.Write(ctx, &storage.Batch{Schedules: all})
	})
}

// checkSchedule checks that each fire has started one run, and records what these runs must come to.
func (s *storm) checkSchedule() {
	s.Helper()
	p := s.oracle.testFlows[tick]
	expectation, err := s.oracle.expect(p, inputsOf(p, tick, 0))
	if err != nil {
		s.Error(err)
		return
	}
	var fires []time.Time
	for id, row := range s.rows {
		if row.Flow != tick || row.Parent != "" || s.started[id] != nil {
			continue
		}
		begun := s.factsOf(id)[0].Body.(*history.RunStarted)
		raw, _ := json.Marshal(begun.Event["at"])
		var at time.Time
		if err := json.Unmarshal(raw, &at); err != nil {
			s.Errorf("run %s has no known start: %v", row.Name, err)
			continue
		}
		fires = append(fires, at)
		s.started[id] = &begunRun{testFlow: p, key: tick, expectation: expectation}
	}
	s.figures.fires = len(fires)
	slices.SortFunc(fires, time.Time.Compare)
	for i := range fires[:max(len(fires)-1, 0)] {
		if apart := fires[i+1].Sub(fires[i]); apart != tickPeriod {
			s.Errorf("the fires %d and %d are %v apart, not %v", i, i+1, apart, tickPeriod)
		}
	}
	if len(fires) == 0 || !fires[len(fires)-1].Equal(s.latest) {
		s.Errorf("of %d fires the last one is not the schedule's, at %v", len(fires), s.latest)
	}
}
