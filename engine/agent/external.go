package agent

import (
	"context"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/llm"
)

// External is what an agent works with that is one node of a graph among others: it may hand over to other nodes, and its tool
// calls may be performed by another one.
type External struct {
	Calls   bool       // calls of tools are the answer, and are not performed
	Next    []string   // nodes that it can name as the next one, by the tool router
	End     bool       // it talks with a person, and can say that all is over, by the tool end
	Earlier []Exchange // what was said in earlier steps of the same conversation
	Since   string     // what was said to it after that; data
}

// Exchange is a turn of an earlier step: what the agent said and asked for, and the results or the person's reply.
type Exchange struct {
	Text    string
	Calls   []llm.ToolCall
	Results []Result
	Reply   string
}

// Result is the result of one call.
type Result struct {
	ID, Name string
	Outcome  Outcome
}

const (
	routerTool = "router"
	endTool    = "end"
)

// handing offers the tools that hand over.
func (o *offer) handing(x External) {
	if len(x.Next) > 0 {
		o.tools = append(o.tools, llm.Tool{
			Name: o.add(routerTool, choice{hands: routerTool}), Description: "Names the step that goes on after this one. Call it alone, when your part is done.",
			Params: map[string]any{
				"type": "object", "required": []any{"next_node"},
				"properties": map[string]any{"next_node": map[string]any{"type": "string", "enum": words(x.Next)}},
			},
		})
	}
	if x.End {
		o.tools = append(o.tools, llm.Tool{
			Name: o.add(endTool, choice{hands: endTool}), Description: "Says that the conversation is over. Call it alone.",
			Params: map[string]any{"type": "object", "properties": map[string]any{}},
		})
	}
}

func words(names []string) []any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return list
}

// instructions tell an agent about the ways to hand over.
func (x External) instructions() string {
	var parts []string
	if len(x.Next) > 0 {
		parts = append(parts, "When another step must go on, call the tool router with its name.")
	}
	if x.End {
		parts = append(parts, "You talk with a person: what you answer is what they read, and their reply comes back to you. When everything is settled and the conversation is over, call the tool end.")
	}
	return strings.Join(parts, " ")
}

// messages are those of earlier steps. Every call has an answer, also one that was never performed.
func (x External) messages() []llm.Message {
	var all []llm.Message
	for _, e := range x.Earlier {
		all = append(all, turn{Text: e.Text, Calls: e.Calls}.message())
		for _, c := range e.Calls {
			text := refusal(c.Name, "NotPerformed", "the workflow went on without this call")
			if i := slices.IndexFunc(e.Results, func(r Result) bool { return r.ID == c.ID }); i >= 0 {
				text = told(c.Name, e.Results[i].Outcome)
			}
			all = append(all, llm.Message{Role: llm.RoleTool, CallID: c.ID, Text: text})
		}
		if e.Reply != "" {
			all = append(all, llm.Message{Role: llm.RoleUser, Text: cutText(e.Reply, MaxPrompt)})
		}
	}
	if x.Since != "" {
		all = append(all, llm.Message{Role: llm.RoleUser, Text: data("previous step", x.Since)})
	}
	return all
}

// handsOver reports whether a turn ends the step although it has calls: the agent names the next node or says that the conversation is over, or
// another node performs its calls. Calls of tools count before the name of a next node.
func (r *runner) handsOver(o *offer, t turn) (Answer, bool) {
	answer := Answer{Text: t.Text}
	for _, w := range t.Calls {
		c, known := o.byName[wireName(w.Name)]
		switch {
		case known && c.hands == endTool:
			answer.Next = flow.NextEnd
		case known && c.hands == routerTool:
			params, _ := arguments(w.Arguments)
			answer.Next, _ = params["next_node"].(string)
		default:
			if known && c.tool != "" {
				w.Name = c.tool
			}
			w.Arguments = r.deps.Redactor.Redact(w.Arguments)
			answer.Calls = append(answer.Calls, w)
		}
	}
	switch {
	case len(answer.Calls) == 0:
		return answer, true
	case !r.spec.Calls:
		return Answer{}, false
	}
	answer.Next, answer.Calls = "", answer.Calls[:min(len(answer.Calls), MaxCalls)]
	return answer, true
}

// Perform makes the calls that an agent asked for in an earlier step, one after the other; Spec.Agent says what it may call. Each
// call is an act of the present step, with a number and a key of its own. A call that fails for certain is a result; errors are
// those of Run.
func Perform(ctx context.Context, s Spec, calls []llm.ToolCall, d Deps) ([]Result, error) {
	r := newRunner(s, d)
	o, err := r.offer(s.Agent, 0)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, w := range calls {
		outcome, err := r.call(ctx, o, r.next(), w, []*budget{newBudget(s.Agent.Limits, 0, nil)})
		if err != nil {
			return nil, err
		}
		results = append(results, Result{ID: w.ID, Name: w.Name, Outcome: outcome})
	}
	return results, nil
}

// Question is one question to a model, without a loop around it.
type Question struct {
	Name        string // of the step, for errors
	Model       string // empty = the default
	System      string
	Prompt      string
	Schema      map[string]any // of the answer; nil = text
	Tools       []string       // what the model may ask for; nothing is called
	MaxTokens   int
	Temperature *float64
	Prefix      string
	Gen         int
}

// Ask asks a model once, and once more when its answer does not fit the schema. The model's calls are part of the answer. Errors
// are those of Run.
func Ask(ctx context.Context, q Question, d Deps) (Answer, error) {
	r := newRunner(Spec{
		Agent:    flow.Agent{ID: q.Name, Model: q.Model, Tools: q.Tools, Output: q.Schema},
		External: External{Calls: true}, Prefix: q.Prefix, Gen: q.Gen,
	}, d)
	r.request = func(req *llm.Request) {
		req.System = r.deps.Redactor.Redact(strings.TrimSpace(q.System + "\n\n" + schemaWords(q.Schema)))
		req.Messages = []llm.Message{{Role: llm.RoleUser, Text: cutText(r.deps.Redactor.Redact(q.Prompt), MaxPrompt)}}
		req.MaxTokens, req.Temperature = q.MaxTokens, q.Temperature
	}
	return r.answer(ctx)
}
