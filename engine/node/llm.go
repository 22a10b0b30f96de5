package node

import (
	"context"
	"strings"

	"sluice/engine/agent"
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/tool"
)

// performLLM asks a model once. The turn is journalled, so that a crash does not ask again. Without a model the question is
// offered to a person.
func performLLM(ctx context.Context, p run.Perform, d Deps) Outcome {
	spec := p.Node.Spec.(*flow.LLMSpec)
	text := func(name string) string { return expr.Text(p.Params[name]) }
	if d.Model == nil || p.ByHand {
		instructions := strings.TrimSpace(text("system") + "\n" + text("prompt"))
		return Outcome{Offer: offer(flow.Agent{ID: p.Node.DisplayName(), Instructions: instructions, Output: spec.Schema}, run.Perform{})}
	}
	ans, err := agent.Ask(ctx, agent.Question{
		Name: p.Node.ID, Model: text("model"), System: text("system"), Prompt: text("prompt"), Schema: spec.Schema, Tools: spec.Tools,
		MaxTokens: spec.MaxTokens, Temperature: spec.Temperature, Prefix: p.Prefix, Gen: p.Gen,
	}, agentDeps(p, d))
	return answered(ctx, p, d, ans, err)
}

// answered is the outcome of a step that has asked a model.
func answered(ctx context.Context, p run.Perform, d Deps, ans agent.Answer, err error) Outcome {
	if err != nil {
		return agentFailure(ctx, p, d, err)
	}
	out, err := answerOutput(d, ans)
	if err != nil {
		return failed(p, "ResultError", err.Error(), true)
	}
	return Outcome{Output: out}
}

// agentDeps are what a conversation with a model works with.
func agentDeps(p run.Perform, d Deps) agent.Deps {
	var permit agent.Permit
	var edited func(map[string]any) map[string]any
	if y := p.Permit; y != nil && y.Attempt == p.Attempt && y.Gen == p.Gen {
		permit = agent.Permit{Number: y.Number, Digest: y.Digest}
		if len(y.Edits) > 0 {
			edited = func(args map[string]any) map[string]any { return history.Edited(args, y.Edits) }
		}
	}
	return agent.Deps{
		Permit: permit, Edited: edited, Model: d.Model, Tools: d.Tools, Journal: d.Journal, Redactor: d.Redactor,
		Call: tool.Call{
			Run: d.Run.ID, RunName: d.Run.Name, Flow: d.Flow.Name, Node: p.Node.ID, Channel: d.Run.Channel, Thread: d.Run.Thread, By: d.Run.By,
		},
	}
}

// answerOutput is a model's answer as the output of its step.
func answerOutput(d Deps, ans agent.Answer) (history.Output, error) {
	out, err := output(d.Redactor.Redact(ans.Text), d.Redactor.RedactValue(ans.Data))
	if err != nil {
		return out, err
	}
	for _, c := range ans.Calls {
		out.Calls = append(out.Calls, history.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	if len(out.Calls) > 0 {
		out.Tool = out.Calls[0].Name
	}
	out.Model = true
	if ans.Usage.Model != "" {
		out.Meta = map[string]any{"model": ans.Usage.Model}
	}
	return out, nil
}
