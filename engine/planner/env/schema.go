package env

import (
	"slices"
	"strings"

	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
)

// Param is one parameter of a tool, out of its schema.
type Param struct {
	Name        string
	Typ         string // string, number, integer, boolean, object, array
	Required    bool   // and without a default
	Description string
	Enum        []any
	Example     any
	Stems       []string
}

// ParamsOf lists the parameters of a schema, in the order in which people are asked for them.
func ParamsOf(schema map[string]any) (out []Param) {
	needed := jsonschema.Required(schema)
	for _, name := range jsonschema.InOrder(schema) {
		p := SchemaParam(name, jsonschema.Property(schema, name))
		p.Required = p.Required && slices.Contains(needed, name)
		out = append(out, p)
	}
	return out
}

// SchemaParam reads the schema of one parameter.
func SchemaParam(name string, s map[string]any) Param {
	p := Param{Name: name, Typ: TypeOf(s), Stems: english.NameStems(name)}
	p.Description, _ = s["description"].(string)
	for _, v := range jsonschema.Values(s["enum"]) {
		if Fits(p.Typ, v) {
			p.Enum = append(p.Enum, v)
		}
	}
	if examples := append(jsonschema.Values(s["examples"]), s["example"]); len(p.Enum) == 0 && Fits(p.Typ, examples[0]) {
		p.Example = examples[0]
	}
	_, has := s["default"]
	p.Required = !has
	return p
}

var valueTypes = []string{"string", "number", "integer", "boolean", "object", "array"}

// TypeOf is the first type of a schema that a value of a flow can have.
func TypeOf(schema map[string]any) string {
	for _, t := range jsonschema.Types(schema) {
		if slices.Contains(valueTypes, t) {
			return t
		}
	}
	if schema["properties"] != nil {
		return "object"
	}
	return "string"
}

// Fits reports whether a plain value has one of the types of inputs.
func Fits(typ string, v any) bool {
	switch v := v.(type) {
	case string:
		return typ == "string"
	case bool:
		return typ == "boolean"
	case float64:
		return typ == "number" || typ == "integer" && v == float64(int64(v))
	case int, int64:
		return typ == "number" || typ == "integer"
	}
	return false
}

const (
	maxFieldDepth = 4   // nesting of results that is looked into
	maxFields     = 500 // of one result
)

// Field is a place in a result.
type Field struct {
	Path   []string
	Stems  []string // of all names on the path
	Last   []string // of the last name
	Typ    string
	Enum   []any
	About  []string       // of its description
	Schema map[string]any // nil = it is not known
}

// Name is the dotted path of the field.
func (f Field) Name() string { return strings.Join(f.Path, ".") }

// FieldsOf lists the places in a result, the outer ones first.
func FieldsOf(schema map[string]any) (out []Field) {
	level := []Field{{Schema: schema}}
	for range maxFieldDepth {
		var inner []Field
		for _, at := range level {
			for _, name := range jsonschema.Names(at.Schema) {
				f := Field{Path: append(slices.Clone(at.Path), name), Schema: jsonschema.Property(at.Schema, name)}
				p := SchemaParam(name, f.Schema)
				f.Last, f.Typ, f.Enum, f.About = p.Stems, p.Typ, p.Enum, english.Stems(english.Scan(p.Description))
				f.Stems = append(slices.Clone(at.Stems), p.Stems...)
				inner = append(inner, f)
			}
		}
		out, level = append(out, inner...), inner
	}
	return out[:min(len(out), maxFields)]
}

// addressed reports whether a parameter takes people or channels: its description shows how they are written.
func (p Param) addressed() bool { return strings.ContainsAny(p.Description, "#@") }

// Keys are the last words of names that tell one thing from another: order_id, issue_key.
var Keys = english.WordSet("id key number no")

// CutKey takes a word such as id off the end of a name: the key of an order is called by the name of the order.
func CutKey(name []string) (thing []string, key bool) {
	if last := len(name) - 1; last >= 0 && Keys[name[last]] {
		return name[:last], true
	}
	return name, false
}

// persons are the names of parameters that take somebody.
var persons = english.StemSet("assignee owner user to recipient attendees attendee approver manager reporter person member reviewer responder who by")

// Person reports whether a parameter takes a person.
func (p Param) Person() bool {
	return p.addressed() || len(p.Stems) > 0 && persons[p.Stems[len(p.Stems)-1]]
}

// Key reports whether the name of a parameter ends in a word such as id.
func (p Param) Key() bool {
	_, key := CutKey(p.Stems)
	return key
}

// PlainText reports whether a parameter takes any text.
func PlainText(p Param) bool { return p.Typ == "string" && len(p.Enum) == 0 }

// Rates are words of parameters that take a percentage.
var Rates = english.StemSet("percent percentage rate discount share")
