package node

import (
	"context"

	"sluice/engine/expr"
	"sluice/engine/run"
	"sluice/engine/tool"
)

// performSay posts a message into the run's thread.
func performSay(ctx context.Context, p run.Perform, d Deps) Outcome {
	text := expr.Text(p.Params["message"])
	if d.Messenger == nil {
		return Outcome{Output: run.Output{Text: text}}
	}
	_, err := d.Messenger.Post(ctx, tool.Message{Key: p.Key, Channel: d.Run.Channel, Thread: d.Run.Thread, Text: text, Run: d.Run.ID})
	if err != nil {
		return failure(p, d, err)
	}
	return Outcome{Output: run.Output{Text: text}}
}
