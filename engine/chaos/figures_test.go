package chaos_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"sluice/engine/runner"
)

// figures are the counts and times of a storm.
type figures struct {
	runs, visits, facts int
	kills               int // at random moments
	deaths              map[runner.Position]int
	freezes             int
	holds, cancels      int
	forks, redone       int             // forks, and those in which an act was done again
	queued              int             // runs that waited for another one with the same key
	childCancels        childCancels    // children that were cancelled
	failed              int             // steps that failed and were tried again, skipped or given up by a person
	fires               int             // of a schedule
	timely, late        []time.Duration // how late timers fired while the database was there: within the allowed delay, and beyond it (their worker died)
	stops, cuts         int
	asked, again        int             // gates about acts with an unknown outcome, and those that were answered with "again"
	repeats             int             // steps that were begun again after their worker was lost
	resumed             []time.Duration // from a death until other workers have taken what the worker held
	orphaned            []time.Duration // the same, when every worker of that moment had died or was frozen
	took                time.Duration
}

func (f *figures) add(mu *sync.Mutex, n *int) {
	mu.Lock()
	defer mu.Unlock()
	*n++
}

func (f *figures) died(mu *sync.Mutex, at runner.Position) {
	mu.Lock()
	defer mu.Unlock()
	if f.deaths == nil {
		f.deaths = map[runner.Position]int{}
	}
	f.deaths[at]++
}

// spread gives the median and the longest.
func spread(took []time.Duration) string {
	n := len(took)
	if n == 0 {
		return "none"
	}
	slices.Sort(took)
	return fmt.Sprintf("p50 %.2f s, max %.2f s (%d)", took[n/2].Seconds(), took[n-1].Seconds(), n)
}

// String is a table.
func (f *figures) String() string {
	var at []string
	deaths := 0
	for _, p := range slices.Sorted(maps.Keys(f.deaths)) {
		at = append(at, fmt.Sprintf("%s %d", p, f.deaths[p]))
		deaths += f.deaths[p]
	}
	var b strings.Builder
	for _, row := range []struct {
		what string
		much any
	}{
		{"runs", f.runs},
		{"visits", f.visits},
		{"facts", f.facts},
		{"kills at random moments", f.kills},
		{"kills at positions", fmt.Sprintf("%d (%s)", deaths, strings.Join(at, ", "))},
		{"freezes", f.freezes},
		{"paused and resumed", f.holds},
		{"cancelled", f.cancels},
		{"forked", fmt.Sprintf("%d (%d with an act done again)", f.forks, f.redone)},
		{"waited in a key queue", f.queued},
		{"children heard of a cancel", fmt.Sprintf("%d (%d late)", f.childCancels.inTime, f.childCancels.never)},
		{"failures, answered", f.failed},
		{"fires of a schedule", f.fires},
		{"server stopped and started", f.stops},
		{"network cut", f.cuts},
		{"steps begun again", f.repeats},
		{"unknown outcomes, asked about", fmt.Sprintf("%d (%d done again)", f.asked, f.again)},
		{"work goes on after a kill", spread(f.resumed)},
		{"the same, no survivor", spread(f.orphaned)},
		{"timers late by", spread(f.timely)},
		{"timers of killed processes", spread(f.late)},
		{"took", f.took.Round(time.Second)},
	} {
		fmt.Fprintf(&b, "  %-30s %v\n", row.what, row.much)
	}
	return b.String()
}
