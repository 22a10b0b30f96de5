package run_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/flow/validate"
	"sluice/engine/history"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// generated makes a flow and a driver for it.
func generated(t testing.TB, seed uint64, shape enginetest.Shape) *enginetest.Driver {
	t.Helper()
	f := enginetest.Generate(source(seed), shape)
	for _, p := range validate.Flow(f, flow.Checks{}) {
		if p.Severity == flow.SeverityError {
			t.Fatalf("seed %d: the generated flow is not valid: %v\n%s", seed, p, flowfile.Format(f))
		}
	}
	d, err := enginetest.NewDriver(f)
	if err != nil {
		t.Fatal(err)
	}
	d.Context.Follow, d.Context.AtHand, d.Context.People = seed%2 == 0, seed%4 == 0, seed%3 == 0
	d.Context.HasModel = seed%3 != 1
	return d
}

func explain(t testing.TB, seed uint64, d *enginetest.Driver, err error) {
	t.Helper()
	t.Fatalf("seed %d: %v\n%s\n%s\n%s", seed, err, flowfile.Format(d.Flow), flow.Canonical(d.Flow), enginetest.Print(d.Facts))
}

func someShape(seed uint64) enginetest.Shape {
	return enginetest.Shape{Size: 2 + int(seed%15), Branches: 2, Acyclic: seed%5 == 0, Foreign: seed%2 == 0}
}

// No token is lost, whatever happens in whatever order: a run comes to its end, and the driver's checks hold after every
// transition (folding facts gives the stored state, tokens have leases, runs at rest wait for somebody, nothing moves twice).
func TestRunsComeToTheirEnd(t *testing.T) {
	t.Parallel()
	ends := map[history.Status]int{}
	for seed := range uint64(seeds) {
		d := generated(t, seed, someShape(seed))
		d.Turn = int(seed % 4)
		p := &enginetest.Player{D: d, R: source(seed + 1000), Seed: seed, Errors: 15, Crashes: 20, Noise: 10, Retries: 3, Pauses: int(seed % 4 * 5), Changes: int(seed % 3 * 3)}
		if err := p.Play(); err != nil {
			explain(t, seed, d, err)
		}
		if err := errors.Join(honest(d.Facts), looked(d)); err != nil {
			explain(t, seed, d, err)
		}
		ends[d.State.Status]++
	}
	if ends[history.Succeeded] < seeds/4 || ends[history.Cancelled] < seeds/50 {
		t.Errorf("the runs are not mixed: %v", ends)
	}
}

// honest checks that no finished step was started again, and that no started once step was repeated unless its failure was
// known or a person raised the generation.
func honest(facts []history.Fact) error {
	finished := map[int]bool{}
	open := map[string]bool{} // keys of once acts whose outcome is not known
	keys := map[int]string{}
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *history.StepStarted:
			if finished[f.Step] {
				return fmt.Errorf("fact %d starts step %d, which has finished", f.Seq, f.Step)
			}
			if open[b.Key] {
				return fmt.Errorf("fact %d repeats the once act %s", f.Seq, b.Key)
			}
			if b.Effects == flow.EffectsOnce {
				open[b.Key], keys[f.Step] = true, b.Key
			}
		case *history.StepFinished:
			finished[f.Step] = true
		case *history.StepFailed:
			if !b.Error.Unknown {
				delete(open, keys[f.Step])
			}
		}
	}
	return nil
}

// looked checks that people see a run that is over as one that is over, and all of it.
func looked(d *enginetest.Driver) error {
	v, err := history.NewView(d.Flow, d.Facts, d.Past...)
	if err != nil {
		return err
	}
	if len(v.Visits) != d.State.Steps {
		return fmt.Errorf("the view shows %d visits of %d", len(v.Visits), d.State.Steps)
	}
	for _, x := range v.Visits {
		switch x.State {
		case history.StatePending, history.StateRunning, history.StateWaiting, history.StateSkipped:
			return fmt.Errorf("the run is %s, but step %d at %s is %s", d.State.Status, x.Step, x.Node, x.State)
		}
		if x.Ended.Before(x.Arrived) {
			return fmt.Errorf("step %d at %s ended before it began", x.Step, x.Node)
		}
	}
	for node, n := range v.Nodes {
		if (n.Visits == 0) != (n.State == history.StateSkipped) || n.Visits != d.State.Visits[node] {
			return fmt.Errorf("node %s with %d visits is %s", node, n.Visits, n.State)
		}
	}
	started, ended := 0, 0
	for _, f := range d.Facts {
		switch f.Body.(type) {
		case *history.ItemStarted, *history.RoundStarted:
			started++
		case *history.ItemEnded, *history.RoundEnded:
			ended++
		}
	}
	for _, n := range v.Nodes {
		started -= n.Items.Started
		ended -= n.Items.Ended
	}
	if started != 0 || ended != 0 {
		return fmt.Errorf("%d started and %d ended items or rounds are not counted", started, ended)
	}
	taken := 0
	for edge, e := range v.Edges {
		if edge != flow.EntryEdge && edge != flow.HandoffEdge && !strings.HasSuffix(edge, "/end") {
			taken += e.Count
		}
	}
	if want := len(d.Edges()); taken != want {
		return fmt.Errorf("the view shows %d edges of %d", taken, want)
	}
	return nil
}

// Decide depends on its arguments alone: from the state folded up to any point, the same inputs give the same facts.
func TestReplayingAnyPrefixGivesTheSameEnd(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds / 3) {
		d := generated(t, seed, someShape(seed))
		d.Turn = int(seed % 4)
		p := &enginetest.Player{D: d, R: source(seed + 2000), Seed: seed, Errors: 10, Crashes: 10, Retries: 2, Pauses: int(seed % 3 * 5), Changes: int(seed % 4 * 2)}
		if err := p.Play(); err != nil {
			explain(t, seed, d, err)
		}
		r := source(seed)
		for range 4 {
			cut := r.IntN(len(d.Inputs))
			if err := replay(d, cut); err != nil {
				explain(t, seed, d, fmt.Errorf("from input %d on: %w", cut, err))
			}
		}
	}
}

