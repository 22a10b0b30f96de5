package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sluice/engine/history"
	"sluice/storage"
)

// Trail is who decided what in a run.
type Trail struct {
	Run     storage.Run // of a removed one only what its trail needs
	Removed bool
	Facts   []history.Fact // without values
}

// TrailOf gives the trail of a run by its id or its short name: of a run that is there what would stay of it. storage.ErrNotFound: there
// never was one.
func TrailOf(ctx context.Context, store storage.Store, name string) (t Trail, err error) {
	for _, find := range []struct {
		load    func(context.Context, string) (storage.Run, error)
		removed bool
	}{{store.RunByName, false}, {store.Run, false}, {store.RemovedRunByName, true}, {store.RemovedRun, true}} {
		t.Run, err = find.load(ctx, name)
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		if t.Removed = find.removed; err == nil {
			t.Facts, err = trail(ctx, store, t)
		}
		return t, err
	}
	return t, fmt.Errorf("find the trail of run %s: %w", name, storage.ErrNotFound)
}

func trail(ctx context.Context, store storage.Store, t Trail) (facts []history.Fact, err error) {
	load := func(ctx context.Context, id string) ([]storage.Fact, error) { return store.Facts(ctx, id, 0) }
	if t.Removed {
		load = store.Trail
	}
	stored, err := load(ctx, t.Run.ID)
	for _, s := range stored {
		var actor history.Actor
		stays := true
		if !t.Removed {
			if len(s.Actor) > 0 {
				err = json.Unmarshal(s.Actor, &actor)
			}
			if err == nil {
				s.Body, stays, err = history.Trail(history.FactKind(s.Kind), actor, s.Body)
			}
		}
		if err != nil {
			return nil, err
		}
		if !stays {
			continue
		}
		head := history.Fact{Seq: s.Seq, Kind: history.FactKind(s.Kind), Version: s.Version, At: s.At, Token: s.Token, Node: s.Node, Step: s.Step}
		f, err := history.DecodeFact(head, s.Actor, s.Body)
		if err != nil {
			return nil, err
		}
		facts = append(facts, f)
	}
	return facts, err
}
