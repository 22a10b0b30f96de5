package file

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"sluice/engine/flow"
)

// schemaID names the schema; editors need an address, nothing is loaded from it.
const schemaID = "https://sluice.invalid/flow.schema.json"

// Schema is the JSON Schema (2020-12) of the native file, for editors: made from the Go types, with the enums and docs
// of the fields. It accepts every file that Parse accepts, except runtime.flow of older files.
func Schema() []byte {
	b := schemaBuilder{defs: map[string]any{}}
	root := b.object(reflect.TypeFor[fileShape]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"] = schemaID
	root["title"] = "Sluice flow"
	root["required"] = []any{"flow"}
	root["$defs"] = b.defs
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic("flow: the schema is made of JSON values: " + err.Error())
	}
	return out.Bytes()
}

type schemaBuilder struct{ defs map[string]any }

func ref(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }

// object describes a struct, and the other spellings that Parse accepts for it.
func (b *schemaBuilder) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, f := range shape(t) {
		properties[f.key] = b.field(t, f)
		if f.required {
			required = append(required, f.key)
		}
	}
	switch t {
	case routeType:
		properties["default"] = map[string]any{"type": "boolean", "description": "true says the same as when: default."}
	case joinType:
		properties["min"] = map[string]any{"type": "integer", "description": "Another word for count."}
	}
	out := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// field describes one key. Every key but a required one may be left empty.
func (b *schemaBuilder) field(owner reflect.Type, f field) map[string]any {
	r := rules[owner.Name()+"."+f.key]
	s := b.typ(f.typ, f.key)
	switch {
	case len(f.enum) > 0:
		s = map[string]any{"enum": anys(f.enum)}
	case r.scalar:
		s = map[string]any{"type": []any{"string", "boolean", "number"}}
	case r.seconds:
		s = map[string]any{"anyOf": []any{ref("duration"), map[string]any{"type": "number", "minimum": 0}}}
	}
	if !f.required && f.typ.Kind() != reflect.Interface {
		s = orNull(s)
	}
	if f.doc != "" {
		s["description"] = f.doc
	}
	return s
}

// orNull also accepts a key without a value.
func orNull(s map[string]any) map[string]any {
	switch {
	case s["enum"] != nil:
		s["enum"] = append(s["enum"].([]any), nil)
	case s["type"] != nil:
		if one, ok := s["type"].(string); ok {
			s["type"] = []any{one, "null"}
		} else {
			s["type"] = append(s["type"].([]any), "null")
		}
	default:
		return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
	}
	return s
}

func anys(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}

func (b *schemaBuilder) typ(t reflect.Type, key string) map[string]any {
	switch t {
	case durationType:
		b.defs["duration"] = map[string]any{
			"type": "string", "examples": []any{"30s", "15m", "2h", "90d", "2 working days"},
			"pattern": `^\s*([0-9]+ +working +days?|([0-9.]+ *(w|d|h|m|s|ms|us|µs|ns) *)+)\s*$`,
		}
		return ref("duration")
	case inputsType:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"anyOf": []any{b.define(reflect.TypeFor[flow.Input]()), map[string]any{"type": "null"}}}}
	case nodeType:
		b.node()
		return ref("Node")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.typ(t.Elem(), key)
	case reflect.Interface:
		return map[string]any{}
	case reflect.Struct:
		return b.define(t)
	case reflect.Slice:
		item := b.typ(t.Elem(), key)
		if key == "branches" {
			item = map[string]any{"anyOf": []any{item, map[string]any{"type": "string"}}}
		}
		return map[string]any{"type": "array", "items": item}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": b.typ(t.Elem(), key)}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	default:
		return map[string]any{"type": "string"}
	}
}

// define describes a struct once, under its name.
func (b *schemaBuilder) define(t reflect.Type) map[string]any {
	name := t.Name()
	if t == reflect.TypeFor[graphShape]() {
		name = "Graph"
	}
	if _, done := b.defs[name]; !done {
		b.defs[name] = nil // it may refer to itself
		b.defs[name] = b.object(t)
	}
	return ref(name)
}

// node describes a node as one of the kinds, told apart by type.
func (b *schemaBuilder) node() {
	if _, done := b.defs["Node"]; done {
		return
	}
	b.defs["Node"] = nil
	var names, variants []any
	for _, k := range flow.AllKinds() {
		if k.Foreign {
			continue
		}
		names = append(names, string(k.Kind))
		variants = append(variants, map[string]any{
			"if":   map[string]any{"properties": map[string]any{"type": map[string]any{"const": string(k.Kind)}}},
			"then": ref(string(k.Kind)),
		})
		b.defs[string(k.Kind)] = b.kind(k.Kind, k.New(), k.Doc)
	}
	b.defs["Node"] = map[string]any{
		"type": "object", "required": []any{"id", "type"},
		"properties": map[string]any{"type": map[string]any{"enum": names}},
		"allOf":      variants,
	}
}

func (b *schemaBuilder) kind(k flow.Kind, s flow.Spec, doc string) map[string]any {
	out := b.object(reflect.TypeFor[flow.NodeFields]())
	own := b.object(reflect.TypeOf(s).Elem())
	properties := out["properties"].(map[string]any)
	maps.Copy(properties, own["properties"].(map[string]any))
	properties["type"] = map[string]any{"const": string(k)}
	types := make([]any, 0, 9)
	for _, t := range flow.FlowchartTypes() {
		types = append(types, string(t))
	}
	for _, t := range flow.OldFlowchartTypes() {
		types = append(types, string(t))
	}
	slices.SortFunc(types[9:], func(a, b any) int { return bytes.Compare([]byte(a.(string)), []byte(b.(string))) })
	properties["flowchart_type"] = map[string]any{"enum": append(types, nil), "description": "Shape in the flowchart. Default: by type and description."}
	switch k {
	case flow.KindAgent:
		properties["params"] = map[string]any{"type": "object", "description": "Another word for input."}
	case flow.KindTerminal:
		properties["params"] = map[string]any{"type": "object", "properties": map[string]any{"output": map[string]any{}}, "additionalProperties": false}
	}
	if required, ok := own["required"].([]any); ok {
		out["required"] = append(out["required"].([]any), required...)
	}
	out["description"] = doc
	return out
}
