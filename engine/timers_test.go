package engine_test

import (
	"slices"

	"sluice/engine"
	"sluice/engine/run"
	"sluice/storage"
)

// waits tells whether a run waits for a timer of a kind.
func waits(kind run.TimerKind) func(*engine.View) bool {
	return func(v *engine.View) bool {
		s, err := run.DecodeState(v.Run.State)
		return err == nil && slices.ContainsFunc(s.Timers, func(t run.Timer) bool { return t.Kind == kind })
	}
}

func (w *world) answer(g storage.Gate, choice string) {
	w.t.Helper()
	w.answerAs("fin", g, choice)
}

func (w *world) answerAs(user string, g storage.Gate, choice string) {
	w.t.Helper()
	if _, err := w.engine.Answer(w.t.Context(), engine.GateAnswer{Gate: g.ID, Choice: choice, Actor: run.Actor{User: user}}); err != nil {
		w.t.Fatal(err)
	}
}
