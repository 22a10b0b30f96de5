package engine

import (
	"context"

	"sluice/engine/flow"
	"sluice/storage"
)

// CheckValues checks the inputs of a run that a trigger starts, before its start is accepted. *UserError: they do not fit.
func (e *Engine) CheckValues(ctx context.Context, t storage.Trigger, values map[string]any) error {
	c, err := e.compiled(ctx, t.Flow, 0)
	if err != nil {
		return flowError(t.Flow, err)
	}
	_, err = CoerceInputs(c.flow, named(c.flow, values))
	return err
}

// named keeps the values whose names are inputs of the flow.
func named(f *flow.Flow, values map[string]any) map[string]any {
	out := map[string]any{}
	for _, in := range f.Inputs {
		if v, ok := values[in.Name]; ok {
			out[in.Name] = v
		}
	}
	return out
}
