package run_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/run"
)

// line is a run of a foreach over many items, fed without the driver's checks, and what each item costs.
type line struct {
	t       testing.TB
	program *run.Program
	state   *run.State
	start   *run.RunStarted
	outputs map[int64]run.Output
	open    []run.Dispatch
	latest  cost
}

// cost is what transitions store, the state included, and ask for.
type cost struct {
	bytes int
	shape int // bytes without digits
	reads int // outputs, when none is at hand
}

func (c *cost) add(more cost) {
	c.bytes += more.bytes
	c.shape += more.shape
	c.reads += more.reads
}

// items makes a run of a foreach over so many items, three at a time: each is paid, and noted in a variable.
func items(t testing.TB, total int) *line {
	t.Helper()
	f := &flow.Flow{Name: "line", Entry: "each", Limits: flow.Limits{Items: total}, Nodes: []flow.Node{
		{
			ID: "each", Kind: flow.KindForeach, Spec: &flow.ForeachSpec{Items: "inputs.list", Body: "pay", MaxParallel: 3},
			Routes: []flow.Route{{To: "after"}},
		},
		{
			ID: "pay", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t.pay", Params: map[string]any{"order": "{{item.id}}, {{item_number}}"}},
			Routes: []flow.Route{{To: "note"}},
		},
		{ID: "note", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"last": "{{pay.result.n}}"}}},
		{ID: "after", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t.after", Params: map[string]any{"all": "{{each.result}}"}}},
	}}
	p, err := run.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]any, total)
	for i := range list {
		list[i] = map[string]any{"id": fmt.Sprintf("order %06d", i), "words": "some words about the order"}
	}
	l := &line{t: t, program: p, state: &run.State{}, outputs: map[int64]run.Output{}}
	l.feed(run.Start{At: enginetest.Epoch, Run: run.RunStarted{Inputs: map[string]any{"list": list}}})
	return l
}

// feed gives an input to the machine with no output at hand but those that it asks for.
func (l *line) feed(in run.Input) run.Decision {
	l.t.Helper()
	reads := &run.Reads{Start: l.start, Outputs: map[int64]run.Output{}}
	c := &run.Context{RunID: "run"}
	d, err := run.Decide(l.program, l.state, in, reads, c)
	var need *run.Need
	l.latest = cost{}
	if errors.As(err, &need) {
		l.latest.reads = len(need.Facts)
		for _, seq := range need.Facts {
			reads.Outputs[seq] = l.outputs[seq]
		}
		d, err = run.Decide(l.program, l.state, in, reads, c)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	l.take(d)
	return d
}

func (l *line) take(d run.Decision) {
	l.state = d.State
	for _, f := range d.Facts {
		if b, ok := f.Body.(*run.RunStarted); ok {
			l.start = b
		}
		if out, ok := run.ReadOf(f); ok {
			l.outputs[f.Seq] = out
		}
		l.latest.add(l.size(run.Encode(f)))
	}
	state, err := run.EncodeState(d.State)
	l.latest.add(l.size(nil, state, err))
	for _, e := range d.Effects {
		if e, ok := e.(run.Dispatch); ok {
			l.open = append(l.open, e)
		}
	}
}

func (l *line) size(actor, body []byte, err error) cost {
	if err != nil {
		l.t.Fatal(err)
	}
	digits := 0
	for _, c := range body {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return cost{bytes: len(actor) + len(body), shape: len(actor) + len(body) - digits}
}

// next takes the oldest open item from its claim to its end, and gives what that costs.
func (l *line) next() cost {
	it := l.open[0]
	l.open = l.open[1:]
	d := l.feed(run.Claimed{At: enginetest.Epoch, Token: it.Token, Epoch: it.Epoch})
	sum := l.latest
	p := d.Effects[len(d.Effects)-1].(run.Perform)
	l.feed(run.Finished{At: enginetest.Epoch, Token: p.Token, Step: p.Step, Epoch: p.Epoch, Output: outcome5})
	sum.add(l.latest)
	return sum
}

// What an item stores and reads does not depend on how many came before it: only numbers get more digits.
func TestItemsCostTheSame(t *testing.T) {
	t.Parallel()
	l := items(t, 10_000)
	at := func(item int) cost {
		for l.state.Frames[1].Each.Ended < item {
			l.next()
		}
		return l.next()
	}
	early, late := at(10), at(9_990)
	t.Logf("item 10 costs %+v, item 9,990 %+v", early, late)
	if early.reads != late.reads || early.shape != late.shape {
		t.Errorf("item 10 costs %+v, item 9,990 %+v", early, late)
	}
}

// The results are asked for as one output, once somebody reads them.
func TestResultsAreGatheredWhenRead(t *testing.T) {
	t.Parallel()
	l := items(t, 250)
	for range 250 {
		l.next()
	}
	if len(l.open) != 1 {
		t.Fatalf("%d tokens are dispatched after the last item", len(l.open))
	}
	claim := run.Claimed{At: enginetest.Epoch, Token: l.open[0].Token, Epoch: l.open[0].Epoch}
	_, err := run.Decide(l.program, l.state, claim, &run.Reads{Start: l.start}, nil)
	var need *run.Need
	if !errors.As(err, &need) {
		t.Fatalf("the decision gives %v", err)
	}
	if diff := cmp.Diff([]int64{l.state.Frames[0].Outputs["each"]}, need.Facts); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkItem measures an item from its claim to its end, with the start of the next one and the encoding of state and facts,
// at different places of a list of 10,000: it must cost the same.
func BenchmarkItem(b *testing.B) {
	for _, at := range []int{10, 1_000, 9_900} {
		b.Run(fmt.Sprintf("item=%d", at), func(b *testing.B) {
			l := items(b, 10_000)
			for range at {
				l.next()
			}
			kept, open := l.state, l.open
			var c cost
			b.ReportAllocs()
			for b.Loop() {
				l.state, l.open = kept, open
				c = l.next()
			}
			b.ReportMetric(float64(c.bytes), "stored-bytes")
			b.ReportMetric(float64(c.reads), "reads")
		})
	}
}
