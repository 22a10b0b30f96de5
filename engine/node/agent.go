package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/agent"
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/registry"
	"sluice/engine/run"
	"sluice/engine/tool"
)

// performAgent lets a declared agent answer once. Its turns and calls are journalled, so that a crash resumes after the last
// finished one; their usage is in those facts. Without a model the step is offered to a person.
func performAgent(ctx context.Context, p run.Perform, d Deps) Outcome {
	spec := p.Node.Spec.(*flow.AgentSpec)
	a := d.Flow.AgentByID(spec.Agent)
	if a == nil {
		return failed(p, "UnknownAgentError", fmt.Sprintf("the flow declares no agent %s", spec.Agent), true)
	}
	all, err := told(d, p)
	if err != nil {
		return failed(p, "TemplateError", err.Error(), true)
	}
	own := all[slices.IndexFunc(all, func(o flow.Agent) bool { return o.ID == a.ID })]
	if d.Model == nil || p.ByHand {
		return Outcome{Offer: offer(own, p)}
	}
	own.Limits.Turns = cmp.Or(own.Limits.Turns, d.Flow.Rules.ToolTurns)
	ans, err := agent.Run(ctx, agent.Spec{
		Agent: own, All: all, Input: p.Params, Previous: p.Input, Goal: d.Flow.Description, Prefix: p.Prefix, Gen: p.Gen,
		Granted: p.Granted, Hints: d.Flow.Profile != flow.ProfileNative,
		External: external(p, d.Flow),
	}, agentDeps(p, d))
	if err != nil {
		return agentFailure(ctx, p, d, err)
	}
	out, err := answerOutput(d, ans)
	if err != nil {
		return failed(p, "ResultError", err.Error(), true)
	}
	out.Pending, out.Next, out.Meta = len(out.Calls) > 0, ans.Next, nil
	return Outcome{Output: out}
}

// told gives the agents of the flow with what they are told in this step.
func told(d Deps, p run.Perform) ([]flow.Agent, error) {
	all := slices.Clone(d.Flow.Agents)
	for i, a := range all {
		words, err := registry.Instructions(a, registry.Reading{
			Input: p.Params, Previous: p.Input, Run: map[string]any{"name": d.Run.Name, "title": d.Run.Title, "started_by": d.Run.By},
		})
		if err != nil {
			return nil, err
		}
		all[i].Instructions = words
	}
	return all, nil
}

// agentFailure turns the error of a conversation into the machine's. One that no tool or model made is the journal's.
func agentFailure(ctx context.Context, p run.Perform, d Deps, err error) Outcome {
	if asks, ok := errors.AsType[*agent.AskError](err); ok {
		return Outcome{Asked: &history.CallAsked{Number: asks.Number, Tool: asks.Tool, Args: asks.Args, Digest: asks.Digest}}
	}
	var te *tool.Error
	if !errors.As(err, &te) && ctx.Err() == nil {
		return failed(p, "JournalError", d.Redactor.Redact(err.Error()), false)
	}
	o := failure(p, d, err)
	if away, ok := errors.AsType[*llm.Error](err); ok {
		o.Error.Away, o.Error.After = away.Away, away.RetryAfter
	}
	if o.Error.Type == history.ErrorLimit {
		o.Error.Limit = history.LimitAgent
	}
	return o
}

// offer is the question that a person answers in the agent's place: the same instructions, and what the agent would have read.
func offer(a flow.Agent, p run.Perform) *run.Offer {
	message, fields := agent.Form(a)
	var given []string
	for _, name := range sortedKeys(p.Params) {
		given = append(given, fmt.Sprintf("%s: %s", name, expr.Text(p.Params[name])))
	}
	if len(given) == 0 && p.Input != "" {
		given = append(given, p.Input)
	}
	if len(given) > 0 {
		message += "\n\n" + strings.Join(given, "\n")
	}
	return &run.Offer{Message: message, Form: fields}
}
