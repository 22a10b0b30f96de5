package scope

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// Render evaluates the node's parameters.
func (rd *Reader) Render(n *compile.Node, t history.Token, sc *Scope) (map[string]any, *history.NodeError) {
	v, nerr := rd.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.ParamsFor(t).Render(sc, rd.Options(t)) })
	params, _ := v.(map[string]any)
	return params, nerr
}

// Text renders the node's template for people.
func (rd *Reader) Text(n *compile.Node, t history.Token) (string, *history.NodeError) {
	sc := rd.Scope(t).Masked()
	v, nerr := rd.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.TemplateFor(t).Render(sc, rd.Options(t)) })
	return expr.Text(v), nerr
}

// PreviousText is the previous output as an agent reads it; the first agent of a run reads the message that started it.
func (rd *Reader) PreviousText(n *compile.Node, t history.Token) string {
	sc := rd.Scope(t)
	v := sc.value(t.Prev, t.PrevNode)
	rd.Foresee(t, n.AheadOnEntry)
	if t.Prev != 0 {
		return expr.Text(v)
	}
	return expr.Text(member(member(rd.Start().Event, "payload"), "message"))
}

// DecisionValue is the value of a decision that has been evaluated.
func (rd *Reader) DecisionValue(t history.Token) any {
	out, ok := rd.Load(t.Done)
	if !ok {
		rd.Foresee(t, rd.Node(t).Ahead)
	}
	if len(out.Data) == 0 {
		return nil
	}
	return history.Decode(out.Data)
}

// StepValue is what the finished step gave, as one value: its data, else its text.
func (rd *Reader) StepValue(n *compile.Node, t history.Token) any {
	if t.Done == 0 {
		return nil
	}
	out, ok := rd.Load(t.Done)
	if !ok {
		rd.Foresee(t, n.Ahead)
	}
	if len(out.Data) > 0 {
		return history.Decode(out.Data)
	}
	return out.Text
}

// Mask puts dots in the place of sensitive inputs and answers in arguments that a model made: it has read the values themselves.
func (rd *Reader) Mask(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			out[k] = rd.Mask(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = rd.Mask(item)
		}
		return out
	}
	text := expr.Text(v)
	for _, secret := range rd.secrets() {
		switch {
		case secret == "":
		case text == secret:
			return compile.Dots
		case len(secret) >= maskedLeast && strings.Contains(text, secret):
			text = strings.ReplaceAll(text, secret, compile.Dots)
			v = text
		}
	}
	return v
}

// secrets are the sensitive inputs, and the sensitive fields of the latest answers.
func (rd *Reader) secrets() (out []string) {
	add := func(values map[string]any, names map[string]bool) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if names[name] {
				out = append(out, expr.Text(values[name]))
			}
		}
	}
	add(rd.Start().Inputs, rd.Program.Sensitive)
	for _, node := range slices.Sorted(maps.Keys(rd.Program.Masks)) {
		add(rd.State.Approvals[node].Form, rd.Program.Masks[node])
		for _, f := range rd.State.Frames {
			for i := range f.Branches {
				add(f.Branches[i].Approvals[node].Form, rd.Program.Masks[node])
			}
		}
	}
	return out
}

// maskedLeast is how long a sensitive input must be to be looked for inside of other texts: a short one is found everywhere, and dots
// would hide what people decide on.
const maskedLeast = 4

// CallsOf reads calls from a value: a list of {name, arguments}, or one of them.
func CallsOf(v any) ([]history.ToolCall, error) {
	list, isList := v.([]any)
	switch {
	case v == nil:
		return nil, nil
	case !isList:
		list = []any{v}
	}
	var calls []history.ToolCall
	for i, item := range list {
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		if name == "" {
			return nil, fmt.Errorf("call %d is not of the form {name, arguments}", i+1)
		}
		c := history.ToolCall{ID: expr.Text(fields["id"]), Name: name}
		switch arguments := fields["arguments"].(type) {
		case nil:
		case string:
			c.Arguments = arguments
		default:
			c.Arguments = expr.JSON(arguments)
		}
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d", i+1)
		}
		calls = append(calls, c)
	}
	return calls, nil
}
