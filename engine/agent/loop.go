package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/llm"
	"sluice/engine/tool"
)

// agent runs one agent until it has its answer. ancestors are the budgets of the agents that called it, nearest last.
func (r *runner) agent(ctx context.Context, a flow.Agent, first string, ancestors []*budget) (Answer, error) {
	offer, err := r.offer(a, len(ancestors))
	if err != nil {
		return Answer{}, err
	}
	schema, err := tool.CompileSchema(a.Output)
	if err != nil {
		return Answer{}, fail("SchemaError", "the output of the agent %s: %v", a.ID, err)
	}
	var parent *budget
	top, granted := len(ancestors) == 0, 0
	if top {
		granted = r.spec.Granted
	} else {
		parent = ancestors[len(ancestors)-1]
	}
	b := newBudget(a.Limits, granted, parent)
	req := llm.Request{
		Model: a.Model, System: r.system(a), Tools: offer.tools, Schema: a.Output, Temperature: a.Temperature,
		Messages: []llm.Message{{Role: llm.RoleUser, Text: first}},
	}
	if top {
		req.Messages = append(req.Messages, r.spec.messages()...)
	}
	if r.request != nil && top {
		r.request(&req)
	}
	repairs := 0 // in this try: those of earlier ones are replayed and have been paid for
	for {
		t, err := r.turn(ctx, a.ID, req, b)
		if err != nil {
			return Answer{}, err
		}
		req.Messages = append(req.Messages, t.message())
		if len(t.Calls) > 0 && top {
			if answer, over := r.handsOver(offer, t); over {
				return answer, nil
			}
		}
		if len(t.Calls) > 0 {
			results, err := r.calls(ctx, offer, t.Calls, append(ancestors, b))
			if err != nil {
				return Answer{}, err
			}
			req.Messages = append(req.Messages, results...)
			continue
		}
		answer, problems := readAnswer(t.Text, a.Output, schema)
		if problems == "" {
			return answer, nil
		}
		if !t.replayed && repairs > 0 {
			return Answer{}, fail("SchemaError", "the answer of the agent %s does not fit its output, after one repair: %s", a.ID, problems)
		}
		if !t.replayed {
			repairs++
		}
		req.Messages = append(req.Messages, llm.Message{Role: llm.RoleUser, Text: repairRequest(problems)})
	}
}

// turn is a turn of the model as the journal keeps it.
type turn struct {
	Text     string         `json:"text,omitempty"`
	Calls    []llm.ToolCall `json:"calls,omitempty"`
	replayed bool
}

// message gives the turn back to the model. Names and arguments that no service would accept are left out of it; the
// answer to the call says what was wrong.
func (t turn) message() llm.Message {
	m := llm.Message{Role: llm.RoleAssistant, Text: t.Text}
	for _, c := range t.Calls {
		c.Name = wireName(c.Name)
		if _, err := arguments(c.Arguments); err != nil || c.Arguments == "" {
			c.Arguments = "{}"
		}
		m.Calls = append(m.Calls, c)
	}
	return m
}

// ownIDs gives each call an id of its own, because some services send none, and drops calls beyond the limits.
func ownIDs(n int, calls []llm.ToolCall) []llm.ToolCall {
	seen := map[string]bool{}
	out := slices.Clone(calls[:min(len(calls), 4*MaxCalls)])
	for i, c := range out {
		if c.ID == "" || seen[c.ID] {
			out[i].ID = fmt.Sprintf("call_%d_%d", n, i)
		}
		seen[out[i].ID] = true
	}
	return out
}

