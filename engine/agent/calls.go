package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sluice/engine/flow"
	"sluice/engine/llm"
	"sluice/engine/tool"
)

// calls performs what the model wants in one turn, in its order, and gives the answers to it.
func (r *runner) calls(ctx context.Context, o *offer, wanted []llm.ToolCall, ancestors []*budget) ([]llm.Message, error) {
	var answers []llm.Message
	for i, w := range wanted {
		n := r.next()
		outcome := refused("LimitError", "not performed: at most %d calls in one turn", MaxCalls)
		if i < MaxCalls {
			var err error
			if outcome, err = r.call(ctx, o, n, w, ancestors); err != nil {
				return nil, err
			}
		}
		answers = append(answers, llm.Message{Role: llm.RoleTool, CallID: w.ID, Text: told(w.Name, outcome)})
	}
	return answers, nil
}

// refused is the outcome of a call that was not made.
func refused(kind, format string, args ...any) Outcome {
	return Outcome{ErrType: kind, ErrMessage: fmt.Sprintf(format, args...)}
}

// call performs one call and gives its outcome. An error ends the agent.
func (r *runner) call(ctx context.Context, o *offer, n int, w llm.ToolCall, ancestors []*budget) (Outcome, error) {
	c, known := o.byName[wireName(w.Name)]
	if known && c.agent != nil {
		return r.subagent(ctx, *c.agent, w, ancestors)
	}
	done, ok, err := r.deps.Journal.Done(ctx, n)
	switch {
	case err != nil:
		return Outcome{}, err
	case ok:
		return done, nil
	case !known:
		return refused("UnknownToolError", "there is no such tool; you can call: %s", o.names()), nil
	case c.hands != "":
		return refused("ParameterError", "call %s alone, when nothing else is left to call", c.hands), nil
	}
	params, err := arguments(w.Arguments)
	if err != nil {
		return refused("ParameterError", "%v", err), nil
	}
	t, ok := r.deps.Tools.Lookup(c.tool)
	switch {
	case !ok:
		return refused("UnknownToolError", "the tool was removed"), nil
	case t.Policy == tool.Deny:
		return refused("PolicyError", "the policy of the tool %s is deny: the operator lets nothing call it", t.Name), nil
	}
	args, edited, err := r.permitted(n, t, params)
	if err != nil {
		return Outcome{}, err
	}
	return r.perform(ctx, n, t, args, edited)
}

// permitted gives the arguments with which a call may be made. The person who has permitted it may have set some of them.
func (r *runner) permitted(n int, t tool.Tool, params map[string]any) (args map[string]any, edited bool, err error) {
	plain, err := json.Marshal(params)
	if err != nil {
		return nil, false, fmt.Errorf("read the arguments of %s: %w", t.Name, err)
	}
	sum := sha256.Sum256(plain)
	want := Permit{Number: n, Digest: hex.EncodeToString(sum[:])}
	switch {
	case r.deps.Permit == want && r.deps.Edited != nil: // whatever the policy is by now
		return r.deps.Edited(params), true, nil
	case r.deps.Permit == want || t.Policy != tool.Ask:
		return params, false, nil
	}
	shown, err := json.Marshal(r.deps.Redactor.RedactValue(params))
	if err != nil {
		return nil, false, fmt.Errorf("show the arguments of %s: %w", t.Name, err)
	}
	return nil, false, &AskError{Permit: want, Tool: t.Name, Args: shown}
}

// perform makes one act: intent, call, outcome. An error ends the agent and leaves the act open. The model is told when a person has set
// arguments, because the result is then not that of the call that it asked for.
func (r *runner) perform(ctx context.Context, n int, t tool.Tool, params map[string]any, edited bool) (Outcome, error) {
	effects := tool.Effects(t, "")
	args, err := json.Marshal(r.deps.Redactor.RedactValue(params))
	if err != nil {
		return Outcome{}, fmt.Errorf("keep the arguments of %s: %w", t.Name, err)
	}
	c := r.deps.Call
	c.Tool, c.Params, c.Key, c.ByModel = t.Name, params, r.key(n), !edited
	if err := r.atEnd(ctx, n); err != nil {
		return Outcome{}, err
	}
	if err := r.deps.Journal.Intent(ctx, n, t.Name, c.Key, effects, args); err != nil {
		return Outcome{}, err
	}
	res, err := r.repeat(ctx, t, c, effects)
	if err == nil {
		o := Outcome{Result: r.kept(res)}
		if edited {
			o.Result = plain(map[string]any{"result": o.Result, "called_with": json.RawMessage(args), "note": "A person has changed the arguments before the call."})
		}
		return o, r.deps.Journal.Outcome(ctx, n, o)
	}
	e := asToolError(err)
	switch {
	case e.Unknown && effects != flow.EffectsRead:
		return Outcome{}, r.unknown(t, e, effects)
	case ctx.Err() != nil:
		return Outcome{}, fmt.Errorf("the call of %s was stopped: %w", t.Name, ctx.Err())
	}
	o := Outcome{ErrType: e.Type, ErrMessage: r.deps.Redactor.Redact(e.Message)}
	return o, r.deps.Journal.Outcome(ctx, n, o)
}

