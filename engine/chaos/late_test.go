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
	// margin is how much later than it was sent a request may be heard.
	margin = time.Second
	// unaware is how long a worker of another process may not know that its run was ended, and begin an act: until its beat is too old.
	unaware = 4 * time.Second
)

// late looks for acts that were begun when the step had finished, when a person had said what to do about them, or when the run was over:
// by a worker that did not know that it was thought dead, or went on with what was cancelled.
func late(facts []history.Fact, book []entry) error {
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
			if over = f.At.Add(unaware); !b.Status.Final() {
				over = time.Time{}
			}
		}
	}
	var problems []error
	for _, e := range book {
		var step, call, gen int
		if _, err := fmt.Sscanf(e.Key[strings.Index(e.Key, "/")+1:], "%d/%d/%d", &step, &call, &gen); err != nil {
			return fmt.Errorf("the key %q: %w", e.Key, err)
		}
		if at, known := closed[fmt.Sprint(step, "/", gen)]; known && e.Latest.Sub(at) > margin {
			problems = append(problems, fmt.Errorf("the act %s arrived %v after it was over", e.Key, e.Latest.Sub(at)))
		}
		if !over.IsZero() && e.Latest.Sub(over) > margin {
			problems = append(problems, fmt.Errorf("the act %s arrived %v after nobody could think any more that the run goes on", e.Key, e.Latest.Sub(over)))
		}
	}
	return errors.Join(problems...)
}

// hearing counts children of which nobody waits any more: those that heard of it in time, and those that never did.
type hearing struct{ inTime, never int }

// unaffected is after how long a step that a cancelled child begins shows that it has not heard.
const unaffected = 1500 * time.Millisecond

// hear counts the children that a run has given up, unless a process may have died while it delivered the signal. A process that comes
// after one that serves alone takes it up at once.
func (s *storm) hear(facts []history.Fact) {
	h := &s.figures.heard
	for _, f := range facts {
		b, ok := f.Body.(*history.ChildCancelled)
		if !ok || s.shakenBetween(f.At, f.At.Add(unaffected)) || !s.sqlite && s.fellBetween(f.At, f.At.Add(unaffected)) {
			continue
		}
		of := s.factsOf(b.Child)
		begins := slices.ContainsFunc(of, func(c history.Fact) bool { return begun(c) && c.At.Sub(f.At) > unaffected })
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

// heardInTime checks that a cancel goes down to children. The machine is busy: one signal may be late, most are not.
func (s *storm) heardInTime() {
	s.Helper()
	for id := range s.rows {
		s.hear(s.factsOf(id))
	}
	if h := s.figures.heard; h.never > h.inTime {
		s.Errorf("of the children that were cancelled %d heard of it, and %d went on", h.inTime, h.never)
	}
}

// fellBetween reports whether a worker died or froze between two times.
func (s *storm) fellBetween(from, to time.Time) bool {
	return slices.ContainsFunc(s.fallen, func(at time.Time) bool { return at.After(from) && at.Before(to) })
}
