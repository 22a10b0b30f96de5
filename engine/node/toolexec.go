package node

import (
	"context"
	"encoding/json"
	"slices"

	"sluice/engine/agent"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/llm"
	"sluice/engine/run"
	"sluice/engine/run/talk"
)

// callResult is what became of one call, in the output of a toolexec step.
type callResult struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Success bool            `json:"success"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *callError      `json:"error,omitempty"`
}

type callError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// callResults is the output of a toolexec step.
type callResults struct {
	Results []callResult `json:"results"`
	Success bool         `json:"success"` // of all
}

// performCalls makes the calls that an agent asked for, or that the flow lists. A call that fails for certain is a result.
func performCalls(ctx context.Context, p run.Perform, d Deps) Outcome {
	calls := make([]llm.ToolCall, len(p.Asked))
	for i, c := range p.Asked {
		calls[i] = llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
	}
	done, err := agent.Perform(ctx, agent.Spec{Agent: caller(p, d.Flow), All: d.Flow.Agents, Goal: d.Flow.Description, Prefix: p.Prefix, Gen: p.Gen}, calls, agentDeps(p, d))
	if err != nil {
		return agentFailure(ctx, p, d, err)
	}
	all := callResults{Results: []callResult{}, Success: true}
	for _, r := range done {
		one := callResult{ID: r.ID, Name: r.Name, Success: r.Outcome.ErrType == "", Result: r.Outcome.Result}
		if !one.Success {
			one.Result, one.Error, all.Success = nil, &callError{r.Outcome.ErrType, r.Outcome.ErrMessage}, false
		}
		all.Results = append(all.Results, one)
	}
	body, err := json.Marshal(all)
	if err != nil {
		return failed(p, "ResultError", err.Error(), true)
	}
	out := history.Output{Data: body}
	if len(calls) > 0 {
		out.Tool = calls[len(calls)-1].Name
	}
	return Outcome{Output: out}
}

// caller is the agent in whose name calls are made: the one that asked for them, as far as the node lets it, else one with the
// tools that the node lists.
func caller(p run.Perform, f *flow.Flow) flow.Agent {
	spec := p.Node.Spec.(*flow.ToolexecSpec)
	a := f.AgentByID(p.Caller)
	if a == nil {
		return flow.Agent{ID: p.Node.ID, Tools: spec.Tools}
	}
	own := *a
	if len(spec.Tools) > 0 {
		own.Tools = slices.DeleteFunc(slices.Clone(own.Tools), func(name string) bool { return !slices.Contains(spec.Tools, name) })
	}
	return own
}

// earlier is the conversation of an agent's earlier steps. Where a person gave a value instead of results, it is the result of
// every call.
func earlier(turns []talk.Turn) []agent.Exchange {
	var all []agent.Exchange
	for _, t := range turns {
		e := agent.Exchange{Text: t.Said.Text}
		if len(t.Said.Calls) == 0 {
			e.Reply = t.Results.Text
			all = append(all, e)
			continue
		}
		var given callResults
		known := json.Unmarshal(t.Results.Data, &given) == nil && len(given.Results) > 0
		for _, c := range t.Said.Calls {
			e.Calls = append(e.Calls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
			if !known && len(t.Results.Data) > 0 {
				e.Results = append(e.Results, agent.Result{ID: c.ID, Outcome: agent.Outcome{Result: t.Results.Data}})
			}
		}
		for _, r := range given.Results {
			o := agent.Outcome{Result: r.Result}
			if r.Error != nil {
				o.ErrType, o.ErrMessage = r.Error.Type, r.Error.Message
			}
			e.Results = append(e.Results, agent.Result{ID: r.ID, Outcome: o})
		}
		all = append(all, e)
	}
	return all
}

// external says how an agent works with the nodes around it.
func external(p run.Perform, f *flow.Flow) agent.External {
	spec := p.Node.Spec.(*flow.AgentSpec)
	x := agent.External{Calls: spec.ToolMode == flow.ToolsExternal, End: f.Rules.Conversational, Earlier: earlier(p.Talk), Since: p.Since}
	for _, r := range p.Node.Routes {
		to := f.Node(r.To)
		if r.If == flow.IfNext && (to == nil || to.Kind != flow.KindToolexec) && !slices.Contains(x.Next, r.When) {
			x.Next = append(x.Next, r.When)
		}
	}
	return x
}
