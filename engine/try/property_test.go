package try_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"testing"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/tool"
	"sluice/engine/try"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 11)) }

// untouchable is a catalogue whose tools fail the test when somebody calls them.
func untouchable(t *testing.T) *tool.Set {
	t.Helper()
	set, err := tool.New(tool.Tool{
		Name: "t.act", Effects: flow.EffectsOnce,
		Call: func(context.Context, tool.Call) (tool.Result, error) {
			t.Error("a trial called a tool")
			return tool.Result{}, errors.New("not in a trial")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// played makes a flow and plays a run of it to its end.
func played(t *testing.T, seed uint64, p *enginetest.Player) *enginetest.Driver {
	t.Helper()
	f := enginetest.Generate(source(seed), enginetest.Shape{Size: 2 + int(seed%15), Branches: 2, Acyclic: seed%3 == 0, Foreign: seed%2 == 1})
	d, err := enginetest.NewDriver(f)
	if err != nil {
		t.Fatal(err)
	}
	d.Context.Follow, d.Context.AtHand, d.Context.People = seed%2 == 0, seed%4 == 0, seed%5 < 2
	d.Context.HasModel, d.Turn = seed%3 != 1, int(seed%4)
	p.D, p.R, p.Seed = d, source(seed+1000), seed
	if err := p.Play(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return d
}

// tried tries a flow with the inputs of a run of it.
func tried(t *testing.T, d *enginetest.Driver, recorded map[string]try.Recorded) *try.Result {
	t.Helper()
	r, err := try.Run(try.Request{
		Flow: d.Flow, Inputs: d.Facts[0].Body.(*history.RunStarted).Inputs, Source: map[string]try.Source{"n": try.FromSample, "s": try.FromSample},
		Recorded: recorded, Tools: untouchable(t), Now: enginetest.Epoch,
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, file.Format(d.Flow))
	}
	return r
}

// astray names what a run reached although the trial does not say so.
func astray(t *testing.T, d *enginetest.Driver, r *try.Result, least try.Mark) []string {
	t.Helper()
	v, err := history.NewView(d.Flow, d.Facts, d.Past...)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, visit := range v.Visits {
		if r.Nodes[visit.Node] < least {
			out = append(out, visit.Node)
		}
	}
	for id := range v.Edges {
		if r.Edges[id] < least {
			out = append(out, id)
		}
	}
	return out
}

// missed names what is called certain and was not reached.
func missed(t *testing.T, d *enginetest.Driver, r *try.Result) []string {
	t.Helper()
	if !d.State.Status.Final() {
		return nil
	}
	v, err := history.NewView(d.Flow, d.Facts, d.Past...)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for id, mark := range r.Nodes {
		if mark == try.Certain && v.Nodes[id].Visits == 0 {
			out = append(out, id)
		}
	}
	for id, mark := range r.Edges {
		if mark == try.Certain && v.Edges[id].Count == 0 {
			out = append(out, id)
		}
	}
	return out
}

// smooth reports whether nothing went wrong in a run.
func smooth(facts []history.Fact) bool {
	for _, f := range facts {
		switch f.Body.(type) {
		case *history.StepFailed, *history.LimitReached, *history.BranchFailed:
			return false
		}
	}
	return true
}

// What a run does lies on the ways that a trial with the same inputs has lit, and it passes everything that is certain.
func TestRunsStayOnTheLitWays(t *testing.T) {
	t.Parallel()
	certain, faint, bounded := 0, 0, 0
	for seed := range uint64(seeds) {
		d := played(t, seed, &enginetest.Player{Crashes: int(seed % 3 * 5), Patient: true})
		r := tried(t, d, nil)
		least := try.Possible
		if !smooth(d.Facts) {
			least = try.Exceptional
		}
		if out := astray(t, d, r, least); len(out) > 0 {
			t.Fatalf("seed %d: %v are not lit\n%s\n%s", seed, out, file.Format(d.Flow), enginetest.Print(d.Facts))
		}
		if out := missed(t, d, r); smooth(d.Facts) && len(out) > 0 {
			t.Fatalf("seed %d: %v are called certain\n%s\n%s", seed, out, file.Format(d.Flow), enginetest.Print(d.Facts))
		}
		certain += len(r.Reached(try.Certain))
		faint += len(d.Flow.Nodes) - len(r.Reached(try.Certain))
		bounded += min(len(r.Bounds), 1)
	}
	t.Logf("%d nodes certain, %d not; %d of %d trials hit a bound", certain, faint, bounded, seeds)
	if certain < faint/4 || bounded > seeds/3 {
		t.Errorf("the trials say too little: %d nodes certain, %d not; %d of %d hit a bound", certain, faint, bounded, seeds)
	}
}

// With errors, crashes, deadlines and join timeouts a run still stays on what is lit or exceptional.
func TestFaultsLeadToExceptions(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		d := played(t, seed, &enginetest.Player{Errors: 25, Crashes: 10})
		r := tried(t, d, nil)
		if out := astray(t, d, r, try.Exceptional); len(out) > 0 {
			t.Fatalf("seed %d: %v are not lit\n%s\n%s", seed, out, file.Format(d.Flow), enginetest.Print(d.Facts))
		}
	}
}

// With the values that its steps will give, a trial says more, and still nothing wrong.
func TestKnownValuesDecide(t *testing.T) {
	t.Parallel()
	more := 0
	for seed := range uint64(seeds) {
		p := &enginetest.Player{Patient: true, Same: true}
		d := played(t, seed, p)
		recorded := map[string]try.Recorded{}
		for i := range d.Flow.Nodes {
			if n := &d.Flow.Nodes[i]; n.Kind == flow.KindTool || n.Kind == flow.KindAgent {
				recorded[n.ID] = try.Recorded{Run: "earlier", Output: p.Gives(n, "")}
			}
		}
		if seed%2 == 0 { // some are not known
			maps.DeleteFunc(recorded, func(id string, _ try.Recorded) bool { return len(id)%2 == 0 })
		}
		r := tried(t, d, recorded)
		least := try.Possible
		if !smooth(d.Facts) {
			least = try.Exceptional
		}
		if out := astray(t, d, r, least); len(out) > 0 {
			t.Fatalf("seed %d: %v are not lit\n%s\n%s", seed, out, file.Format(d.Flow), enginetest.Print(d.Facts))
		}
		if out := missed(t, d, r); smooth(d.Facts) && len(out) > 0 {
			t.Fatalf("seed %d: %v are called certain\n%s\n%s", seed, out, file.Format(d.Flow), enginetest.Print(d.Facts))
		}
		more += len(r.Reached(try.Certain)) - len(tried(t, d, nil).Reached(try.Certain))
	}
	if more <= 0 {
		t.Errorf("known values made %d more nodes certain", more)
	}
}

// A run that is replayed through its own revision goes the same way, whatever happened to it: also a queued one, and one that was forked
// from another.
func TestReplayOfTheSameRevision(t *testing.T) {
	t.Parallel()
	forks := 0
	for seed := range uint64(2 * seeds) {
		d := played(t, seed, &enginetest.Player{
			Errors: int(seed % 4 * 10), Crashes: 10, Retries: 3, Patient: seed%3 == 0, Changes: int(seed % 5), Pauses: int(seed % 3 * 6), Queued: seed%7 == 0,
		})
		if !d.State.Status.Final() {
			continue
		}
		replayed(t, seed, d)
		r := source(seed)
		f, _, err := d.ForkAt(1 + r.IntN(d.State.Steps))
		if errors.Is(err, run.ErrForkPoint) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		forks++
		p := &enginetest.Player{D: f, R: r, Seed: seed + 1, Errors: 10, Crashes: 10, Retries: 2}
		if err := p.Play(); err != nil {
			t.Fatalf("seed %d, forked: %v", seed, err)
		}
		replayed(t, seed, f)
	}
	if forks < seeds/2 {
		t.Errorf("only %d runs were forked", forks)
	}
}

func replayed(t *testing.T, seed uint64, d *enginetest.Driver) {
	t.Helper()
	got, err := try.Replay(d.Program, try.History{ID: d.Context.RunID, Name: "run", Flow: d.Flow, Facts: enginetest.Each(d.Facts)}, try.Surroundings{})
	if err != nil || got.Verdict != try.Same || len(got.Other) > 0 {
		t.Fatalf("seed %d: %+v, %v\n%s\n%s", seed, got, err, file.Format(d.Flow), enginetest.Print(d.Facts))
	}
}
