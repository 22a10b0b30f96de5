package engine

import (
	"context"

	"sluice/engine/coerce"
	"sluice/engine/usererror"
	"sluice/storage"
)

// CheckValues checks the inputs of a run that a trigger starts, before its start is accepted. *UserError: they do not fit.
func (e *Engine) CheckValues(ctx context.Context, t storage.Trigger, values map[string]any) error {
	c, err := e.revisions.Load(ctx, t.Flow, 0)
	if err != nil {
		return usererror.Flow(t.Flow, err)
	}
	_, err = coerce.Inputs(c.Flow, coerce.Named(c.Flow, values))
	return err
}
