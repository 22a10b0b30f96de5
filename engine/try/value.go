package try

import (
	"encoding/json"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/tool"
)

// Source says where a value comes from.
type Source string

// Where values come from, those that count most first.
const (
	FromSample  Source = "sample"   // given with the request
	FromRun     Source = "recorded" // what a recorded run got
	FromDefault Source = "default"  // of an input
	FromFlow    Source = "made"     // the flow makes it itself: the words of a message
	FromExample Source = "example"  // made up: it decides nothing
	Unknown     Source = "unknown"  // it is not known: it decides nothing
)

// uncertain reports whether values of this source are not known.
func (s Source) uncertain() bool { return s == FromExample || s == Unknown }

// Recorded is what a node of a recorded run got.
type Recorded struct {
	Run    string // its name
	Output history.Output
}

// Value is what a step is taken to give.
type Value struct {
	Source Source
	Run    string // name of the recorded run
	Output history.Output
}

// values finds what the steps of a flow give.
type values struct {
	flow     *flow.Flow
	tools    tool.Catalogue
	samples  map[string]any
	recorded map[string]Recorded
	known    map[string]Value
}

// of gives the value of a node that acts, the same at every visit.
func (v *values) of(n *flow.Node) Value {
	if known, ok := v.known[n.ID]; ok {
		return known
	}
	found := v.find(n)
	v.known[n.ID] = found
	return found
}

func (v *values) find(n *flow.Node) Value {
	if sample, ok := v.samples[n.ID]; ok {
		return Value{Source: FromSample, Output: outputOf(n, sample)}
	}
	if r, ok := v.recorded[n.ID]; ok {
		return Value{Source: FromRun, Run: r.Run, Output: r.Output}
	}
	if made, ok := tool.Example(v.schema(n)); ok {
		return Value{Source: FromExample, Output: outputOf(n, made)}
	}
	return Value{Source: Unknown}
}

// schema is the declared form of what a node gives; nil = nothing is declared.
func (v *values) schema(n *flow.Node) map[string]any {
	r := n.Result()
	if r.Tool != "" && v.tools != nil {
		t, _ := v.tools.Lookup(r.Tool)
		return t.Result
	}
	if a := v.flow.AgentByID(r.Agent); a != nil {
		return a.Output
	}
	return r.Schema
}

// outputOf is a given value as the node would have given it.
func outputOf(n *flow.Node, value any) history.Output {
	text, isText := value.(string)
	if isText && n.Kind != flow.KindTool {
		return history.Output{Text: text}
	}
	return history.Output{Text: expr.Text(value), Data: json.RawMessage(expr.JSON(value))}
}

// answerTo makes the answer of a gate out of a sample: its choice or text alone, or an object with choice, text, note and fields.
func answerTo(g history.Gate, sample any) run.Answer {
	fields, isObject := sample.(map[string]any)
	if !isObject {
		return chosen(g, expr.Text(sample))
	}
	in := run.Answer{Form: map[string]any{}}
	for name, value := range fields {
		switch name {
		case "choice":
			in.Choice = expr.Text(value)
		case "text":
			in.Text = expr.Text(value)
		case "note":
			in.Note = expr.Text(value)
		default:
			in.Form[name] = value
		}
	}
	return in
}

func chosen(g history.Gate, word string) run.Answer {
	if len(g.Choices) > 0 {
		return run.Answer{Choice: word}
	}
	return run.Answer{Text: word}
}

// fill completes an answer with what a gate demands: a value of the right type in every required field.
func fill(g history.Gate, form map[string]flow.FormField, in run.Answer) run.Answer {
	for _, name := range append(append([]string{}, g.Required...), g.RequiredFor[in.Choice]...) {
		if _, given := in.Form[name]; given {
			continue
		}
		field := form[name]
		schema := map[string]any{"type": field.Type}
		if field.Type == "" {
			schema["type"] = "string"
		}
		if len(field.Enum) > 0 {
			schema["enum"] = field.Enum
		}
		value, ok := tool.Example(schema)
		if !ok {
			value = name
		}
		if in.Form == nil {
			in.Form = map[string]any{}
		}
		in.Form[name], in.Unknown = value, true
	}
	return in
}
