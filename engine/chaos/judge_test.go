package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/storage"
)

// judge compares the stored runs and the requests at the outside service with what the oracle expects.
func (s *storm) judge() {
	s.Helper()
	everyRun := s.everyRun()
	s.checkSchedule()
	s.forked()
	received := s.receivedByRun()
	wanted := 0
	for id, b := range s.started {
		if !b.loose && !s.wasCancelled(id) {
			wanted += b.expectation.runs
		}
	}
	for _, id := range everyRun {
		if root := s.root(id); root == "" || !s.started[root].loose && !s.wasCancelled(root) {
			wanted--
		}
		s.judgeRun(id, received[id])
		delete(received, id)
	}
	if wanted != 0 {
		s.Errorf("%d runs are missing, or too many if that is negative", wanted)
	}
	for id := range received {
		s.Errorf("the outside was asked for run %s, which was never started", id)
	}
	s.checkEmpty()
	s.checkChildCancels()
	s.checkQueue()
}

// receivedByRun groups the requests at the outside service by run. An act that a fork repeats has its origin's key and a generation of its own.
func (s *storm) receivedByRun() map[string][]entry {
	received := map[string][]entry{}
	for key, e := range s.outside.entries() {
		id, _, _ := strings.Cut(key, "/")
		if fork := s.forks[fmt.Sprint(id, "/", e.generation()/generationsPerFork)]; fork != "" {
			id = fork
		}
		received[id] = append(received[id], e)
	}
	return received
}

// judgeRun judges one run.
func (s *storm) judgeRun(id string, received []entry) {
	s.Helper()
	var row storage.Run
	s.query("read a run", func(ctx context.Context) (err error) {
		row, err = s.store.Run(ctx, id)
		return err
	})
	facts := s.factsOf(id)
	b, err := s.expectedOf(row, facts)
	if err != nil {
		s.Errorf("run %s (%s): %v", row.Name, id, err)
		return
	}
	again, err := s.history(row, facts)
	err = errors.Join(err, checkStepsOnce(facts), startedWhileHeld(facts), s.checkHolds(row, facts), b.checkOutcome(row, facts), b.checkActs(received, again), late(facts, received))
	if err != nil {
		s.Errorf("run %s (%s):\n%v\n%s\n%s", row.Name, id, err, file.Format(b.Flow), enginetest.Print(facts))
	}
}

// everyRun lists the ids of all runs, subflows too.
func (s *storm) everyRun() (ids []string) {
	s.rows = map[string]storage.Run{}
	s.query("list the runs", func(ctx context.Context) error {
		runs, err := s.store.Runs(ctx, storage.RunQuery{Limit: 100_000})
		for _, r := range runs {
			ids = append(ids, r.ID)
			s.rows[r.ID] = r
		}
		return err
	})
	return ids
}

// root is the id of the run that a person started and that this run belongs to; empty when there is none.
func (s *storm) root(id string) string {
	for s.rows[id].Parent != "" {
		id = s.rows[id].Parent
	}
	if s.started[id] == nil {
		return ""
	}
	return id
}

// expectedOf gives what a run must have come to. A subflow of a loose run may have been cancelled.
func (s *storm) expectedOf(row storage.Run, facts []history.Fact) (*begunRun, error) {
	of := s.root(row.ID)
	root := s.started[of]
	switch {
	case root == nil:
		return nil, errors.New("it was never started")
	case row.Parent == "":
		if root.abandoned = s.wasCancelled(of); root.abandoned {
			s.figures.cancels++
		} else if root.cancelled {
			return nil, errors.New("it was cancelled, and went on")
		}
		return root, nil
	}
	inputs := facts[0].Body.(*history.RunStarted).Inputs
	b := &begunRun{testFlow: s.oracle.testFlows[row.Flow], key: fmt.Sprint(inputs["key"])}
	b.loose = b.loose || root.loose
	b.abandoned = (root.loose || s.wasCancelled(of)) && row.Status == string(history.Cancelled)
	var err error
	b.expectation, err = s.oracle.expect(b.testFlow, inputs)
	return b, err
}

// checkEmpty checks that no lease, gate or timer is left.
func (s *storm) checkEmpty() {
	s.Helper()
	s.query("look for what is left", func(ctx context.Context) error {
		leases, wrong := s.store.Leases(ctx)
		if len(leases) > 0 {
			s.Errorf("leases are left: %+v", leases)
		}
		gates, bad := s.store.Gates(ctx, storage.GateQuery{Open: true, Limit: 10})
		if len(gates) > 0 {
			s.Errorf("gates are left: %+v", gates)
		}
		timers, worse := s.store.ClaimTimers(ctx, "judge", time.Now().AddDate(1, 0, 0), time.Minute, 100)
		for _, tm := range timers {
			s.Errorf("timer %+v is left of this run:\n%s", tm, enginetest.Print(s.factsOf(tm.Run)))
		}
		return errors.Join(wrong, bad, worse)
	})
}

