package stored_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/storage"
)

// rows are the stored facts of one run.
type rows []storage.Fact

func (r rows) SomeFacts(_ context.Context, _ string, after int64, limit int, kinds ...string) (some []storage.Fact, err error) {
	for _, f := range r {
		if f.Seq > after && len(some) < limit && (len(kinds) == 0 || slices.Contains(kinds, f.Kind)) {
			some = append(some, f)
		}
	}
	return some, nil
}

func (r rows) FactsBySeq(_ context.Context, _ string, seqs []int64) (some []storage.Fact, err error) {
	for _, f := range r {
		if slices.Contains(seqs, f.Seq) {
			some = append(some, f)
		}
	}
	return some, nil
}

var at = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// store encodes facts, numbered from 1.
func store(bodies ...history.Body) (all rows) {
	for i, b := range bodies {
		kind := history.KindOf(b)
		row, err := stored.Encode("r1", history.Fact{Seq: int64(i + 1), Kind: kind, Version: kind.Version(), At: at, Actor: history.Actor{User: "ana"}, Body: b})
		if err != nil {
			panic(err)
		}
		all = append(all, row)
	}
	return all
}

// A run's facts are read one after the other; its start is the first of them.
func Example() {
	facts := store(&history.RunStarted{Flow: "refund", Name: "refund-1"}, &history.VarsSet{Vars: map[string]any{"n": 1}}, &history.RunEnded{Status: history.Succeeded})
	start, err := stored.Start(context.Background(), facts, "r1")
	if err != nil {
		panic(err)
	}
	fmt.Println(start.Name)
	for f, err := range stored.All(context.Background(), facts, "r1") {
		fmt.Println(f.Seq, f.Kind, f.Actor.User, err)
	}
	// Output:
	// refund-1
	// 1 run_started ana <nil>
	// 2 vars_set ana <nil>
	// 3 run_ended ana <nil>
}

// What is broken is said at the fact where it is; who has enough reads no further.
func TestAll(t *testing.T) {
	t.Parallel()
	facts := store(&history.RunStarted{}, &history.VarsSet{}, &history.VarsSet{})
	facts[1].Body = []byte("{")
	var seen []int64
	var last error
	for f, err := range stored.All(t.Context(), facts, "r1") {
		seen, last = append(seen, f.Seq), err
	}
	if !slices.Equal(seen, []int64{1, 0}) || last == nil {
		t.Errorf("facts %v, %v", seen, last)
	}
	for range stored.All(t.Context(), facts, "r1") {
		break
	}
	if _, err := stored.Start(t.Context(), facts[1:], "r1"); err == nil {
		t.Error("a run without its first fact has a start")
	}
}

// The result of a foreach is that of its items, by their numbers and not by when they ended; items of other frames do not count.
func TestGather(t *testing.T) {
	t.Parallel()
	output := func(text string) history.Body { return &history.StepFinished{Output: history.Output{Text: text}} }
	facts := store(
		output("second"), output("first"),
		&history.ItemEnded{Frame: 2, Index: 1, Output: 1}, &history.ItemEnded{Frame: 3, Index: 0, Output: 1}, &history.ItemEnded{Frame: 2, Index: 0, Output: 2},
	)
	out, err := stored.NewResults(facts, "r1").Gather(t.Context(), history.Items{Frame: 2, Total: 2})
	if err != nil || out.Text != "first\n\nsecond" || string(out.Data) != `["first","second"]` {
		t.Errorf("the result is %q, %s, %v", out.Text, out.Data, err)
	}
	facts = store(&history.VarsSet{}, &history.ItemEnded{Frame: 2, Index: 0, Output: 1})
	if _, err := stored.NewResults(facts, "r1").Gather(t.Context(), history.Items{Frame: 2, Total: 1}); err == nil {
		t.Error("variables are a result")
	}
}

// broken is a store that cannot be read.
type broken struct{ rows }

var errAway = errors.New("the store is away")

func (broken) SomeFacts(context.Context, string, int64, int, ...string) ([]storage.Fact, error) {
	return nil, errAway
}

// A store that is away is an error, and no empty run.
func TestStoreAway(t *testing.T) {
	t.Parallel()
	if _, err := stored.Page(t.Context(), broken{}, "r1", 0); !errors.Is(err, errAway) {
		t.Errorf("a page: %v", err)
	}
	if _, err := stored.NewResults(broken{}, "r1").Gather(t.Context(), history.Items{Frame: 1}); !errors.Is(err, errAway) {
		t.Errorf("a result: %v", err)
	}
}
