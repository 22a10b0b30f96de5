package engine

import (
	"context"
	"fmt"

	"sluice/engine/run"
)

// gather makes the output of a foreach out of its items' results, which are facts of their own. Outputs that are read on the
// way stay in the run's cache; a foreach inside a foreach is gathered on the way too.
func (e *Engine) gather(ctx context.Context, l *live, items run.Items) (run.Output, error) {
	stored, err := e.cfg.Store.Facts(ctx, l.id, items.After, string(run.KindItemEnded))
	if err != nil {
		return run.Output{}, fmt.Errorf("list the results of a foreach: %w", err)
	}
	ended := make([]run.Fact, len(stored))
	for i, sf := range stored {
		if ended[i], err = decodeFact(sf); err != nil {
			return run.Output{}, err
		}
	}
	var unread []int64
	for _, seq := range items.Needs(ended) {
		if _, known := l.outputs[seq]; !known {
			unread = append(unread, seq)
		}
	}
	if len(unread) > 0 {
		if err := e.read(ctx, l, unread); err != nil {
			return run.Output{}, err
		}
	}
	return items.Gather(ended, l.outputs), nil
}
