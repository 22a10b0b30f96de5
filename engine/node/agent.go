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
	"sluice/engine/flow/validate"
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
		te, _ := errors.AsType[*tool.Error](err)
		if te == nil {
			te = &tool.Error{Type: "TemplateError", Message: err.Error()}
		}
		return failed(p, te.Type, te.Message, true)
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
	out := answered(ctx, p, d, ans, err)
	if err == nil && out.Error == nil {
		out.Output.Pending, out.Output.Next, out.Output.Meta = len(out.Output.Calls) > 0, ans.Next, nil
	}
	return out
}

// told gives the agents of the flow with what they are told in this step, and with the agents of the nodes that they may call.
func told(d Deps, p run.Perform) ([]flow.Agent, error) {
	if len(p.Node.Subagents) > 0 {
		if bad := validate.Subagents(d.Flow); bad.HasErrors() {
			return nil, &tool.Error{Type: "SubagentError", Message: bad[0].Message + ": " + bad[0].Hint}
		}
	}
	all := slices.Clone(d.Flow.Agents)
	callNodes(d.Flow, p.Node, all)
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

// callNodes adds to the agent of a node those of the nodes that it may call, and so on. The nodes are a valid tree.
func callNodes(f *flow.Flow, n *flow.Node, all []flow.Agent) {
	caller := n.Spec.(*flow.AgentSpec).Agent
	i := slices.IndexFunc(all, func(a flow.Agent) bool { return a.ID == caller })
	for _, id := range n.Subagents {
		sub := f.Node(id)
		if called := sub.Spec.(*flow.AgentSpec).Agent; i >= 0 && !slices.Contains(all[i].Subagents, called) {
			all[i].Subagents = append(slices.Clone(all[i].Subagents), called)
		}
		callNodes(f, sub, all)
	}
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
