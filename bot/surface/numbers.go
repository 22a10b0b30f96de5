package surface

import (
	"context"
	"errors"

	"sluice/bot/draft"
	"sluice/engine/flow"
	"sluice/engine/planner/readback"
	"sluice/storage"
)

// Numbers are the numbers of the steps of an approved flow, by node: those of the draft that people approved. A revision without a draft
// is counted.
func (cs *Cards) Numbers(ctx context.Context, f *flow.Flow, revision int) (map[string]string, error) {
	rev, err := cs.Engine.Store().Revision(ctx, f.Name, revision)
	if err == nil && rev.Draft != "" {
		var d storage.Draft
		if d, err = cs.Engine.Store().Draft(ctx, rev.Draft); err == nil {
			body, _, err := draft.Decode(d)
			if err != nil || len(body.Numbers) > 0 {
				return body.Numbers, err
			}
		}
	}
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return nil, err
	}
	return readback.Numbers(f), nil
}
