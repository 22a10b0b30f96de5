package engine

import (
	"context"

	"sluice/engine/flow"
	"sluice/storage"
)

// CheckValues says whether a run that a trigger starts gets inputs that fit, before its start is promised. *UserError: it does not.
func (e *Engine) CheckValues(ctx context.Context, t storage.Trigger, values map[string]any) error {
	c, err := e.compiled(ctx, t.Flow, 0)
	if err != nil {
		return flowError(t.Flow, err)
	}
	_, err = CoerceInputs(c.flow, named(c.flow, values))
	return err
}

// named leaves those values out that no input is called like.
func named(f *flow.Flow, values map[string]any) map[string]any {
	out := map[string]any{}
	for _, in := range f.Inputs {
		if v, ok := values[in.Name]; ok {
			out[in.Name] = v
		}
	}
	return out
}
