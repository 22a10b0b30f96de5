package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/storage"
)

// Whatever happens - clocks that jump, also back, downtimes, restarts, runs that end early or late - no fire has two runs, runs start in
// the order of their fires, overlap is as the schedule says, and where nothing may be left out nothing is.
func TestFiresOfEveryPolicy(t *testing.T) {
	t.Parallel()
	for _, catchUp := range []string{"skip", "once", "all"} {
		for _, overlap := range []string{"allow", "skip", "queue"} {
			t.Run(catchUp+" "+overlap, func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(2) {
					w := worldAtNoon(t)
					w.keptFires = 1000
					p := &policyTest{world: w, r: rand.New(rand.NewPCG(seed, 11)), alone: overlap != "allow"}
					p.play(catchUp, overlap)
				}
			})
		}
	}
}

type policyTest struct {
	*world
	r      *rand.Rand
	alone  bool // no two runs at a time
	latest time.Time
}

func (p *policyTest) play(catchUp, overlap string) {
	p.t.Helper()
	p.open()
	defer p.close()
	p.save(report)
	s := p.every("report", catchUp, overlap)
	for range 25 {
		switch p.r.IntN(6) {
		case 0:
			p.clock.Advance(-time.Duration(p.r.IntN(40)) * time.Minute)
		case 1:
			p.clock.Advance(time.Duration(p.r.IntN(90)) * time.Minute)
		case 2:
			p.close()
			p.clock.Advance(time.Duration(p.r.IntN(60)) * time.Minute)
			p.open()
		case 3:
			if len(p.gates()) > 0 {
				p.approveOldest()
			}
		default:
			p.clock.Advance(time.Duration(p.r.IntN(15)) * time.Minute)
		}
		for range 1 + p.r.IntN(3) {
			p.fire()
		}
	}
	if p.clock.Now().Before(p.latest) {
		p.at(p.latest)
	}
	for p.due(s.ID) || len(p.gates()) > 0 {
		p.fire()
		if len(p.gates()) > 0 {
			p.approveOldest()
		}
	}
	p.judge(catchUp, overlap)
}

func (p *policyTest) gates() []storage.Gate {
	p.t.Helper()
	open, err := p.store.Gates(p.t.Context(), storage.GateQuery{Open: true, Limit: 1000})
	if err != nil {
		p.t.Fatal(err)
	}
	return open
}

func (p *policyTest) fire() {
	p.t.Helper()
	if now := p.clock.Now(); now.After(p.latest) {
		p.latest = now
	}
	if err := p.engine.FireSchedules(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	if n := len(p.gates()); p.alone && n > 1 {
		p.t.Fatalf("%d runs at a time", n)
	}
}

// due tells whether there is a fire left that is due or kept.
func (p *policyTest) due(id string) bool {
	p.t.Helper()
	s, err := p.store.Schedule(p.t.Context(), id)
	if err != nil {
		p.t.Fatal(err)
	}
	return len(s.Kept) > 0 || !s.Next.After(p.clock.Now())
}

func (p *policyTest) judge(catchUp, overlap string) {
	p.t.Helper()
	var at []int
	for word := range strings.FieldsSeq(p.fires("report")) {
		n, err := strconv.Atoi(word)
		if err != nil || n%10 != 0 {
			p.t.Fatalf("a run for minute %s", word)
		}
		at = append(at, n)
	}
	for i := 1; i < len(at); i++ {
		if at[i] <= at[i-1] {
			p.t.Fatalf("%s %s: after the run for %d comes the one for %d: %v", catchUp, overlap, at[i-1], at[i], at)
		}
	}
	var every []int
	for n := 10; !minutes(n).After(p.latest); n += 10 {
		every = append(every, n)
	}
	if catchUp == "all" && overlap != "skip" && !slices.Equal(at, every) {
		p.t.Fatalf("%s %s: runs for %v, want %s", catchUp, overlap, at, fmt.Sprint(every))
	}
	if len(at) == 0 {
		p.t.Fatalf("%s %s: no run at all", catchUp, overlap)
	}
}
