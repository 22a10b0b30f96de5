package node

import (
	"context"

	"sluice/engine/expr"
	"sluice/engine/history"
	"sluice/engine/run"
)

// performEmit tells of an event under the act's key.
func performEmit(ctx context.Context, p run.Perform, d Deps) Outcome {
	payload, _ := p.Params["payload"].(map[string]any)
	if d.Emit == nil {
		return failed(p, "EventError", "events cannot be sent from here", true)
	}
	if err := d.Emit(ctx, expr.Text(p.Params["event"]), payload, p.Key); err != nil {
		return Outcome{Error: &history.NodeError{Node: p.Node.ID, Type: "EventError", Message: d.Redactor.Redact(err.Error())}}
	}
	out := history.Output{}
	if len(payload) > 0 {
		var err error
		if out, err = output(expr.Text(payload), payload); err != nil {
			return failed(p, "EventError", err.Error(), true)
		}
	}
	return Outcome{Output: out}
}
