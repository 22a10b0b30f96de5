package gates

import (
	"context"
	"encoding/json"
	"testing"

	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

// row is a store with one gate, which counts how often it is read.
type row struct {
	Store
	gate  storage.Gate
	reads int
}

func (r *row) Gate(context.Context, string) (storage.Gate, error) {
	r.reads++
	return r.gate, nil
}

// taker accepts every answer.
type taker struct {
	Engine
	got []engine.GateAnswer
}

func (t *taker) Answer(_ context.Context, a engine.GateAnswer) (engine.Answered, error) {
	t.got = append(t.got, a)
	return engine.Answered{Decided: true, Gate: *a.Row}, nil
}

// TestAClickReadsItsGateOnce: the row that names the choices is the one that is answered.
func TestAClickReadsItsGateOnce(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(gate.Body{Opened: history.GateOpened{Choices: []string{"approve", "reject"}}})
	if err != nil {
		t.Fatal(err)
	}
	store, e, woken := &row{gate: storage.Gate{ID: "r/1", Run: "r", Num: 1, Status: "open", Body: body}}, &taker{}, 0
	gs := &Gates{Engine: e, Store: store, Replies: &request.Replies{Wake: func() { woken++ }}}
	if err := gs.Choose(t.Context(), request.Incoming{Kind: request.KindClick, User: "ana", Value: "r/1 1 hash", Inbox: 7}); err != nil {
		t.Fatal(err)
	}
	if store.reads != 1 || len(e.got) != 1 || woken != 1 {
		t.Fatalf("the gate was read %d times, answered %d times, and cards were drawn anew %d times", store.reads, len(e.got), woken)
	}
	if a := e.got[0]; a.Gate != "r/1" || a.Row.ID != a.Gate || a.Choice != "reject" || a.Shown != "hash" || a.Actor.User != "ana" || len(a.Inbox) != 1 || a.Inbox[0] != 7 {
		t.Errorf("the answer is %+v", a)
	}
}
