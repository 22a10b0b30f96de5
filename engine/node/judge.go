package node

import (
	"context"
	"encoding/json"

	"sluice/engine/agent"
	"sluice/engine/flow"
	"sluice/engine/run"
)

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
	if used != (agent.Usage{}) {
		out.Usage = &run.Usage{Model: used.Model, InputTokens: used.InputTokens, OutputTokens: used.OutputTokens, USD: used.USD}
	}
	for i, v := range verdicts {
		out.Verdicts = append(out.Verdicts, run.Verdict{ID: p.Questions[i].ID, Met: v.Met, Reason: v.Reason})
	}
	return out
}