// history checks that facts follow each other and fold to the stored state, and counts: again says how often a person wanted
// the acts of a step done again.
func (s *storm) history(row storage.Run, facts []history.Fact) (again map[int]int, err error) {
	state := &history.State{}
	unknown, again, due := map[int]bool{}, map[int]int{}, map[int]history.Timer{}
	for i, f := range facts {
		if f.Seq != int64(i+1) {
			return nil, fmt.Errorf("fact %d stands in place %d", f.Seq, i+1)
		}
		if err := history.Apply(state, f); err != nil {
			return nil, fmt.Errorf("fact %d: %w", f.Seq, err)
		}
		switch b := f.Body.(type) {
		case *history.GateOpened:
			if b.Kind == history.GateUnknown {
				unknown[b.Gate] = true
				s.figures.asked++
			}
		case *history.TimerKept: // its run was held
			delete(due, b.ID)
		case *history.TimerSet:
			due[b.Timer.ID] = b.Timer
		case *history.TimerGone:
			if t, ok := due[b.ID]; ok && b.Fired {
				s.countTimer(t, f.At)
			}
		case *history.GateDecided:
			switch b.Choice {
			case history.ChoiceRetry, history.ChoiceSkip, history.ChoiceAbort:
				s.figures.failed++
			}
			if unknown[b.Gate] && b.Choice == history.ChoiceAgain {
				again[f.Step]++
				s.figures.again++
			}
		case *history.StepStarted:
			if b.Resumed {
				s.figures.repeats++
			}
		}
	}
	s.figures.runs++
	s.figures.visits += state.Steps
	s.figures.facts += len(facts)
	folded, err := history.EncodeState(state)
	if err == nil && plain(folded) != plain(row.State) {
		err = fmt.Errorf("the facts fold to another state than the stored one:\n%s\n%s", folded, row.State)
	}
	if err == nil && (row.Status != string(state.Status) || len(state.Tokens)+len(state.Timers)+len(state.Gates) > 0) {
		err = fmt.Errorf("the run is %s and not empty: %s", row.Status, folded)
	}
	return again, err
}

// held is how late a timer can be because its run, its flow or everything is held, or the machine is busy.
const held = 3 * time.Second

// countTimer counts how late a timer fired, unless the database failed meanwhile.
func (s *storm) countTimer(t history.Timer, at time.Time) {
	switch late := at.Sub(t.Due); {
	case s.outageBetween(t.Due, at):
	case late > held:
		s.figures.late = append(s.figures.late, late)
	default:
		s.figures.timely = append(s.figures.timely, late)
	}
}

// checkStepsOnce checks that no finished step begins or finishes again, and that none begins twice in one epoch.
func checkStepsOnce(facts []history.Fact) error {
	finished, begun := map[int]bool{}, map[string]bool{}
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *history.StepStarted:
			at := fmt.Sprintf("%d/%d/%d", f.Step, b.Epoch, b.Attempt)
			if finished[f.Step] || begun[at] && b.Effects != "" {
				return fmt.Errorf("fact %d begins step %d again", f.Seq, f.Step)
			}
			begun[at] = true
		case *history.StepFinished:
			if finished[f.Step] && b.From == 0 {
				return fmt.Errorf("fact %d finishes step %d again", f.Seq, f.Step)
			}
			finished[f.Step] = true
		}
	}
	return nil
}

// checkOutcome checks that a run came to what was expected.
func (b *begunRun) checkOutcome(row storage.Run, facts []history.Fact) error {
	state, err := history.DecodeState(row.State)
	if err != nil {
		return err
	}
	if b.abandoned {
		return nil
	}
	if diff := b.expectation.differs(outcomeOf(b.loose, state, facts)); diff != "" {
		return fmt.Errorf("it came to something else: %s", diff)
	}
	return nil
}

// checkActs checks the requests of a run at the outside service.
func (b *begunRun) checkActs(received []entry, again map[int]int) error {
	var problems []error
	steps := map[place]map[string]int{} // how often each act of a place was done
	for _, e := range received {
		at := place{e.Node, e.Item}
		if steps[at] == nil {
			steps[at] = map[string]int{}
		}
		steps[at][e.step()] += e.Acted
		switch {
		case e.Run != b.key:
			problems = append(problems, fmt.Errorf("act %s belongs to %s, not to %s", e.Key, e.Run, b.key))
		case e.Tool == "post" && e.Acted > 1:
			problems = append(problems, fmt.Errorf("the once act %s was done %d times", e.Key, e.Acted))
		case e.Tool == "post" && e.Arrivals > 1+e.Refused:
			problems = append(problems, fmt.Errorf("the once act %s arrived %d times, of which %d were refused", e.Key, e.Arrivals, e.Refused))
		case e.Tool == "put" && !e.fresh():
			problems = append(problems, fmt.Errorf("the idempotent act %s has another key than the one before", e.Key))
		}
	}
	for at, acts := range steps {
		for step, times := range acts {
			if most := 1 + again[stepOf(step)]; b.once(at) && times > most {
				problems = append(problems, fmt.Errorf("the once act %s was done %d times, and people allowed %d", step, times, most))
			}
		}
		if want := b.expectation.acts[at]; !b.loose && len(acts) > want {
			problems = append(problems, fmt.Errorf("at %v the outside saw %d acts of %d: %v", at, len(acts), want, slices.Sorted(maps.Keys(acts))))
		}
	}
	for at, want := range b.expectation.acts {
		if got := len(steps[at]); !b.loose && !b.abandoned && got < want && !b.once(at) {
			problems = append(problems, fmt.Errorf("at %v the outside saw %d acts of %d", at, got, want))
		}
	}
	return errors.Join(problems...)
}

// once reports whether the act at a place must not be done twice.
func (b *begunRun) once(at place) bool {
	once, expectedOf := b.expectation.once[at]
	if expectedOf {
		return once
	}
	n := b.Node(at.Node)
	if n == nil {
		return false
	}
	t, ok := n.Spec.(*flow.ToolSpec)
	return ok && t.Tool == "out.post"
}

// stepOf reads the number of the step from an act's key without its generation: run/step/call.
func stepOf(act string) (n int) {
	parts := strings.Split(act, "/")
	if len(parts) == 3 {
		_, _ = fmt.Sscan(parts[1], &n)
	}
	return n
}

// report prints the figures of the storm.
func (s *storm) report() {
	s.Logf("%s, seed %d, %s:\n%s", s.name, s.seed, time.Now().Format("2006-01"), &s.figures)
}
