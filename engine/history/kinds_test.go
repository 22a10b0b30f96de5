package history

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBodiesOfOlderReleasesAreLifted(t *testing.T) {
	t.Parallel()
	k := kind{empty: func() Body { return new(PathEnded) }, lifts: []lift{
		func(b map[string]json.RawMessage) map[string]json.RawMessage { // version 1 said why
			b["cause"] = b["why"]
			delete(b, "why")
			return b
		},
		func(b map[string]json.RawMessage) map[string]json.RawMessage { // version 2 said cause
			b["reason"] = b["cause"]
			delete(b, "cause")
			return b
		},
	}}
	for version, body := range map[int]string{1: `{"why":"end"}`, 2: `{"cause":"end"}`, 3: `{"reason":"end"}`} {
		lifted, err := k.lift(version, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if string(lifted) != `{"reason":"end"}` {
			t.Errorf("version %d is lifted to %s", version, lifted)
		}
	}
	if _, err := k.lift(0, []byte(`{}`)); err == nil {
		t.Error("version 0 was lifted")
	}
	if _, err := k.lift(1, []byte(`[]`)); err == nil {
		t.Error("a body that is no object was lifted")
	}
}

func TestFactsOfNewerReleasesAreRefused(t *testing.T) {
	t.Parallel()
	for _, head := range []Fact{
		{Seq: 4, Kind: "path_ended", Version: FactKind("path_ended").Version() + 1},
		{Seq: 4, Kind: "teleported", Version: 1},
	} {
		_, err := DecodeFact(head, nil, []byte(`{}`))
		if err == nil || !strings.Contains(err.Error(), "newer release") {
			t.Errorf("%s: %v", head.Kind, err)
		}
	}
	for _, state := range []string{`{"format":1,"mood":"good"}`, `{"format":1,"tokens":[{"id":1,"mood":"good"}]}`} {
		if _, err := DecodeState([]byte(state)); err == nil || !strings.Contains(err.Error(), "newer release") {
			t.Errorf("a state with a field of a newer release: %v", err)
		}
	}
	if _, err := DecodeState([]byte(`{"format":99}`)); err == nil || !strings.Contains(err.Error(), "newer release") {
		t.Errorf("state: %v", err)
	}
}

// Each kind has a name and a type of its own.
func TestKindsAreNamedByTheirBodies(t *testing.T) {
	t.Parallel()
	if len(kinds) != len(table) || len(names) != len(table) {
		t.Errorf("%d records have %d names and %d types", len(table), len(kinds), len(names))
	}
	for _, k := range table {
		if got := KindOf(k.empty()); got != k.name {
			t.Errorf("the body of %s says it is %s", k.name, got)
		}
	}
}

// A foreach lets items in by their order, into free slots.
func TestApplyRefusesItemsOutOfOrder(t *testing.T) {
	t.Parallel()
	s := &State{}
	for i, b := range []Body{
		&RunStarted{}, &TokenMade{ID: 1, At: "each"}, &ItemsListed{Items: []json.RawMessage{[]byte("1"), []byte("2"), []byte("3")}},
		&ItemsOpened{Frame: 1, Total: 2, List: 3, Width: 100}, &ItemStarted{Frame: 1, Token: 2, Head: "a"},
	} {
		if err := Apply(s, Fact{Seq: int64(i) + 1, Token: 1, Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range []Body{
		&ItemStarted{Frame: 1, Index: 2, Slot: 1, Token: 3},
		&ItemStarted{Frame: 1, Index: 0, Slot: 1, Token: 3},
		&ItemStarted{Frame: 1, Index: 1, Slot: 0, Token: 3},
		&ItemStarted{Frame: 1, Index: 1, Slot: 2, Token: 3},
		&ItemStarted{Frame: 1, Index: 1, Slot: -1, Token: 3},
		&ItemStarted{Frame: 1, Index: 1, Slot: 1, Token: 2},
		&ItemEnded{Frame: 1, Index: 1},
		&ItemEnded{Frame: 1, Index: 0},
		&ItemsOpened{Frame: 1, Total: 2},
	} {
		if err := Apply(s.Clone(), Fact{Seq: 6, Token: 1, Body: b}); err == nil {
			t.Errorf("%+v was applied", b)
		}
	}
	if err := Apply(s.Clone(), Fact{Seq: 6, Token: 1, Body: &ItemStarted{Frame: 1, Index: 1, Slot: 1, Token: 3, Head: "a"}}); err != nil {
		t.Error(err)
	}
}

// Numbers keep their digits on the way through storage.
func TestBodiesKeepDigits(t *testing.T) {
	t.Parallel()
	const digits = "12345678901234567890"
	f := Fact{Seq: 1, Kind: "vars_set", Version: 1, Body: &VarsSet{Vars: map[string]any{"n": json.Number(digits)}}}
	actor, body, err := Encode(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeFact(Fact{Seq: 1, Kind: "vars_set", Version: 1}, actor, body)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, got); diff != "" {
		t.Error(diff)
	}
}

func TestApplyRefusesWhatCannotFollow(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	started := &State{}
	for _, f := range []Fact{
		{Seq: 1, At: at, Body: &RunStarted{}},
		{Seq: 2, At: at, Token: 1, Body: &TokenMade{ID: 1, At: "a"}},
	} {
		if err := Apply(started, f); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []Fact{
		{Seq: 3},
		{Seq: 2, Body: &RunEnded{}},
		{Seq: 4, Body: &RunEnded{}},
		{Seq: 3, Body: &RunStarted{}},
		{Seq: 3, Token: 9, Body: &StepStarted{}},
		{Seq: 3, Token: 9, Body: &StepFinished{}},
		{Seq: 3, Token: 9, Body: &RouteTaken{To: "b"}},
		{Seq: 3, Token: 1, Body: &CallFinished{Number: 1}},
		{Seq: 3, Token: 1, Body: &FrameOpened{Frame: 1, Tokens: []int{2}}},
		{Seq: 3, Body: &Joined{Frame: 3}},
		{Seq: 3, Token: 9, Body: &ItemsListed{}},
		{Seq: 3, Token: 9, Body: &ItemsOpened{Frame: 1}},
		{Seq: 3, Token: 1, Body: &ItemsOpened{Frame: 0}},
		{Seq: 3, Token: 1, Body: &ItemStarted{Frame: 1, Token: 2}},
		{Seq: 3, Token: 1, Body: &ItemEnded{Frame: 1}},
		{Seq: 3, Body: &BranchFailed{Frame: 3}},
		{Seq: 3, Body: &BranchRetried{Frame: 3}},
		{Seq: 3, Body: &Voted{Gate: 3}},
		{Seq: 3, Body: &GateDecided{Gate: 3}},
		{Seq: 3, Body: &GateReminded{Gate: 3}},
		{Seq: 3, Body: &TimerGone{ID: 3}},
		{Seq: 3, Body: &TimerSet{Timer: Timer{Kind: TimerRetry}}},
		{Seq: 3, Body: &TimerSet{Timer: Timer{Kind: TimerJoin, Frame: 2}}},
		{Seq: 3, Body: &TimerSet{Timer: Timer{Kind: TimerDeadline, Gate: 2}}},
	} {
		if err := Apply(started.Clone(), f); err == nil {
			t.Errorf("fact %d %s %+v was applied", f.Seq, reflect.TypeOf(f.Body), f.Body)
		}
	}
}
