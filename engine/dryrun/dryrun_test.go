package dryrun_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sluice/engine/dryrun"
	"sluice/engine/flow"
	"sluice/engine/usererror"
)

// busy takes every place for trials and replays, and gives what frees them.
func busy(t *testing.T, d *dryrun.Dryruns) []func() {
	t.Helper()
	var leave []func()
	for range dryrun.TrialsMost {
		f, err := d.Reserve(t.Context())
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
		d := dryrun.New(dryrun.Config{Now: time.Now, Zone: time.UTC})
		leave := busy(t, d)
		time.AfterFunc(time.Second, leave[0])
		again, err := d.Reserve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{{ID: "a", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "hello"}}}}
		var ue *usererror.Error
		if _, err := d.Try(t.Context(), f, dryrun.Request{}); !errors.As(err, &ue) || ue.Code != "busy" {
			t.Errorf("a trial without a place: %v", err)
		}
		if _, err := d.Replay(t.Context(), f, 0); !errors.As(err, &ue) || ue.Code != "busy" {
			t.Errorf("a replay without a place: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.Try(gone, f, dryrun.Request{}); !errors.Is(err, context.Canceled) {
			t.Errorf("somebody who does not wait: %v", err)
		}
		again()
		for range 2 * dryrun.TrialsMost { // a trial leaves its place
			if _, err := d.Try(t.Context(), f, dryrun.Request{}); err != nil {
				t.Error(err)
			}
		}
		leave[1]()
	})
}