// turn asks the model, or takes its answer from the journal.
func (r *runner) turn(ctx context.Context, id string, req llm.Request, b *budget) (turn, error) {
	n := r.next()
	if o, ok, err := r.deps.Journal.Done(ctx, n); err != nil {
		return turn{}, err
	} else if ok {
		t := turn{replayed: true}
		if err := json.Unmarshal(o.Result, &t); err != nil || o.ErrType != "" {
			return turn{}, fail("JournalError", "act %d of this step is not a turn of the agent %s", n, id)
		}
		r.count(b, o.Usage)
		return t, nil
	}
	if err := b.over(id); err != nil {
		return turn{}, err
	}
	if err := b.unpriced(llm.TermsOf(r.deps.Model, req.Model)); err != nil {
		return turn{}, err
	}
	if err := r.atEnd(ctx, n); err != nil {
		return turn{}, err
	}
	if err := r.deps.Journal.Intent(ctx, n, ModelAct, "", flow.EffectsRead, requestDigest(req)); err != nil {
		return turn{}, err
	}
	limited, cancel := context.WithDeadline(ctx, b.deadline)
	defer cancel()
	res, err := r.deps.Model.Chat(limited, req)
	if err != nil {
		return turn{}, r.turnFailed(ctx, limited, id, err)
	}
	if err := unusable(id, res); err != nil {
		return turn{}, err
	}
	t := turn{Text: r.deps.Redactor.Redact(res.Text), Calls: ownIDs(n, res.Calls)}
	body, err := json.Marshal(t)
	if err != nil {
		return turn{}, fmt.Errorf("keep a turn of the model: %w", err)
	}
	if err := r.deps.Journal.Outcome(ctx, n, Outcome{Result: body, Usage: res.Usage}); err != nil {
		return turn{}, err
	}
	r.count(b, res.Usage)
	return t, nil
}

// atEnd checks that the journal has no finished act after the one that is about to begin. Acts are made in order, so a later one means that this
// try differs from the earlier one, and that numbers and keys would mean other acts.
func (r *runner) atEnd(ctx context.Context, n int) error {
	for later := n + 1; later <= n+4*MaxCalls; later++ {
		if _, ok, err := r.deps.Journal.Done(ctx, later); err != nil {
			return err
		} else if ok {
			return fail("JournalError", "act %d of this step is not finished, but act %d is: the step cannot be continued", n, later)
		}
	}
	return nil
}

func (r *runner) count(b *budget, u llm.Usage) {
	b.spend(u)
	r.usage = r.usage.Add(u)
}

// turnFailed types the error of a turn. The turn stays open in the journal: another try asks again.
func (r *runner) turnFailed(ctx, limited context.Context, id string, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the agent %s was stopped: %w", id, ctx.Err())
	case limited.Err() != nil:
		return late(id)
	}
	e := &tool.Error{Type: "ModelError", Message: r.deps.Redactor.Redact(err.Error()), Err: err}
	if own, ok := errors.AsType[*llm.Error](err); ok {
		e.Type, e.Message, e.Permanent, e.RetryAfter = own.Type, r.deps.Redactor.Redact(own.Message), own.Permanent, own.RetryAfter
	}
	return e
}

// unusable reports an answer that the agent cannot continue with.
func unusable(id string, res llm.Response) error {
	e := &tool.Error{Type: "ModelError"}
	switch {
	case res.Stop == llm.StopRefusal:
		e.Message, e.Permanent = fmt.Sprintf("the model declined to answer for the agent %s", id), true
	case res.Stop == llm.StopFilter:
		e.Message, e.Permanent = fmt.Sprintf("the model's service withheld the answer for the agent %s", id), true
	case len(res.Calls) > 0:
		return nil
	case res.Stop == llm.StopLength:
		e.Message = fmt.Sprintf("the model's answer for the agent %s was cut off for its length", id)
	case res.Text == "":
		e.Message = fmt.Sprintf("the model gave an empty answer for the agent %s", id)
	default:
		return nil
	}
	return e
}

// requestDigest is what the journal keeps of a request: enough to compare tries, without the conversation, which is in
// the acts before it.
func requestDigest(req llm.Request) json.RawMessage {
	all, _ := json.Marshal(req)
	sum := sha256.Sum256(all)
	digest, _ := json.Marshal(map[string]any{"model": req.Model, "messages": len(req.Messages), "sha256": hex.EncodeToString(sum[:])})
	return digest
}
