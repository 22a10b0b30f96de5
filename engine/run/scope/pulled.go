package scope

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// Computed is an output made of a value: an object has no text besides, which would hide a field of that name.
func Computed(v any) history.Output {
	out := ValueOutput(v)
	if _, isObject := history.Normal(v).(map[string]any); isObject {
		out.Text = ""
	}
	return out
}

// pulls are the values that were made while one expression is evaluated, so that each is made once.
type pulls struct {
	values map[string]any
	open   []string // values that are being made
}

// pulled makes the value of a node. An error of the value is an error of the expression that reads it.
func (sc *Scope) pulled(n *compile.Node) any {
	if sc.pulls == nil {
		sc.pulls = &pulls{values: map[string]any{}}
	}
	key := fmt.Sprint(n.ID, sc.mask)
	if v, made := sc.pulls.values[key]; made {
		return v
	}
	if slices.Contains(sc.pulls.open, n.ID) {
		sc.rd.pullError(fmt.Errorf("the value of %q needs itself: %s", n.ID, strings.Join(append(sc.pulls.open, n.ID), " -> ")))
		return nil
	}
	sc.pulls.open = append(sc.pulls.open, n.ID)
	v, err := sc.Given(n)
	sc.pulls.open = sc.pulls.open[:len(sc.pulls.open)-1]
	if err != nil {
		sc.rd.pullError(fmt.Errorf("the value of %q: %w", n.ID, err))
		return nil
	}
	value := &outputValue{rd: sc.rd, seq: sc.rd.nextPulled(), kind: n.Kind}
	value.out = Computed(v)
	if len(value.out.Data) == 0 && value.out.Text == "" && v != "" {
		sc.pulls.values[key] = nil
		return nil
	}
	sc.pulls.values[key] = value
	return value
}

// Given evaluates what a pulled node gives.
func (sc *Scope) Given(n *compile.Node) (any, error) {
	if spec, ok := n.Spec.(*flow.EntrySpec); ok {
		begun, err := sc.rd.Program.EntryOf(sc.rd.Start().Entry)
		if err != nil || begun != n.ID {
			return nil, err
		}
		if spec.Outputs == nil {
			return sc.inputs(), nil
		}
	}
	if spec, ok := n.Spec.(*flow.OpaqueSpec); ok {
		return nil, fmt.Errorf("it came with an imported flow and cannot be made here: %s", cmp.Or(spec.Reason, spec.Type))
	}
	if n.Broken != nil {
		return nil, n.Broken
	}
	own := *sc
	own.secrets, own.own = false, ""
	v, err := n.Params.Render(&own, sc.rd.OptionsOf(n, sc.t))
	if v == nil {
		return nil, err
	}
	return history.Decode(json.RawMessage(expr.JSON(expr.Redacted(v)))), err
}

// pullError records the error of a value; the first one counts.
func (rd *Reader) pullError(err error) {
	if rd.pullFailed == nil {
		rd.pullFailed = err
	}
}

// nextPulled is a key under which a value that is no fact is decoded once.
func (rd *Reader) nextPulled() int64 {
	rd.pulledSeq--
	return rd.pulledSeq
}

// FoldMost bounds how many pure nodes one decision passes; after that the token is dispatched, so that a loop of decisions
// does not become one endless transition.
const FoldMost = 200

// ValueOutput is an output made of a rendered value: a text, or data with its text.
func ValueOutput(v any) history.Output {
	v = history.Normal(v)
	if s, ok := v.(string); ok {
		return history.Output{Text: s}
	}
	if v == nil {
		return history.Output{}
	}
	return history.Output{Text: expr.Text(v), Data: []byte(expr.JSON(v))}
}

// OptionsOf is Options for a node that makes a value: one that is strict fails where a value does not fit a function.
func (rd *Reader) OptionsOf(n *compile.Node, t history.Token) expr.Options {
	opt := rd.Options(t)
	if spec, ok := n.Spec.(*flow.ComputeSpec); ok {
		opt.Strict = spec.Strict
	}
	return opt
}
