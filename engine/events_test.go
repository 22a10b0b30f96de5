package engine_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/history"
	"sluice/engine/view"
	"sluice/storage"
)

const hearing = `
name: hearing
inputs: {order: {type: string, default: A}}
flow:
  entry: hear
  nodes:
    - {id: hear, type: wait, event: "paid/{{inputs.order}}", routes: [{to: note}]}
    - {id: note, type: tool, tool: shop.note, params: {amount: "{{hear.result.amount}}"}, routes: [{to: end}]}
`

func (w *world) waits(id string) {
	w.t.Helper()
	w.until(id, "it waits", func(v *view.View) bool { return v.Run.Status == string(history.Waiting) })
}

func (w *world) emit(name, key string, payload map[string]any) {
	w.t.Helper()
	if err := w.engine.Emit(w.t.Context(), name, payload, history.Actor{User: "ben", Via: history.ViaHTTP}, key); err != nil {
		w.t.Fatal(err)
	}
}

func TestAnEventReachesEveryRunThatWaits(t *testing.T) {
	t.Parallel()
	w := shop(t, hearing)
	a, b, other := w.start("hearing", nil), w.start("hearing", nil), w.start("hearing", map[string]any{"order": "B"})
	for _, r := range []storage.Run{a, b, other} {
		w.waits(r.ID)
	}
	for range 3 { // telling it again is telling it once
		w.emit("paid/A", "e1", map[string]any{"amount": 42})
	}
	for _, r := range []storage.Run{a, b} {
		v := w.ended(r.ID, history.Succeeded)
		var by history.Actor
		for _, f := range v.Facts {
			if _, ok := f.Body.(*history.EventReceived); ok {
				by = f.Actor
			}
		}
		if by.User != "ben" || by.Via != history.ViaHTTP {
			t.Errorf("the event came from %+v", by)
		}
		w.folds(r.ID)
	}
	notes := w.seen("shop.note")
	if len(notes) != 2 || notes[0].Params["amount"] != 42.0 {
		t.Errorf("what was noted is %v", notes)
	}
	w.nothingDue()
	w.waits(other.ID)
	w.emit("paid/B", "e1", nil) // a known key: nothing happens
	w.emit("paid/B", "e2", nil)
	w.ended(other.ID, history.Succeeded)
}

// An event that happened before the run waits counts when the run had started, and for an hour.
func TestAnEventThatHappenedBefore(t *testing.T) {
	t.Parallel()
	const later = `
name: later
flow:
  entry: ready
  nodes:
    - {id: ready, type: approval, message: "Ready?", routes: [{to: hear}]}
    - {id: hear, type: wait, event: paid, routes: [{to: again}]}
    - {id: again, type: wait, event: paid, routes: [{to: end}]}
`
	w := shop(t, later)
	w.emit("paid", "before the start", nil)
	r := w.start("later", nil)
	g := w.gate(r.ID)
	w.emit("paid", "too old", nil)
	w.nothingDue()
	w.clock.Advance(61 * time.Minute)
	w.emit("paid", "first", nil)
	w.nothingDue() // it is spread, and nobody waited
	w.answer(g, "approve")
	w.until(r.ID, "it waits again", func(v *view.View) bool {
		return v.Latest("again").State == history.StateWaiting
	})
	w.nothingDue()
	if v := w.until(r.ID, "it still waits", func(*view.View) bool { return true }); v.Run.Status != string(history.Waiting) {
		t.Fatalf("an event was received twice, or one from before: %s", v.Run.Status)
	}
	left, err := w.store.Events(t.Context(), "paid", w.clock.Now().Add(-24*time.Hour), 9)
	if err != nil || len(left) != 1 || left[0].ID != "event/first" {
		t.Errorf("events that are kept: %v, %v", left, err)
	}
	w.emit("paid", "second", nil)
	w.ended(r.ID, history.Succeeded)
}

