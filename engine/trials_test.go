package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
)

// busy takes every place for trials and replays, and gives what frees them.
func busy(t *testing.T, e *engine.Engine) []func() {
	t.Helper()
	var leave []func()
	for range engine.TrialsMost {
		f, err := e.ReserveTrial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, f)
	}
	return leave
}

// Who finds no place waits for one, and is told when none gets free.
func TestTrialsWaitForATurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Config{})
		leave := busy(t, e)
		time.AfterFunc(time.Second, leave[0])
		again, err := e.ReserveTrial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{{ID: "a", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "hello"}}}}
		var ue *engine.UserError
		if _, err := e.Try(t.Context(), f, engine.TryRequest{}); !errors.As(err, &ue) || ue.Code != "busy" {
			t.Errorf("a trial without a place: %v", err)
		}
		if _, err := e.Replay(t.Context(), f, 0); !errors.As(err, &ue) || ue.Code != "busy" {
			t.Errorf("a replay without a place: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.Try(gone, f, engine.TryRequest{}); !errors.Is(err, context.Canceled) {
			t.Errorf("somebody who does not wait: %v", err)
		}
		again()
		for range 2 * engine.TrialsMost { // a trial leaves its place
			if _, err := e.Try(t.Context(), f, engine.TryRequest{}); err != nil {
				t.Error(err)
			}
		}
		leave[1]()
	})
}
