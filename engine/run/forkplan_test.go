package run_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/forkplan"
)

// A run that is forked anywhere it can be comes to the same end, does nothing a second time that was not asked for, and does nothing
// under a key that another run has used. So does a fork of the fork.
func TestAForkRepeatsNothing(t *testing.T) {
	t.Parallel()
	forked, kept, repeated, failed := 0, 0, 0, 0
	for seed := range uint64(2 * seeds) {
		d := generated(t, seed, enginetest.Shape{Size: 4 + int(seed%16), Branches: 2, Ordered: true, Acyclic: seed%2 == 0, Foreign: seed%4 < 2})
		play := func(d *enginetest.Driver, order uint64) *outcome {
			p := &enginetest.Player{D: d, R: source(seed*10 + order), Seed: seed, Errors: 8, Patient: true}
			if err := p.Play(); err != nil {
				explain(t, seed, d, err)
			}
			return summary(d)
		}
		want := play(d, 0)
		if want.limited {
			continue // who comes first decides who is still let in
		}
		for depth := range uint64(2) {
			f, p := someFork(t, seed, d, depth)
			if f == nil {
				break
			}
			if early, err := forkplan.Make(enginetest.Each(f.Facts), p.Step); err != nil || untaken(early) != len(f.State.Reuse) {
				explain(t, seed, f, fmt.Errorf("a fork of fork %d before it goes on would take %d nodes over: %v", depth+1, untaken(early), err))
			}
			got := play(f, depth+1)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
				explain(t, seed, f, fmt.Errorf("fork %d from step %d: %s", depth+1, p.Step, diff))
			}
			again, err := acted(f.Facts[p.Last:], p)
			if err != nil {
				explain(t, seed, f, fmt.Errorf("fork %d from step %d: %w", depth+1, p.Step, err))
			}
			forked++
			repeated += again
			kept += len(p.Acts)
			if got.status != history.Succeeded {
				failed++
			}
			d = f
		}
	}
	if forked < seeds/2 || kept < forked/2 || repeated < forked/10 || failed < forked/20 {
		t.Errorf("%d forks of %d failed runs, with %d acts, %d of them done again: that shows little", forked, failed, kept, repeated)
	}
}

// untaken counts the nodes of which something is taken over.
func untaken(p *forkplan.Plan) int {
	nodes := map[string]bool{}
	keep, _, _ := p.Keep(nil)
	for _, k := range keep {
		nodes[k.Node] = true
	}
	return len(nodes)
}

// someFork forks a run from one of its steps, and lets some acts be done again.
func someFork(t *testing.T, seed uint64, d *enginetest.Driver, depth uint64) (*enginetest.Driver, *forkplan.Plan) {
	t.Helper()
	r := source(seed*7 + depth)
	for _, i := range r.Perm(d.State.Steps) {
		p, err := forkplan.Make(enginetest.Each(d.Facts), i+1)
		if errors.Is(err, run.ErrForkPoint) || errors.Is(err, forkplan.ErrNeverThere) {
			continue
		}
		if err != nil {
			explain(t, seed, d, err)
		}
		var again []string
		for _, a := range p.Acts {
			if r.IntN(4) == 0 {
				again = append(again, a.Node)
			}
		}
		f, p, err := d.ForkAt(i+1, again...)
		if err != nil {
			explain(t, seed, d, err)
		}
		return f, p
	}
	return nil, nil
}

// acted counts the acts that a fork has done again, and looks at their keys.
func acted(facts []history.Fact, p *forkplan.Plan) (again int, err error) {
	least := 0
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *history.RunForked:
			least = b.Generation
		case *history.ChildStarted:
			if slices.ContainsFunc(p.Acts, func(a forkplan.Act) bool { return a.Node == f.Node && a.Why == "" }) {
				return again, fmt.Errorf("fact %d starts a run that is kept", f.Seq)
			}
		case *history.StepStarted:
			i := slices.IndexFunc(p.Acts, func(a forkplan.Act) bool { return a.Node == f.Node })
			switch {
			case i >= 0 && p.Acts[i].Why == "":
				return again, fmt.Errorf("fact %d repeats an act that is kept", f.Seq)
			case i < 0 && b.Effects != flow.EffectsRead && b.Effects != "":
				return again, fmt.Errorf("fact %d is an act that the plan did not name", f.Seq)
			case i >= 0:
				again++
			}
			words := strings.Split(b.Key, "/")
			if generation, _ := strconv.Atoi(words[len(words)-1]); b.Key != "" && (words[0] != "run" || generation < least) {
				return again, fmt.Errorf("fact %d acts under the key %s", f.Seq, b.Key)
			}
		}
	}
	return again, nil
}
