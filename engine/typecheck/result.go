package typecheck

import (
	"sluice/engine/flow"
)

// byThemselves are what a gate becomes without a person.
var byThemselves = []any{"timeout", "superseded", "cancelled"}

// decided is the answer at a gate: its choice, with the note and the fields of its form.
func decided(n *flow.Node) shape {
	s := shape{kinds: text, bound: likely, fields: map[string]shape{"note": {kinds: text}, "by": {kinds: text}, "at": {}}}
	var choices []string
	form := map[string]flow.FormField{}
	if q := n.Question(); q != nil {
		choices, form = q.Choices, q.Form
	} else if n.Spec == nil {
		return shape{}
	}
	for name, field := range form {
		s.fields[name] = ofInput(flow.Input{Type: field.Type, Enum: field.Enum})
	}
	if len(choices) > 0 {
		for _, choice := range choices {
			s.enum = append(s.enum, choice)
		}
		s.enum = append(s.enum, byThemselves...)
	}
	s.fields["choice"] = shape{kinds: text, enum: s.enum}
	return s
}

// result is what a node gives: <id>.result, <id>.output, <id>.<field>.
func (c *checker) result(n *flow.Node) shape {
	return c.remember("node", n.ID, func() shape {
		r := n.Result()
		t, a := c.tools[r.Tool], c.agent[r.Agent]
		switch {
		case t != nil:
			return withParts(ofSchema(asAny(t.Result)), false)
		case a != nil:
			return withParts(ofSchema(asAny(a.Output)), true)
		case n.Question() != nil:
			return shape{fields: decided(n).fields}
		case r.Outcome:
			return shape{fields: map[string]shape{"outcome": {kinds: text}}}
		}
		return shape{}
	})
}

// withParts adds the names under which every step gives its data. An agent's output reads as a text, too.
func withParts(data shape, agent bool) shape {
	output := data
	if agent {
		output.kinds, output.enum = 0, nil
	}
	parts := map[string]shape{"result": data, "data": data, "output": output, "text": {}}
	if agent {
		for _, pin := range []string{"response", "tool_calls", "success", "meta"} {
			parts[pin] = shape{}
		}
	}
	return shape{fields: parts, schema: data.schema, bound: data.bound}
}
