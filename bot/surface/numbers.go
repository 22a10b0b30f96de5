package surface

import (
	"context"

	"sluice/bot/draft"
	"sluice/engine/flow"
	"sluice/engine/planner/readback"
)

// Numbers are the numbers of the steps of an approved flow, by node: those of the draft that people approved. A revision without a draft
// is counted.
func (cs *Cards) Numbers(ctx context.Context, f *flow.Flow, revision int) (map[string]string, error) {
	d, ok, err := draft.OfVersion(ctx, cs.Engine.Store(), f.Name, revision)
	if err != nil {
		return nil, err
	}
	if ok {
		body, _, err := draft.Decode(d)
		if err != nil || len(body.Numbers) > 0 {
			return body.Numbers, err
		}
	}
	return readback.Numbers(f), nil
}
