package prune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sluice/engine/run"
	"sluice/storage"
)

// Trail is who decided what in a run.
type Trail struct {
	Run     storage.Run // of a removed one only what its trail needs
	Removed bool
	Facts   []run.Fact // without values
}

// TrailOf gives the trail of a run by its id or its short name, whether it is there or was removed: the same facts in the same words.
// storage.ErrNotFound: there never was one.
func TrailOf(ctx context.Context, store storage.Store, name string) (Trail, error) {
	var t Trail
	for _, find := range []struct {
		load    func(context.Context, string) (storage.Run, error)
		removed bool
	}{{store.RunByName, false}, {store.Run, false}, {store.RemovedRunByName, true}, {store.RemovedRun, true}} {
		r, err := find.load(ctx, name)
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		t.Run, t.Removed = r, find.removed
		if err == nil {
			t.Facts, err = factsOf(ctx, store, r.ID, find.removed)
		}
		return t, err
	}
	return t, fmt.Errorf("find the trail of run %s: %w", name, storage.ErrNotFound)
}

func factsOf(ctx context.Context, store storage.Store, id string, removed bool) ([]run.Fact, error) {
	var stored []storage.Fact
	var err error
	if removed {
		stored, err = store.Trail(ctx, id)
	} else if stored, err = store.Facts(ctx, id, 0, kindNames()...); err == nil {
		stored, err = keep(stored)
	}
	if err != nil {
		return nil, err
	}
	facts := make([]run.Fact, len(stored))
	for i, s := range stored {
		head := run.Fact{Seq: s.Seq, Kind: run.FactKind(s.Kind), Version: s.Version, At: s.At, Token: s.Token, Node: s.Node, Step: s.Step}
		if facts[i], err = run.DecodeFact(head, s.Actor, s.Body); err != nil {
			return nil, err
		}
	}
	return facts, nil
}

func kindNames() []string {
	var names []string
	for _, k := range run.TrailKinds() {
		names = append(names, string(k))
	}
	return names
}

// keep gives what stays of stored facts.
func keep(stored []storage.Fact) ([]storage.Fact, error) {
	var kept []storage.Fact
	for _, f := range stored {
		var actor run.Actor
		if len(f.Actor) > 0 {
			if err := json.Unmarshal(f.Actor, &actor); err != nil {
				return nil, fmt.Errorf("read the actor of fact %d: %w", f.Seq, err)
			}
		}
		body, ok, err := run.Trail(run.FactKind(f.Kind), actor, f.Body)
		if err != nil {
			return nil, fmt.Errorf("keep fact %d: %w", f.Seq, err)
		}
		if ok {
			f.Body = body
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// gatesOf lists the numbers of the gates that a run opened.
func gatesOf(kept []storage.Fact) ([]int, error) {
	var gates []int
	for _, f := range kept {
		if f.Kind != string(new(run.GateOpened).FactKind()) {
			continue
		}
		var g struct {
			Gate int `json:"gate"`
		}
		if err := json.Unmarshal(f.Body, &g); err != nil {
			return nil, fmt.Errorf("read the gate of fact %d: %w", f.Seq, err)
		}
		gates = append(gates, g.Gate)
	}
	return gates, nil
}
