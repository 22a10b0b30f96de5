package gate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

// rows is a store with gates.
type rows map[string]storage.Gate

func (r rows) Gate(_ context.Context, id string) (storage.Gate, error) {
	g, ok := r[id]
	if !ok {
		return g, storage.ErrNotFound
	}
	return g, nil
}

var at = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// asks is a fact that opens gate 1 of a run, for two people.
func asks() history.Fact {
	return history.Fact{Seq: 4, At: at, Token: 1, Node: "check", Step: 2, Body: &history.GateOpened{
		Gate: 1, Kind: history.GateApproval, Message: "Pay?", Choices: []string{"approve", "reject"}, Quorum: 2, Who: &flow.Who{Users: []string{"ana", "ben"}},
	}}
}

// A transition opens a gate: its row is written with it.
func Example() {
	opened := asks()
	state := &history.State{Gates: []history.Gate{{ID: 1, Node: "check", Step: 2}}} // after the fact
	w := &storage.RunWrite{Run: storage.Run{ID: "r1", By: "ana"}}
	if err := gate.Fill(context.Background(), rows{}, w, state, []history.Fact{opened}); err != nil {
		panic(err)
	}
	row := w.Gates[0]
	body, err := gate.Decode(row)
	if err != nil {
		panic(err)
	}
	fmt.Println(row.ID, row.Node, row.Status, body.Opened.Message)
	fmt.Println(row.Asked)
	// Output:
	// r1/1 check open Pay?
	// {"names":["ana","ben"]}
}

// fill writes the rows of one transition into the store.
func fill(t *testing.T, all rows, after *history.State, facts ...history.Fact) (storage.Gate, gate.Body) {
	t.Helper()
	w := &storage.RunWrite{Run: storage.Run{ID: "r1", By: "ana", Channel: "C1"}}
	if err := gate.Fill(t.Context(), all, w, after, facts); err != nil {
		t.Fatal(err)
	}
	if len(w.Gates) != 1 {
		t.Fatalf("%d rows are written", len(w.Gates))
	}
	all[w.Gates[0].ID] = w.Gates[0]
	b, err := gate.Decode(w.Gates[0])
	if err != nil {
		t.Fatal(err)
	}
	return w.Gates[0], b
}

// A row has the votes and the people of the machine's gate while it is open, and keeps them when it is decided.
func TestTheRowFollowsTheMachine(t *testing.T) {
	t.Parallel()
	all, state := rows{}, &history.State{Gates: []history.Gate{{ID: 1}}}
	fill(t, all, state, asks())
	vote := history.Vote{By: history.Actor{User: "ana"}, Choice: "approve", At: at}
	state.Gates[0].Votes, state.Gates[0].Escalated = []history.Vote{vote}, []string{"eve"}
	g, b := fill(t, all, state, history.Fact{At: at, Body: &history.GateReminded{Gate: 1, Escalated: "eve"}})
	if g.Status != gate.Open || len(b.Votes) != 1 || !b.Reminded.Equal(at) || g.Asked != `{"names":["ana","ben","eve"]}` {
		t.Errorf("the open row is %+v with %+v", g, b)
	}
	state.Gates = nil
	g, b = fill(t, all, state, history.Fact{At: at, Actor: history.Actor{User: "ben", Name: "Ben"}, Body: &history.GateDecided{Gate: 1, Choice: "approve", Note: "fine"}})
	if g.Status != gate.Decided || g.Choice != "approve" || g.By != "ben" || b.Note != "fine" || b.ByName != "Ben" || len(b.Votes) != 1 || !slices.Equal(b.Escalated, []string{"eve"}) {
		t.Errorf("the decided row is %+v with %+v", g, b)
	}
}

// Opened and ended by one transition: one row, which is decided.
func TestAGateThatNeverWaits(t *testing.T) {
	t.Parallel()
	g, _ := fill(t, rows{}, &history.State{}, asks(), history.Fact{At: at, Body: &history.GateDecided{Gate: 1, Choice: history.ChoiceSuperseded}})
	if g.Status != gate.Decided || g.Choice != history.ChoiceSuperseded || g.Node != "check" {
		t.Errorf("the row is %+v", g)
	}
}

// A fact about a gate without a row is an error of the store, and facts about other things write nothing.
func TestRowsThatAreNotThere(t *testing.T) {
	t.Parallel()
	w := &storage.RunWrite{}
	if err := gate.Fill(t.Context(), rows{}, w, &history.State{}, []history.Fact{{Body: &history.Voted{Gate: 3}}}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a vote for a gate that was never opened gave %v", err)
	}
	if err := gate.Fill(t.Context(), rows{}, w, &history.State{}, []history.Fact{{Body: &history.VarsSet{}}}); err != nil || len(w.Gates) > 0 {
		t.Errorf("variables wrote %v, %v", w.Gates, err)
	}
	if _, err := gate.Decode(storage.Gate{Body: []byte("{")}); err == nil {
		t.Error("half a body was read")
	}
}

// Whom a question is for: those it names, else the channel, else the requester; a question about a failure is for the requester and the owner.
func TestAskedOf(t *testing.T) {
	t.Parallel()
	no := false
	here := storage.Run{By: "ana", Channel: "C1", Flow: "pay"}
	for _, c := range []struct {
		name string
		run  storage.Run
		body gate.Body
		want string
	}{
		{"named", here, gate.Body{Opened: history.GateOpened{Who: &flow.Who{Groups: []string{"fin"}, Users: []string{"ben"}}}}, `{"names":["fin","ben"]}`},
		{"named, but not the requester", here, gate.Body{Opened: history.GateOpened{Who: &flow.Who{Groups: []string{"fin"}, SelfApproval: &no}}}, `{"names":["fin"],"not":"ana"}`},
		{"nobody named", here, gate.Body{}, `{"channel":"C1"}`},
		{"outside of channels", storage.Run{By: "ana"}, gate.Body{}, `{"requester":"ana"}`},
		{"escalated", here, gate.Body{Escalated: []string{"boss"}}, `{"names":["boss"],"channel":"C1"}`},
		{"a failure", here, gate.Body{Opened: history.GateOpened{Kind: history.GateFailure}}, `{"requester":"ana","flow":"pay"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, err := gate.AskedOf(c.run, c.body).Key(); err != nil || got != c.want {
				t.Errorf("it is for %s, %v instead of %s", got, err, c.want)
			}
		})
	}
}