const idempotentTries = 3

// repeat calls a tool. A call that may have taken effect is made again under its key if the tool honours that.
func (r *runner) repeat(ctx context.Context, t tool.Tool, c tool.Call, effects flow.Effects) (tool.Result, error) {
	pause := r.deps.Pause
	for try := 1; ; try++ {
		res, err := t.Call(ctx, c)
		if err == nil || effects != flow.EffectsIdempotent || try >= idempotentTries || !asToolError(err).Unknown {
			return res, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return res, err
		case <-timer.C:
		}
		pause *= 2
	}
}

// unknown is the error of an act that may have taken effect. A person decides about a once act; another try of the step
// repeats an idempotent one under its key.
func (r *runner) unknown(t tool.Tool, e *tool.Error, effects flow.Effects) error {
	return &tool.Error{
		Type: e.Type, Message: r.deps.Redactor.Redact(fmt.Sprintf("%s may have taken effect: %s", t.Name, e.Message)),
		Permanent: effects == flow.EffectsOnce, Unknown: true, RetryAfter: e.RetryAfter, Err: e,
	}
}

func asToolError(err error) *tool.Error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return &tool.Error{Type: "ToolError", Message: err.Error(), Unknown: stopped, Err: err}
}

// subagent has another agent answer. Its acts are numbered and kept like those of its caller.
func (r *runner) subagent(ctx context.Context, a flow.Agent, w llm.ToolCall, ancestors []*budget) (Outcome, error) {
	params, err := arguments(w.Arguments)
	task, _ := params["task"].(string)
	switch {
	case err != nil || task == "":
		return refused("ParameterError", "give the task as a text"), nil
	case r.deps.Model == nil:
		return refused("ModelError", "there is no model for the agent %s", a.ID), nil
	}
	answer, err := r.agent(ctx, a, r.deps.Redactor.Redact(task), ancestors)
	if own, ok := errors.AsType[*ownLimit](err); ok {
		return refused(own.err.Type, "%s", own.err.Message), nil
	}
	if err != nil {
		return Outcome{}, err
	}
	if answer.Data != nil {
		return Outcome{Result: r.kept(tool.Result{Data: answer.Data})}, nil
	}
	return Outcome{Result: r.kept(tool.Result{Text: answer.Text})}, nil
}

// arguments reads what the model passes. Models leave it empty when there is nothing to pass.
func arguments(text string) (map[string]any, error) {
	params := map[string]any{}
	if len(bytes.TrimSpace([]byte(text))) == 0 {
		return params, nil
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(&params); err != nil || params == nil {
		return nil, errors.New("the arguments are not a JSON object")
	}
	return params, nil
}

// kept is a result as the journal and the model get it: without secrets, and not longer than MaxResult.
func (r *runner) kept(res tool.Result) json.RawMessage {
	value := res.Data
	if value == nil && res.Text != "" {
		value = res.Text
	}
	body := plain(r.deps.Redactor.RedactValue(value))
	if len(body) <= MaxResult {
		return body
	}
	return plain(cutText(string(body), MaxResult) + fmt.Sprintf("\n[cut: the result has %d bytes, the first %d are shown]", len(body), MaxResult))
}

// told is the text about an act that the model reads. It always has the same form, so that a result cannot look like anything else.
func told(name string, o Outcome) string {
	if o.ErrType != "" {
		return refusal(name, o.ErrType, o.ErrMessage)
	}
	result := o.Result
	if len(result) == 0 {
		result = json.RawMessage("null")
	}
	return string(plain(map[string]any{"tool": name, "result": result}))
}

func refusal(name, kind, message string) string {
	return string(plain(map[string]any{"tool": name, "error": map[string]any{"type": kind, "message": message}}))
}
