package chaos_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/history"
)

const (
	// margin is how much later than it was sent a request may arrive.
	margin = time.Second
	// cancelDelay is how long a worker may still begin acts of a run that another process has ended: until its heartbeat is too old.
	cancelDelay = 4 * time.Second
)

// late finds acts that began after their step had finished, after a person had decided about them, or after their run had ended: a worker
// did not notice that it was declared dead, or went on with a cancelled run.
func late(facts []history.Fact, received []entry) error {
	closed := map[string]time.Time{} // by step and generation
	var over time.Time
	first, gens := 0, map[int]int{} // the generation of the run's acts, and of the steps that were done again
	shut := func(f history.Fact) {
		for gen := first; gen <= max(gens[f.Step], first); gen++ {
			at := fmt.Sprint(f.Step, "/", gen)
			if _, known := closed[at]; !known {
				closed[at] = f.At
			}
		}
	}
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *history.RunForked:
			first = b.Generation
		case *history.StepFinished:
			shut(f)
		case *history.TokenHanded:
			if b.Gen > 0 {
				shut(f)
				gens[f.Step] = b.Gen
			}
		case *history.RunEnded:
			if over = f.At.Add(cancelDelay); !b.Status.Final() {
				over = time.Time{}
			}
		}
	}
	var problems []error
	for _, e := range received {
		var step, call, gen int
		if _, err := fmt.Sscanf(e.Key[strings.Index(e.Key, "/")+1:], "%d/%d/%d", &step, &call, &gen); err != nil {
			return fmt.Errorf("the key %q: %w", e.Key, err)
		}
		if at, known := closed[fmt.Sprint(step, "/", gen)]; known && e.Latest.Sub(at) > margin {
			problems = append(problems, fmt.Errorf("the act %s arrived %v after it was over", e.Key, e.Latest.Sub(at)))
		}
		if !over.IsZero() && e.Latest.Sub(over) > margin {
			problems = append(problems, fmt.Errorf("the act %s arrived %v after every process must have known of the run's end", e.Key, e.Latest.Sub(over)))
		}
	}
	return errors.Join(problems...)
}

// childCancels counts children that their parents have cancelled: those that ended in time, and those that went on.
type childCancels struct{ inTime, never int }

// childDelay is the time after which a cancelled child must not begin a step.
const childDelay = 1500 * time.Millisecond

// countChildCancels counts the children that a run has cancelled, unless a process may have died while it delivered the signal. On SQLite
// the next process delivers it at once.
func (s *storm) countChildCancels(facts []history.Fact) {
	h := &s.figures.childCancels
	for _, f := range facts {
		b, ok := f.Body.(*history.ChildCancelled)
		if !ok || s.outageBetween(f.At, f.At.Add(childDelay)) || !s.sqlite && s.diedBetween(f.At, f.At.Add(childDelay)) {
			continue
		}
		of := s.factsOf(b.Child)
		begins := slices.ContainsFunc(of, func(c history.Fact) bool { return begun(c) && c.At.Sub(f.At) > childDelay })
		ended := slices.ContainsFunc(of, func(c history.Fact) bool {
			e, ok := c.Body.(*history.RunEnded)
			return ok && e.Status == history.Cancelled
		})
		switch {
		case begins:
			h.never++
		case ended:
			h.inTime++
		}
	}
}

// checkChildCancels checks that a cancel reaches the children. On a busy computer one signal may be late; most are not.
func (s *storm) checkChildCancels() {
	s.Helper()
	for id := range s.rows {
		s.countChildCancels(s.factsOf(id))
	}
	if h := s.figures.childCancels; h.never > h.inTime {
		s.Errorf("of the children that were cancelled %d heard of it, and %d went on", h.inTime, h.never)
	}
}

// diedBetween reports whether a worker died or froze between two times.
func (s *storm) diedBetween(from, to time.Time) bool {
	return slices.ContainsFunc(s.deathTimes, func(at time.Time) bool { return at.After(from) && at.Before(to) })
}
