package node

import (
	"context"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/scope"
	"sluice/engine/tool"
)

// performSay posts a message into the run's thread, or says what is to be delivered there.
func performSay(ctx context.Context, p run.Perform, d Deps) Outcome {
	text := expr.Text(p.Params["message"])
	m := tool.Message{Key: p.Key, Channel: d.Run.Channel, Thread: d.Run.Thread, Text: text, Run: d.Run.ID, Own: true}
	switch {
	case d.Queue:
		return queue(p, d, m, false)
	case d.Messenger == nil:
		return Outcome{Output: history.Output{Text: text}}
	}
	if _, err := d.Messenger.Post(ctx, m); err != nil {
		return failure(p, d, err)
	}
	return Outcome{Output: history.Output{Text: text}}
}

// queue is the outcome of a step whose message is delivered later. An attempt that was interrupted, one before it, or the run that this one
// was forked from may have posted it.
func queue(p run.Perform, d Deps, m tool.Message, result bool) Outcome {
	text, model := d.Redactor.Redact(m.Text), scope.ByModel(p.Written, m.Text)
	if text != m.Text {
		model = nil // the words are elsewhere now
	}
	return Outcome{Message: &run.Message{
		Channel: m.Channel, Thread: m.Thread, Text: text, Model: model, Key: p.Key, Own: m.Own, Result: result,
		Seek: p.Attempt > 1 || p.Resumed || !strings.HasPrefix(p.Key, d.Run.ID+"/"),
	}}
}
