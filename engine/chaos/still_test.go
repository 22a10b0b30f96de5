package chaos_test

import (
	"fmt"
	"slices"
	"time"

	"sluice/engine/history"
	"sluice/storage"
)

// begun reports whether a fact begins a step that acts.
func begun(f history.Fact) bool {
	b, ok := f.Body.(*history.StepStarted)
	return ok && b.Effects != ""
}

// still checks that no step begins while a run is held. It counts the holds by itself: the machine's state is what it judges.
func still(facts []history.Fact) error {
	holds := map[history.HoldScope]bool{}
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *history.RunPaused:
			holds[b.Scope] = true
		case *history.RunResumed:
			if !holds[b.Scope] {
				return fmt.Errorf("fact %d lets go on what nobody holds", f.Seq)
			}
			delete(holds, b.Scope)
		case *history.RunForked:
			clear(holds)
		case *history.RunEnded:
			if b.Status.Final() { // one that failed is still held when a person lets it go on
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

// unheard is how long another process may not know that a flow is held.
const unheard = 5 * time.Second

// moment is the time that an operation took, as it was seen from outside: its commit lies in it.
type moment struct{ began, done time.Time }

// stillForking reports whether a run may be a fork that was not committed yet when the span was asked for. A fork's start is stamped before
// it is committed.
func (h span) stillForking(row storage.Run, forks []moment) bool {
	return slices.ContainsFunc(forks, func(m moment) bool {
		return !row.Started.Before(m.began) && !row.Started.After(m.done) && m.done.After(h.asked)
	})
}

// visited reports whether a run was there, and live, when it was asked for a span. The first facts of a fork are older than the fork.
func (h span) visited(row storage.Run, facts []history.Fact) bool {
	failed := func(f history.Fact) bool { _, ended := f.Body.(*history.RunEnded); return ended && f.At.Before(h.from) }
	return h.whole && row.Started.Before(h.asked) && !slices.ContainsFunc(facts, failed)
}

// over gives the place of the fact that lets a run go on after a span, or their number. The times of later facts say nothing: an outcome is
// stored with the time at which it came, and may have waited for the database.
func (h span) over(facts []history.Fact) int {
	i := slices.IndexFunc(facts, func(f history.Fact) bool { _, ok := f.Body.(*history.RunResumed); return ok && !f.At.Before(h.to) })
	if i < 0 {
		return len(facts)
	}
	return i
}

// stillHeld checks that no step of a flow begins while the flow is held, whichever process performs it. A run that began meanwhile, or is
// let go on by a person, is held when its process has heard of it.
func (s *storm) stillHeld(row storage.Run, facts []history.Fact) error {
	for _, h := range s.held {
		from := h.from
		if !s.sqlite && (!h.visited(row, facts) || h.stillForking(row, s.forkTimes)) {
			from = from.Add(unheard)
		}
		meant := facts[:h.over(facts)]
		i := slices.IndexFunc(meant, func(f history.Fact) bool { return begun(f) && f.At.After(from) && f.At.Before(h.to) })
		if (h.flow == "" || h.flow == row.Flow) && i >= 0 {
			return fmt.Errorf("fact %d begins step %d while the flow is held, from %v to %v", facts[i].Seq, facts[i].Step, h.from, h.to)
		}
	}
	return nil
}