func TestAFlowTellsOfAnEvent(t *testing.T) {
	t.Parallel()
	const telling = `
name: telling
inputs: {iban: {type: string, sensitive: true}}
flow:
  entry: tell
  nodes:
    - {id: tell, type: emit, event: "paid/A", payload: {amount: 7, iban: "{{inputs.iban}}"}, routes: [{to: end}]}
`
	w := shop(t, hearing, telling)
	r := w.start("hearing", nil)
	w.waits(r.ID)
	w.ended(w.start("telling", map[string]any{"iban": "DE12"}).ID, history.Succeeded)
	v := w.ended(r.ID, history.Succeeded)
	if notes := w.seen("shop.note"); len(notes) != 1 || notes[0].Params["amount"] != 7.0 {
		t.Errorf("what was noted is %v", notes)
	}
	for _, f := range v.Facts {
		if b, ok := f.Body.(*history.StepFinished); ok && f.Node == "hear" && string(b.Output.Data) != `{"amount":7,"iban":"•••"}` {
			t.Errorf("the payload of the event is %s", b.Output.Data)
		}
	}
}

// The event and the wait meet once, in whichever order they are stored.
func TestEventsAndWaitsThatCross(t *testing.T) {
	t.Parallel()
	w := shop(t, hearing)
	const rounds = 40
	var wg sync.WaitGroup
	ids := make([]string, rounds)
	for i := range rounds {
		order := fmt.Sprint(i)
		begun := make(chan struct{})
		wg.Go(func() {
			s, err := w.engine.Start(t.Context(), engine.StartRequest{
				Flow: "hearing", Inputs: map[string]any{"order": order}, Actor: history.Actor{User: "ana"},
				Surfaces: func(storage.Run) []storage.Surface {
					close(begun) // the start of the run is taken, its transaction is about to begin
					return nil
				},
			})
			if err != nil {
				t.Error(err)
			}
			ids[i] = s.Run.ID
		})
		wg.Go(func() {
			<-begun
			if err := w.engine.Emit(t.Context(), "paid/"+order, map[string]any{"amount": i}, history.Actor{}, "e"+order); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		w.ended(id, history.Succeeded)
	}
	if n := len(w.seen("shop.note")); n != rounds {
		t.Errorf("%d events were noted", n)
	}
}

func TestAnEventThatCannotBe(t *testing.T) {
	t.Parallel()
	w := shop(t)
	big := map[string]any{"x": make([]byte, 60<<10)}
	for _, c := range []struct {
		name, key string
		payload   map[string]any
	}{{"", "e1", nil}, {"paid", "", nil}, {"paid", "e1", big}, {"paid", "e1", map[string]any{"f": func() {}}}} {
		if err := w.engine.Emit(t.Context(), c.name, c.payload, history.Actor{}, c.key); err == nil {
			t.Errorf("an event called %q with the key %q was taken", c.name, c.key)
		}
	}
	if left, err := w.store.Events(t.Context(), "paid", w.clock.Now().Add(-24*time.Hour), 9); len(left) > 0 || err != nil {
		t.Errorf("stored all the same: %v, %v", left, err)
	}
}

// A run remembers one by one what it has received lately, and does not grow with it.
func TestManyEvents(t *testing.T) {
	t.Parallel()
	const many = `
name: many
flow:
  entry: hear
  max_iterations: 2000
  nodes:
    - {id: hear, type: wait, event: tick, routes: [{to: hear}]}
`
	w := shop(t, many)
	r := w.start("many", nil)
	const ticks = 300
	for i := range ticks {
		w.emit("tick", fmt.Sprint(i), nil)
	}
	w.row(r.ID, "all are received", func(r storage.Run) bool { return r.Steps >= ticks+1 })
	v := w.until(r.ID, "all are received", func(v *view.View) bool { return v.Nodes["hear"].Visits == ticks+1 })
	st, err := history.DecodeState(v.Run.State)
	if err != nil || len(st.Heard.Events) > 256 {
		t.Errorf("the run remembers %d events, %v", len(st.Heard.Events), err)
	}
	w.nothingDue()
	if v, err := w.engine.View(t.Context(), r.ID); err != nil || v.Nodes["hear"].Visits != ticks+1 {
		t.Errorf("%d visits, %v", v.Nodes["hear"].Visits, err)
	}
}
