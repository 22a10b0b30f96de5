package node

import (
	"context"
	"encoding/json"

	"sluice/engine/agent"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/run"
)

// Usage is what a model used, as facts keep it; nil = nothing.
func Usage(u llm.Usage) *history.Usage {
	if u.Tokens() == 0 {
		return nil
	}
	return &history.Usage{Model: u.Model, InputTokens: u.Input, OutputTokens: u.Output, USD: u.USD, Priced: u.Priced}
}

// judge lets the model answer questions about a step that has finished. Nothing outside changes by it, so that it needs no journal:
// after a crash it is asked again.
func judge(ctx context.Context, p run.Perform, d Deps) Outcome {
	if d.Model == nil {
		return failed(p, "ModelError", "there is no model to judge with", true)
	}
	c := agent.Case{Goal: d.Flow.Description, Step: p.Node.DisplayName(), Result: p.Output.Text}
	if p.Node.Description != "" {
		c.Step += ": " + p.Node.Description
	}
	if len(p.Output.Data) > 0 {
		c.Result = json.RawMessage(p.Output.Data)
	}
	if spec, ok := p.Node.Spec.(*flow.AgentSpec); ok {
		if a := d.Flow.AgentByID(spec.Agent); a != nil {
			c.Model = a.Model
		}
	}
	for _, q := range p.Questions {
		c.Questions = append(c.Questions, q.Text)
	}
	verdicts, used, err := agent.Judge(ctx, c, d.Model, d.Redactor)
	var out Outcome
	if err != nil {
		out = failure(p, d, err)
	}
	out.Usage = Usage(used)
	for i, v := range verdicts {
		out.Verdicts = append(out.Verdicts, history.Verdict{ID: p.Questions[i].ID, Met: v.Met, Reason: v.Reason})
	}
	return out
}
