package engine_test

import (
	"testing"

	"sluice/engine/history"
)

// A timer that one decision sets and takes away again leaves no row: here that of a join whose branches all wait for people at once.
func TestATimerThatIsTakenAwayAtOnceLeavesNoRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	w.save(`
name: patient
flow:
  entry: split
  nodes:
    - {id: split, type: parallel, branches: [{to: a}, {to: b}], join: {type: all}, routes: [{to: end}]}
    - {id: a, type: ask, message: A?, choices: [x]}
    - {id: b, type: ask, message: B?, choices: [x]}
`)
	r := w.start("patient", nil)
	for range 2 {
		w.answer(w.gate(r.ID), "x")
	}
	w.ended(r.ID, history.Succeeded)
	if due, err := w.store.NextDue(t.Context()); !due.IsZero() || err != nil {
		t.Errorf("a timer is left, due at %v: %v", due, err)
	}
}
