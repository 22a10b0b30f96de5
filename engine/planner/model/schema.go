package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A form describes an answer: as a JSON Schema for the service that holds the answer to it, and in short for the model to read.
type form interface {
	schema() any
	short() string
}

type (
	primitive string // a type of JSON
	enum      []string
	ref       string // a definition
	list      struct{ of form }
	maybe     struct{ of form }
	object    []field
	oneOf     []form
	field     struct {
		name  string
		of    form
		about string
	}
)

const (
	text   = primitive("string")
	number = primitive("integer")
	yes    = primitive("boolean")
)

func (p primitive) schema() any { return map[string]any{"type": string(p)} }
func (e enum) schema() any      { return map[string]any{"type": "string", "enum": []string(e)} }
func (r ref) schema() any       { return map[string]any{"$ref": "#/$defs/" + string(r)} }
func (l list) schema() any      { return map[string]any{"type": "array", "items": l.of.schema()} }
func (m maybe) schema() any {
	return map[string]any{"anyOf": []any{m.of.schema(), map[string]any{"type": "null"}}}
}

func (o oneOf) schema() any {
	var all []any
	for _, f := range o {
		all = append(all, f.schema())
	}
	return map[string]any{"anyOf": all}
}

// schema requires all properties, as strict structured output wants it.
func (o object) schema() any {
	names := make([]string, len(o))
	for i, f := range o {
		names[i] = f.name
	}
	return map[string]any{"type": "object", "properties": properties(o), "required": names, "additionalProperties": false}
}

// properties are written in the order of the fields: a model fills them in this order, and a kind of step is told by the first.
type properties []field

// MarshalJSON writes the properties in order.
func (p properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, f := range p {
		body, err := json.Marshal(f.of.schema())
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%c%q:%s", "{,"[min(i, 1)], f.name, body)
	}
	out.WriteString("}")
	return out.Bytes(), nil
}

func (p primitive) short() string { return string(p) }
func (r ref) short() string       { return string(r) }
func (l list) short() string      { return l.of.short() + "[]" }
func (m maybe) short() string     { return m.of.short() + "|null" }

func (e enum) short() string {
	out := make([]string, len(e))
	for i, v := range e {
		out[i] = `"` + v + `"`
	}
	return strings.Join(out, "|")
}

func (o object) short() string {
	var out strings.Builder
	for i, f := range o {
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(f.name + ": " + f.of.short())
		if f.about != "" {
			out.WriteString(" /* " + f.about + " */")
		}
	}
	return "{" + out.String() + "}"
}

func (o oneOf) short() string {
	var out strings.Builder
	for _, f := range o {
		out.WriteString("\n  | " + f.short())
	}
	return out.String()
}

// forms are the schemas of an answer and of its parts.
type forms struct {
	answer object
	defs   map[string]form
	listed map[string]bool // definitions that stand elsewhere in the brief
}

// schema gives the JSON Schema.
func (f forms) schema() map[string]any {
	defs := map[string]any{}
	for name, d := range f.defs {
		defs[name] = d.schema()
	}
	out := maps.Clone(f.answer.schema().(map[string]any))
	out["$defs"] = defs
	return out
}

// short gives the same for a model to read.
func (f forms) short() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Tree = %s\n", f.answer.short())
	for _, name := range slices.Sorted(maps.Keys(f.defs)) {
		if !f.listed[name] {
			fmt.Fprintf(&out, "%s = %s\n", name, f.defs[name].short())
		}
	}
	return out.String()
}
