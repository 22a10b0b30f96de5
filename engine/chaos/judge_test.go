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

// judge holds what is stored, and what the outside has seen, against what must be.
func (s *storm) judge() {
	s.Helper()
	everyRun := s.everyRun()
	s.ticked()
	s.forked()
	book := s.books()
	wanted := 0
	for id, b := range s.started {
		if !b.loose && !s.givenUp(id) {
			wanted += b.forecast.runs
		}
	}
	for _, id := range everyRun {
		if root := s.root(id); root == "" || !s.started[root].loose && !s.givenUp(root) {
			wanted--
		}
		s.judgeRun(id, book[id])
		delete(book, id)
	}
	if wanted != 0 {
		s.Errorf("%d runs are missing, or too many if that is negative", wanted)
	}
	for id := range book {
		s.Errorf("the outside was asked for run %s, which nobody started", id)
	}
	s.leftovers()
	s.heardInTime()
	s.inQueue()
}

// books sorts what the outside has seen by the runs that did it. What a fork does again has its origin's key, and a generation of its own.
func (s *storm) books() map[string][]entry {
	book := map[string][]entry{}
	for key, e := range s.outside.entries() {
		id, _, _ := strings.Cut(key, "/")
		if fork := s.forks[fmt.Sprint(id, "/", e.generation()/generationsPerFork)]; fork != "" {
			id = fork
		}
		book[id] = append(book[id], e)
	}
	return book
}

// judgeRun judges one run.
func (s *storm) judgeRun(id string, book []entry) {
	s.Helper()
	var row storage.Run
	s.ask("read a run", func(ctx context.Context) (err error) {
		row, err = s.store.Run(ctx, id)
		return err
	})
	facts := s.factsOf(id)
	b, err := s.foreseen(row, facts)
	if err != nil {
		s.Errorf("run %s (%s): %v", row.Name, id, err)
		return
	}
	again, err := s.history(row, facts)
	err = errors.Join(err, honest(facts), still(facts), s.stillHeld(row, facts), b.fulfilled(row, facts), b.acted(book, again), late(facts, book))
	if err != nil {
		s.Errorf("run %s (%s):\n%v\n%s\n%s", row.Name, id, err, file.Format(b.Flow), enginetest.Print(facts))
	}
}

// everyRun lists the ids of all runs, subflows too.
func (s *storm) everyRun() (ids []string) {
	s.rows = map[string]storage.Run{}
	s.ask("list the runs", func(ctx context.Context) error {
		runs, err := s.store.Runs(ctx, storage.RunQuery{Limit: 100_000})
		for _, r := range runs {
			ids = append(ids, r.ID)
			s.rows[r.ID] = r
		}
		return err
	})
	return ids
}

// root is the id of the run that somebody started, of which this one is a part; empty when nobody did.
func (s *storm) root(id string) string {
	for s.rows[id].Parent != "" {
		id = s.rows[id].Parent
	}
	if s.started[id] == nil {
		return ""
	}
	return id
}

// foreseen says what a run must have come to. A subflow of a run in which the order of things matters may have been given up.
func (s *storm) foreseen(row storage.Run, facts []history.Fact) (*begunRun, error) {
	of := s.root(row.ID)
	root := s.started[of]
	switch {
	case root == nil:
		return nil, errors.New("nobody started it")
	case row.Parent == "":
		if root.abandoned = s.givenUp(of); root.abandoned {
			s.figures.cancels++
		} else if root.cancelled {
			return nil, errors.New("it was cancelled, and went on")
		}
		return root, nil
	}
	inputs := facts[0].Body.(*history.RunStarted).Inputs
	b := &begunRun{plot: s.oracle.plots[row.Flow], key: fmt.Sprint(inputs["key"])}
	b.loose = b.loose || root.loose
	b.abandoned = (root.loose || s.givenUp(of)) && row.Status == string(history.Cancelled)
	var err error
	b.forecast, err = s.oracle.foresee(b.plot, inputs)
	return b, err
}

// leftovers looks for what should be gone.
func (s *storm) leftovers() {
	s.Helper()
	s.ask("look for what is left", func(ctx context.Context) error {
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
		case *history.TimerKept: // it was to be late
			delete(due, b.ID)
		case *history.TimerSet:
			due[b.Timer.ID] = b.Timer
		case *history.TimerGone:
			if t, ok := due[b.ID]; ok && b.Fired {
				s.punctual(t, f.At)
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

// punctual counts how late a timer was, unless the database was failing.
func (s *storm) punctual(t history.Timer, at time.Time) {
	switch late := at.Sub(t.Due); {
	case s.shakenBetween(t.Due, at):
	case late > held:
		s.figures.late = append(s.figures.late, late)
	default:
		s.figures.timely = append(s.figures.timely, late)
	}
}

// honest checks that no step that had finished was begun or finished again, and that none was begun twice in one epoch.
func honest(facts []history.Fact) error {
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

// fulfilled checks that a run came to what was foreseen.
func (b *begunRun) fulfilled(row storage.Run, facts []history.Fact) error {
	state, err := history.DecodeState(row.State)
	if err != nil {
		return err
	}
	if b.abandoned {
		return nil
	}
	if diff := b.forecast.differs(outcomeOf(b.loose, state, facts)); diff != "" {
		return fmt.Errorf("it came to something else: %s", diff)
	}
	return nil
}

// acted checks what the outside has seen of a run.
func (b *begunRun) acted(book []entry, again map[int]int) error {
	var problems []error
	steps := map[place]map[string]int{} // how often each act of a place was done
	for _, e := range book {
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
		if want := b.forecast.acts[at]; !b.loose && len(acts) > want {
			problems = append(problems, fmt.Errorf("at %v the outside saw %d acts of %d: %v", at, len(acts), want, slices.Sorted(maps.Keys(acts))))
		}
	}
	for at, want := range b.forecast.acts {
		if got := len(steps[at]); !b.loose && !b.abandoned && got < want && !b.once(at) {
			problems = append(problems, fmt.Errorf("at %v the outside saw %d acts of %d", at, got, want))
		}
	}
	return errors.Join(problems...)
}

// once reports whether what is done at a place must not be done twice.
func (b *begunRun) once(at place) bool {
	once, foreseen := b.forecast.once[at]
	if foreseen {
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

// report prints what the storm was like.
func (s *storm) report() {
	s.Logf("%s, seed %d, %s:\n%s", s.name, s.seed, time.Now().Format("2006-01"), &s.figures)
}
