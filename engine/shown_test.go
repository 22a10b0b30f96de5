package engine_test

import (
	"context"
	"errors"
	"testing"

	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/usererror"
)

// shown is the hash of what a gate shows, as every card and prompt has it.
func shown(e *engine.Engine, id string) string {
	g, err := e.Store().Gate(context.Background(), id)
	if err != nil {
		return ""
	}
	body, err := gate.Decode(g)
	if err != nil {
		return ""
	}
	return body.Opened.Shown()
}

// An answer without the hash of what was shown, or with another one, decides nothing, from whatever door it comes.
func TestAnAnswerToWhatWasNotShownDecidesNothing(t *testing.T) {
	t.Parallel()
	w := refunds(t)
	r := w.start("refund", map[string]any{"order_id": "A-2"})
	g := w.gate(r.ID)
	for _, hash := range []string{"", "0", shown(w.engine, g.ID)[1:]} {
		for _, via := range []history.Via{history.ViaButton, history.ViaCommand, history.ViaMessage, history.ViaCLI} {
			_, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: hash, Choice: "approve", Actor: history.Actor{User: "fin", Via: via}})
			var refused *usererror.Error
			if !errors.As(err, &refused) || !errors.Is(err, run.ErrShown) {
				t.Errorf("%s with the hash %q: %v", via, hash, err)
			}
		}
	}
	if now := w.gate(r.ID); now.Status != "open" {
		t.Fatalf("the gate is %s", now.Status)
	}
	if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Shown: shown(w.engine, g.ID), Choice: "approve", Actor: history.Actor{User: "fin"}}); err != nil {
		t.Error(err)
	}
}

// A row that its caller read before somebody else decided still meets the decision that was made.
func TestAnAnswerWithARowFromBeforeTheDecisionComesTooLate(t *testing.T) {
	t.Parallel()
	w := refunds(t)
	r := w.start("refund", map[string]any{"order_id": "A-2"})
	g := w.gate(r.ID)
	hash := shown(w.engine, g.ID)
	if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Row: &g, Shown: hash, Choice: "approve", Actor: history.Actor{User: "fin"}}); err != nil {
		t.Fatal(err)
	}
	_, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: g.ID, Row: &g, Shown: hash, Choice: "reject", Actor: history.Actor{User: "fin"}})
	if late, ok := errors.AsType[*engine.DecidedError](err); !ok || late.Choice != "approve" || late.By != "fin" {
		t.Errorf("the second answer: %v", err)
	}
}
