package gates

import (
	"context"
	"encoding/json"

	"sluice/bot/form"
	"sluice/engine/history"
	"sluice/storage"
)

// gives is the schema of what the step of a question gives, for a choice that takes its value from a person; nil = none is known. An act inside an
// agent's step gives something else.
func (gs *Gates) gives(ctx context.Context, g storage.Gate) (map[string]any, error) {
	if g.Kind != string(history.GateFailure) && g.Kind != string(history.GateUnknown) {
		return nil, nil
	}
	v, err := gs.Engine.View(ctx, g.Run)
	if err != nil {
		return nil, err
	}
	n := v.Flow.Node(g.Node)
	if n == nil || g.Kind == string(history.GateUnknown) && n.Result().Agent != "" {
		return nil, nil
	}
	return v.Flow.Gives(g.Node, func(name string) map[string]any {
		t, _ := gs.Tools.Lookup(name)
		return t.Result
	}), nil
}

// valueOf reads what a person gives in the place of a step.
func valueOf(schema map[string]any, entered map[string]string) (json.RawMessage, error) {
	value, wrong := form.Given(schema, entered)
	if len(wrong) == 0 {
		return value, nil
	}
	asked := form.Giving(form.Form{Fields: []form.Field{{Name: form.FieldValue}}}, schema)
	return nil, form.Wrong("bad_answer", asked.Fields, wrong)
}
