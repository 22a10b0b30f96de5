package view_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"sluice/engine/compiled"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/engine/view"
	"sluice/storage"
)

const greet = `
name: greet
flow:
  entry: hello
  nodes:
    - {id: hello, type: tool, tool: shop.greet, routes: [{to: end}]}
`

// world is a store with one flow and one run.
type world struct {
	rows []storage.Fact
	read int
}

func (w *world) Flow(context.Context, string) (storage.Flow, error) {
	return storage.Flow{Name: "greet", Head: 1}, nil
}

func (w *world) Revision(context.Context, string, int) (storage.Revision, error) {
	doc, bad := file.Parse("greet.yaml", []byte(greet))
	if bad.HasErrors() {
		return storage.Revision{}, bad
	}
	return storage.Revision{Flow: "greet", Number: 1, Body: flow.Canonical(doc.Flow)}, nil
}

func (w *world) Run(_ context.Context, id string) (storage.Run, error) {
	if id != "r1" {
		return storage.Run{}, storage.ErrNotFound
	}
	return storage.Run{ID: id, Name: "greet-1", Flow: "greet", Revision: 1}, nil
}

func (w *world) SomeFacts(_ context.Context, _ string, after int64, limit int, kinds ...string) (some []storage.Fact, err error) {
	for _, f := range w.rows {
		if f.Seq > after && len(some) < limit && (len(kinds) == 0 || slices.Contains(kinds, f.Kind)) {
			some = append(some, f)
		}
	}
	w.read += len(some)
	return some, nil
}

func (w *world) FactsBySeq(_ context.Context, _ string, seqs []int64) (some []storage.Fact, err error) {
	for _, f := range w.rows {
		if slices.Contains(seqs, f.Seq) {
			some = append(some, f)
		}
	}
	return some, nil
}

// note adds facts about the one step of the run.
func (w *world) note(bodies ...history.Body) {
	for _, b := range bodies {
		kind := history.KindOf(b)
		f := history.Fact{Seq: int64(len(w.rows) + 1), Kind: kind, Version: kind.Version(), At: time.Unix(int64(len(w.rows)), 0), Token: 1, Node: "hello", Step: 1, Body: b}
		if kind == "run_started" {
			f.Token, f.Node, f.Step = 0, "", 0
		}
		row, err := stored.Encode("r1", f)
		if err != nil {
			panic(err)
		}
		w.rows = append(w.rows, row)
	}
}

// begun is a run that has reached its step.
func begun() *world {
	w := &world{}
	w.note(&history.RunStarted{Flow: "greet", Revision: 1, Name: "greet-1"}, &history.TokenMade{ID: 1, At: "hello"}, &history.StepStarted{Attempt: 1, Params: []byte(`{"to":"ana"}`)})
	return w
}

// A view says where a run stands, and what it has come to.
func Example() {
	w := begun()
	x := view.New(w, compiled.New(w, flow.Ceilings{}))
	v, err := x.View(context.Background(), "r1")
	if err != nil {
		panic(err)
	}
	fmt.Println(v.Run.Name, v.Nodes["hello"].State)
	w.note(&history.StepFinished{Output: history.Output{Text: "Hello, ana"}}, &history.RouteTaken{Edge: "hello/0", To: flow.End}, &history.PathEnded{})
	if v, err = x.View(context.Background(), "r1"); err != nil {
		panic(err)
	}
	fmt.Println(v.Nodes["hello"].State, v.Result.Text)
	// Output:
	// greet-1 running
	// complete Hello, ana
}

// Who follows a run is shown each fact once.
func TestFollow(t *testing.T) {
	t.Parallel()
	w := begun()
	x := view.New(w, compiled.New(w, flow.Ceilings{}))
	var seen []int64
	show := func(f history.Fact) { seen = append(seen, f.Seq) }
	v, err := x.Follow(t.Context(), "r1", nil, show)
	if err != nil {
		t.Fatal(err)
	}
	w.note(&history.StepFinished{})
	if v, err = x.Follow(t.Context(), "r1", v, show); err != nil || !slices.Equal(seen, []int64{1, 2, 3, 4}) || len(v.Facts) != 4 {
		t.Errorf("shown: %v, %v", seen, err)
	}
}

// What a step was called with is found for the question about it.
func TestGiven(t *testing.T) {
	t.Parallel()
	w := begun()
	w.note(&history.StepFailed{Attempt: 1, Next: history.NextStop}, &history.GateOpened{Gate: 1, Kind: history.GateFailure})
	v, err := view.New(w, compiled.New(w, flow.Ceilings{})).View(t.Context(), "r1")
	if err != nil || v.Given(1, 1) != `{"to":"ana"}` || v.Given(2, 1) != "" || v.Given(1, 2) != "" {
		t.Errorf("given: %q, %v", v.Given(1, 1), err)
	}
	if v.Latest("hello").Step != 1 || v.Latest("nowhere").Step != 0 {
		t.Errorf("the latest visit is %+v", v.Latest("hello"))
	}
}

// A long run is read once: the next look goes on from there, with a bounded part of the facts.
func TestALongRun(t *testing.T) {
	t.Parallel()
	w := begun()
	for range 5000 {
		w.note(&history.CallIntended{Number: len(w.rows), What: "shop.greet"}, &history.CallFinished{Number: len(w.rows)})
	}
	x := view.New(w, compiled.New(w, flow.Ceilings{}))
	v, err := x.View(t.Context(), "r1")
	if err != nil || len(v.Facts) > 4100 || v.Start == nil {
		t.Fatalf("%d facts are held (%v)", len(v.Facts), err)
	}
	w.read = 0
	w.note(&history.StepFinished{Output: history.Output{Text: "over"}})
	if v, err = x.View(t.Context(), "r1"); err != nil || w.read != 1 || v.Result.Text != "over" {
		t.Errorf("%d facts were read again for %q (%v)", w.read, v.Result.Text, err)
	}
	if _, err := x.View(t.Context(), "r2"); err == nil {
		t.Error("a run that is not there was looked at")
	}
}