// replay folds the facts of the first inputs and feeds the rest to that state.
func replay(d *enginetest.Driver, cut int) error {
	again, err := enginetest.Resume(d, cut)
	if err != nil {
		return err
	}
	for _, fed := range d.Inputs[cut:] {
		if _, err := again.Feed(fed.Input); err != nil {
			return err
		}
	}
	for i := range d.Facts {
		_, want, _ := history.Encode(d.Facts[i])
		_, got, _ := history.Encode(again.Facts[i])
		if !bytes.Equal(want, got) {
			return fmt.Errorf("fact %d differs:\n%s\n%s", i+1, want, got)
		}
	}
	return nil
}

// The order in which branches come to their ends changes neither joins nor what is merged.
func TestAnyInterleavingGivesTheSameResult(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range uint64(seeds) {
		shape := enginetest.Shape{Size: 6 + int(seed%20), Branches: 2, Ordered: true, Acyclic: seed%2 == 0, Foreign: seed%4 < 2}
		var first *outcome
		for order := range uint64(4) {
			d := generated(t, seed, shape)
			d.Context.Follow = order%2 == 0
			d.Turn = int(order)
			p := &enginetest.Player{D: d, R: source(seed*10 + order), Seed: seed, Errors: 8, Patient: true, Pauses: int(order * 4)}
			if err := p.Play(); err != nil {
				explain(t, seed, d, err)
			}
			o := summary(d)
			if o.limited {
				break // who comes first decides who is still let in
			}
			if first == nil {
				first = o
				continue
			}
			compared++
			if diff := cmp.Diff(first, o, cmp.AllowUnexported(outcome{})); diff != "" {
				explain(t, seed, d, fmt.Errorf("order %d: %s", order, diff))
			}
		}
	}
	if compared < seeds {
		t.Errorf("only %d pairs of runs were compared", compared)
	}
}

// outcome is what is left of a run when the order of things is taken away.
type outcome struct {
	limited   bool
	status    history.Status
	outputs   map[string]string
	vars      string
	approvals map[string]string
	visits    map[string]int
	edges     map[string]int
}

// answeredAt is the time of an answer, also inside texts that were made of it.
var answeredAt = regexp.MustCompile(`\\*"at\\*":\\*"[^"\\]*\\*",?`)

func summary(d *enginetest.Driver) *outcome {
	o := &outcome{
		status: d.State.Status, vars: answeredAt.ReplaceAllString(fmt.Sprint(enginetest.Variables(d.State, d.Facts)), ""), visits: d.State.Visits,
		outputs: map[string]string{}, approvals: map[string]string{}, edges: map[string]int{},
	}
	for node := range d.State.Frames[0].Outputs {
		out, _ := d.Output(node)
		o.outputs[node] = answeredAt.ReplaceAllString(fmt.Sprintf("%s %s", out.Text, out.Data), "")
	}
	for node, a := range d.State.Approvals {
		o.approvals[node] = a.Choice
	}
	for _, edge := range d.Edges() {
		o.edges[edge]++
	}
	for _, f := range d.Facts {
		if _, ok := f.Body.(*history.LimitReached); ok {
			o.limited = true
		}
	}
	return o
}

// FuzzRun lets the fuzzer choose flow, outcomes and the order of moves.
func FuzzRun(f *testing.F) {
	f.Add(uint64(1), uint8(10), []byte("some moves"))
	f.Add(uint64(77), uint8(30), []byte{0, 255, 3, 9, 200, 41})
	f.Fuzz(func(t *testing.T, seed uint64, size uint8, moves []byte) {
		d := generated(t, seed, enginetest.Shape{Size: 1 + int(size)%40, Branches: 3, Acyclic: seed%3 == 0, Foreign: seed%2 == 0, Steps: 300})
		p := &enginetest.Player{
			D: d, R: rand.New(&chosen{bytes: moves, rest: rand.NewPCG(seed, 1)}), Seed: seed,
			Errors: 20, Crashes: 20, Noise: 10, Retries: 3, Pauses: int(seed % 4 * 5),
		}
		if err := p.Play(); err != nil { // limits.steps brings every run to its end
			explain(t, seed, d, err)
		}
		if err := honest(d.Facts); err != nil {
			explain(t, seed, d, err)
		}
	})
}

// chosen is a random source whose first numbers are the fuzzer's.
type chosen struct {
	bytes []byte
	rest  rand.Source
}

// Uint64 gives the next number.
func (c *chosen) Uint64() uint64 {
	if len(c.bytes) == 0 {
		return c.rest.Uint64()
	}
	var eight [8]byte
	n := copy(eight[:], c.bytes)
	c.bytes = c.bytes[min(n, 2):] // two bytes choose a move
	return binary.BigEndian.Uint64(eight[:])
}

// FuzzApply feeds stored histories that nobody wrote: they are refused or folded, and never break the program.
func FuzzApply(f *testing.F) {
	files, err := filepath.Glob("../history/testdata/histories/*/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		stored, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(stored)
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		facts, err := enginetest.ReadHistory(stored)
		if err != nil {
			return
		}
		v, err := history.NewView(&flow.Flow{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &history.State{}
		for _, f := range facts {
			if history.Apply(s, f) != nil {
				return
			}
			if err := v.Add(f); err != nil {
				t.Fatalf("the state took fact %d, the view did not: %v", f.Seq, err)
			}
		}
	})
}
