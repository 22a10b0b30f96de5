package chaos_test

import (
	"slices"
	"time"

	"sluice/engine/history"
)

// queued is a flow whose runs all have the same key, and wait for each other. Some are started at a time.
const (
	queued     = "queued"
	queuedMost = 3
)

// checkQueue checks that no two runs of a key queue acted at the same time, by the clock of the outside service: a fact may be stored later
// than its time says.
func (s *storm) checkQueue() {
	s.Helper()
	type turn struct {
		name     string
		from, to time.Time
	}
	var turns []turn
	received := s.receivedByRun()
	for id, row := range s.rows {
		if row.Flow != queued {
			continue
		}
		facts := s.factsOf(id)
		if did := received[id]; len(did) > 0 {
			byArrival := func(a, b entry) int { return a.Latest.Compare(b.Latest) }
			turns = append(turns, turn{row.Name, slices.MinFunc(did, byArrival).Latest, slices.MaxFunc(did, byArrival).Latest})
		}
		if slices.ContainsFunc(facts, func(f history.Fact) bool {
			b, ok := f.Body.(*history.RunPaused)
			return ok && b.Scope == history.HoldKey
		}) {
			s.figures.queued++
		}
	}
	slices.SortFunc(turns, func(a, b turn) int { return a.from.Compare(b.from) })
	for i := range turns[:max(len(turns)-1, 0)] {
		if turns[i+1].from.Before(turns[i].to) {
			s.Errorf("run %s did not wait for the end of %s", turns[i+1].name, turns[i].name)
		}
	}
}
