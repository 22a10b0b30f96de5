package typecheck

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/expr/function"
	"sluice/engine/flow"
	"sluice/engine/jsonschema"
)

// kinds is a set of the kinds that a value may have; 0 = nothing is known.
type kinds uint8

const (
	text    = kinds(function.Text)
	number  = kinds(function.Number)
	boolean = kinds(function.Boolean)
	object  = kinds(function.Object)
	list    = kinds(function.List)
	instant = kinds(function.Time)
)

var kindWords = []struct {
	kind  kinds
	words string
}{{text, "a text"}, {number, "a number"}, {boolean, "true or false"}, {object, "an object"}, {list, "a list"}, {instant, "a time"}}

// words names the kinds: "a text or a number".
func (k kinds) words() string {
	var all []string
	for _, w := range kindWords {
		if k&w.kind != 0 {
			all = append(all, w.words)
		}
	}
	return strings.Join(all, " or ")
}

var kindOfType = map[string]kinds{
	"string": text, "number": number, "integer": number, "boolean": boolean, "object": object, "array": list,
	flow.TypeDate: text, flow.TypeTime: text, flow.TypePerson: text, flow.TypeChannel: text, flow.TypeFile: object,
}

// bound says what it means that a field is not among those that are named.
type bound uint8

const (
	open   bound = iota // nothing
	likely              // it is most likely a mistake
	closed              // it is never there
)

// shape is what is known of a value. The zero value knows nothing.
type shape struct {
	kinds   kinds
	enum    []any            // the values that it can have; nil = not limited
	written bool             // enum holds the one value, as it is written in the flow
	fields  map[string]shape // fields that are known besides those of the schema
	schema  map[string]any   // of an object or a list; its fields and items are looked up when they are read
	bound   bound
	items   []shape // of a list that is written out
}

// ofSchema is the shape that a JSON Schema gives.
func ofSchema(schema any) shape {
	s, ok := schema.(map[string]any)
	if !ok || complexSchema(s) {
		return shape{}
	}
	out := shape{schema: s, enum: jsonschema.Values(s["enum"])}
	if c, ok := s["const"]; ok {
		out.enum = []any{c}
	}
	for _, t := range jsonschema.Types(s) {
		out.kinds |= kindOfType[t]
	}
	props := jsonschema.Properties(s)
	if out.kinds == 0 && len(props) > 0 {
		out.kinds = object
	}
	if out.kinds == 0 {
		for _, v := range out.enum {
			out.kinds |= kindOf(v)
		}
	}
	switch more, said := s["additionalProperties"]; {
	case said && more == false:
		out.bound = closed
	case !said && len(props) > 0:
		out.bound = likely
	}
	return out
}

// complexSchema reports schemas whose fields and types do not stand in properties and items alone.
func complexSchema(s map[string]any) bool {
	for _, key := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "patternProperties", "dependentSchemas", "unevaluatedProperties"} {
		if _, ok := s[key]; ok {
			return true
		}
	}
	return false
}

// field gives a member of the shape; how is what it means that there is none.
func (s shape) field(name string) (member shape, found bool, how bound) {
	if f, ok := s.fields[name]; ok {
		return f, true, open
	}
	if f, ok := jsonschema.Properties(s.schema)[name]; ok {
		return ofSchema(f), true, open
	}
	if s.kinds&list != 0 && isIndex(name) {
		return s.item(), true, open
	}
	if more, ok := s.schema["additionalProperties"].(map[string]any); ok {
		return ofSchema(more), true, open
	}
	switch {
	case s.kinds != 0 && s.kinds&(object|list) == 0 && s.fields == nil:
		return shape{}, false, closed
	case s.kinds == list && s.fields == nil:
		return shape{}, false, closed
	}
	return shape{}, false, s.bound
}

// item is the shape of a list's items.
func (s shape) item() shape {
	if len(s.items) > 0 {
		return either(s.items...)
	}
	return ofSchema(s.schema["items"])
}

// names lists the fields, for suggestions.
func (s shape) names() []string {
	return slices.Concat(slices.Sorted(maps.Keys(s.fields)), jsonschema.Names(s.schema))
}

// either is a value that has one of several shapes.
func either(all ...shape) shape {
	if len(all) == 1 {
		return all[0]
	}
	var out shape
	for i, s := range all {
		if s.kinds == 0 {
			return shape{}
		}
		out.kinds |= s.kinds
		if s.enum == nil || i > 0 && out.enum == nil {
			out.enum = nil
		} else {
			out.enum = append(slices.Clip(out.enum), s.enum...)
		}
	}
	return out
}

// ofValue is the shape of a value that is written out. A text in it is no template.
func ofValue(v any) shape {
	s := shape{kinds: kindOf(v)}
	switch v := v.(type) {
	case nil:
	case []any:
		for _, item := range v {
			s.items = append(s.items, ofValue(item))
		}
	case map[string]any:
		s.fields, s.bound = map[string]shape{}, closed
		for name, member := range v {
			s.fields[name] = ofValue(member)
		}
	default:
		s.enum, s.written = []any{v}, true
	}
	return s
}

func kindOf(v any) kinds {
	switch v.(type) {
	case string:
		return text
	case bool:
		return boolean
	case float64, int, int64, json.Number:
		return number
	case map[string]any:
		return object
	case []any:
		return list
	}
	return 0
}

// words say what the value is: "a number", or the literal itself.
func (s shape) words() string {
	if s.written {
		return shown(s.enum[0])
	}
	return s.kinds.words()
}

func shown(v any) string {
	if t, ok := v.(string); ok {
		return "the text '" + shorten(t) + "'"
	}
	return expr.Text(v)
}

// shorten cuts a text that is quoted in a message.
func shorten(s string) string {
	const most = 60
	if r := []rune(strings.Join(strings.Fields(s), " ")); len(r) > most {
		return string(r[:most]) + "..."
	} else {
		return string(r)
	}
}

func isIndex(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r < '0' || r > '9' })
}

// listed writes values for a hint.
func listed(all []any) string {
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}
