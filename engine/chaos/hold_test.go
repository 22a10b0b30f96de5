package chaos_test

import (
	"fmt"
	"slices"
	"time"

	"sluice/engine/history"
	"sluice/storage"
)

// begun reports whether a fact starts a step that performs an act.
func begun(f history.Fact) bool {
	b, ok := f.Body.(*history.StepStarted)
	return ok && b.Effects != ""
}

// startedWhileHeld finds a step that begins while its run is held. It counts the holds itself, because it tests the machine's own state.
func startedWhileHeld(facts []history.Fact) error {
	holds := map[history.HoldScope]bool{}
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *history.RunPaused:
			holds[b.Scope] = true
		case *history.RunResumed:
			if !holds[b.Scope] {
				return fmt.Errorf("fact %d resumes a run that is not held", f.Seq)
			}
			delete(holds, b.Scope)
		case *history.RunForked:
			clear(holds)
		case *history.RunEnded:
			if b.Status.Final() { // a failed run is still held when a person lets it go on
				clear(holds)
			}
		}
		if len(holds) > 0 && begun(f) {
			return fmt.Errorf("fact %d begins step %d while the run is held by %v", f.Seq, f.Step, holds)
		}
	}
	return nil
}

// span is a time in which a flow was held, or everything: from the answer to the hold until it was asked to go on. whole means
// that the answer came from a process that had held every run that was live when it was asked.
type span struct {
	flow            string
	asked, from, to time.Time
	whole           bool
}

// holdDelay is how long it takes at most until every process knows that a flow is held.
const holdDelay = 5 * time.Second

// moment is the time between the request for an operation and its answer: its commit lies in it.
type moment struct{ began, done time.Time }

// maybeUncommitted reports whether a run may be a fork that was not committed yet when the span was asked for. A fork's start is stamped before
// it is committed.
func (h span) maybeUncommitted(row storage.Run, forks []moment) bool {
	return slices.ContainsFunc(forks, func(m moment) bool {
		return !row.Started.Before(m.began) && !row.Started.After(m.done) && m.done.After(h.asked)
	})
}

// wasLive reports whether a run existed and was live when the span was asked for. The first facts of a fork are older than the fork.
func (h span) wasLive(row storage.Run, facts []history.Fact) bool {
	failed := func(f history.Fact) bool { _, ended := f.Body.(*history.RunEnded); return ended && f.At.Before(h.from) }
	return h.whole && row.Started.Before(h.asked) && !slices.ContainsFunc(facts, failed)
}

// over gives the index of the fact that resumes a run after a span, or the number of facts. The times of later facts prove nothing: an
// outcome is stored with the time at which it arrived, and may have waited for the database.
func (h span) over(facts []history.Fact) int {
	i := slices.IndexFunc(facts, func(f history.Fact) bool { _, ok := f.Body.(*history.RunResumed); return ok && !f.At.Before(h.to) })
	if i < 0 {
		return len(facts)
	}
	return i
}

// checkHolds checks that no step of a flow begins while the flow is held, in any process. A run that began meanwhile, or that a person
// resumed, is held as soon as its process knows of the hold.
func (s *storm) checkHolds(row storage.Run, facts []history.Fact) error {
	for _, h := range s.held {
		from := h.from
		if !s.sqlite && (!h.wasLive(row, facts) || h.maybeUncommitted(row, s.forkTimes)) {
			from = from.Add(holdDelay)
		}
		stored := facts[:h.over(facts)]
		i := slices.IndexFunc(stored, func(f history.Fact) bool { return begun(f) && f.At.After(from) && f.At.Before(h.to) })
		if (h.flow == "" || h.flow == row.Flow) && i >= 0 {
			return fmt.Errorf("fact %d begins step %d while the flow is held, from %v to %v", facts[i].Seq, facts[i].Step, h.from, h.to)
		}
	}
	return nil
}
