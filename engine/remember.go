package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"sluice/engine/compiled"
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/history/stored"
	"sluice/storage"
)

const (
	rememberedRuns = 50       // of a flow are looked at, the latest ones
	rememberedMost = 64 << 10 // bytes that a run begins with
)

// remembered gathers what the latest runs of a flow that are over have noted: the lists of each name, earlier runs first. What is more than a run
// may begin with is left out, the oldest first. Nothing else is stored for it: what is removed with its run is not remembered any more. The people
// whose runs they are come with them: who is forgotten is so in the runs that were given a copy, too.
func (e *Engine) remembered(ctx context.Context, c *compiled.Revision) (map[string]any, error) {
	if !c.Flow.Rules.Remembers {
		return nil, nil
	}
	rows, err := e.cfg.Store.Runs(ctx, storage.RunQuery{Flow: c.Flow.Name, Limit: rememberedRuns})
	if err != nil {
		return nil, err
	}
	all, size := map[string]any{}, 0
	for _, row := range rows {
		if !history.Status(row.Status).Final() {
			continue
		}
		notes, err := e.notes(ctx, row.ID)
		if errors.Is(err, storage.ErrNotFound) { // it was removed since
			continue
		} else if err != nil {
			return nil, err
		}
		if size += len(expr.JSON(notes)); size > rememberedMost {
			break
		}
		if by, _ := all[flow.RememberedBy].([]any); len(notes) > 0 && !slices.Contains(by, any(row.By)) {
			all[flow.RememberedBy] = append(by, row.By)
		}
		for name, v := range notes {
			list, isList := v.([]any)
			if before, _ := all[name].([]any); isList {
				all[name] = slices.Concat(list, before)
			}
		}
	}
	return all, nil
}

// notes gives the variables of a run in which its flow notes things.
func (e *Engine) notes(ctx context.Context, id string) (map[string]any, error) {
	row, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		return nil, err
	}
	notes := map[string]any{}
	for name, v := range st.Vars {
		if strings.HasPrefix(name, flow.NotesPrefix) {
			notes[name] = v
		}
	}
	for name, seq := range st.Large {
		if !strings.HasPrefix(name, flow.NotesPrefix) {
			continue
		}
		facts, err := stored.BySeq(ctx, e.cfg.Store, id, seq)
		if err != nil {
			return nil, err
		}
		for _, f := range facts {
			if b, ok := f.Body.(*history.VarsSet); ok {
				notes[name] = b.Vars[name]
			}
		}
	}
	return notes, nil
}
