package node

import (
	"context"
	"fmt"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/tool"
)

// performTool calls the node's tool once, without a model.
func performTool(ctx context.Context, p run.Perform, d Deps) Outcome {
	spec := p.Node.Spec.(*flow.ToolSpec)
	t, ok := d.Tools.Lookup(spec.Tool)
	if !ok {
		return failed(p, "UnknownToolError", fmt.Sprintf("the tool %s is not installed any more", spec.Tool), true)
	}
	switch {
	case t.Policy == tool.Deny:
		return failed(p, history.ErrorPolicy, run.Denied(t.Name), true)
	case t.Policy == tool.Ask && p.Permit == nil: // since the step was started
		return failed(p, history.ErrorPolicy, fmt.Sprintf("the tool %s asks before each call since a moment ago: try again", t.Name), false)
	}
	call := tool.Call{
		Tool: t.Name, Params: p.Params, Key: p.Key, Node: p.Node.ID, Flow: d.Flow.Name,
		Run: d.Run.ID, RunName: d.Run.Name, Channel: d.Run.Channel, Thread: d.Run.Thread, By: d.Run.By,
	}
	params, err := unseal(ctx, p.Params, d, tool.UseOf(t, call))
	if err != nil {
		return failed(p, "SecretError", err.Error(), true)
	}
	call.Params = params
	if d.Queue && t.Message != nil {
		return queue(p, d, t.Message(call), true)
	}
	res, err := t.Call(ctx, call)
	if err != nil {
		return failure(p, d, err)
	}
	data := d.Redactor.RedactValue(res.Data)
	text := res.Text
	if text == "" {
		text = expr.Text(data)
	}
	out, err := output(d.Redactor.Redact(strings.TrimSpace(text)), data)
	if err != nil {
		return failed(p, "ResultError", err.Error(), true)
	}
	return Outcome{Output: out}
}
