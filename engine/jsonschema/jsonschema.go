// Package jsonschema reads those parts of JSON Schemas that a catalogue of tools goes by: properties, types, lists of values. It checks no
// values against a schema: that is done by engine/tool.
package jsonschema

import (
	"maps"
	"reflect"
	"slices"
)

// Properties are the schemas of an object's members, by name; nil = it declares none.
func Properties(schema map[string]any) map[string]any {
	props, _ := schema["properties"].(map[string]any)
	return props
}

// Names are the names of an object's members, in order.
func Names(schema map[string]any) []string { return slices.Sorted(maps.Keys(Properties(schema))) }

// InOrder are the names of an object's members as people are asked for them. JSON keeps no order of members, but that of a list: those that are
// required come first, as the schema lists them, and the others by their names.
func InOrder(schema map[string]any) []string {
	names := slices.DeleteFunc(Required(schema), func(name string) bool { _, declared := Properties(schema)[name]; return !declared })
	for _, name := range Names(schema) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Property is the schema of one member; nil = none is declared.
func Property(schema map[string]any, name string) map[string]any {
	p, _ := Properties(schema)[name].(map[string]any)
	return p
}

// Items is the schema of a list's items; nil = it says nothing of them.
func Items(schema map[string]any) map[string]any {
	items, _ := schema["items"].(map[string]any)
	return items
}

// Required are the names of the members that an object must have.
func Required(schema map[string]any) []string { return Texts(schema["required"]) }

// Types are the types that a schema names, such as string or array.
func Types(schema map[string]any) []string {
	if t, ok := schema["type"].(string); ok {
		return []string{t}
	}
	return Texts(schema["type"])
}

// Texts gives the texts of a list in a schema.
func Texts(v any) []string {
	var out []string
	for _, e := range Values(v) {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// Values gives a list in a schema, which Go code may write with narrower types than JSON's.
func Values(v any) []any {
	switch v := v.(type) {
	case nil, string:
		return nil
	case []any:
		return v
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice {
		return nil
	}
	out := make([]any, r.Len())
	for i := range out {
		out[i] = r.Index(i).Interface()
	}
	return out
}
