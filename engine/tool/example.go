package tool

import (
	"cmp"
	"maps"
	"slices"
)

// exampleDepth bounds objects inside objects: a schema may refer to itself.
const exampleDepth = 6

// Example makes a value that a JSON Schema describes: its own example, default or first allowed value where it names one, else
// something plain of the right type. false: the schema says too little, or is none. Equal schemas give equal examples.
func Example(schema map[string]any) (any, bool) {
	if schema == nil {
		return nil, false
	}
	return example(schema, "", exampleDepth)
}

func example(schema map[string]any, name string, depth int) (any, bool) {
	if depth == 0 {
		return nil, false
	}
	for _, key := range []string{"example", "const", "default"} {
		if v, ok := schema[key]; ok {
			return v, true
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if list, ok := schema[key].([]any); ok && len(list) > 0 {
			return list[0], true
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := schema[key].([]any); ok && len(list) > 0 {
			if first, ok := list[0].(map[string]any); ok {
				return example(first, name, depth-1)
			}
		}
	}
	switch typeOf(schema) {
	case "object":
		return exampleObject(schema, depth), true
	case "array":
		if items, ok := schema["items"].(map[string]any); ok {
			if v, ok := example(items, name, depth-1); ok {
				return []any{v}, true
			}
		}
		return []any{}, true
	case "string":
		return exampleText(schema, name), true
	case "number", "integer":
		return exampleNumber(schema), true
	case "boolean":
		return true, true
	case "null":
		return nil, true
	}
	return nil, false
}

// typeOf is the schema's type, the first of several, or what its other keys mean.
func typeOf(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		if len(t) > 0 {
			first, _ := t[0].(string)
			return first
		}
	}
	if _, ok := schema["properties"]; ok {
		return "object"
	}
	if _, ok := schema["items"]; ok {
		return "array"
	}
	return ""
}

func exampleObject(schema map[string]any, depth int) map[string]any {
	properties, _ := schema["properties"].(map[string]any)
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if p, ok := properties[name].(map[string]any); ok {
			if v, ok := example(p, name, depth-1); ok {
				out[name] = v
			}
		}
	}
	return out
}

// formats are texts of the forms that a schema can ask for.
var formats = map[string]string{
	"date": "2026-01-31", "date-time": "2026-01-31T09:00:00Z", "time": "09:00:00Z", "email": "ana@example.com",
	"uri": "https://example.com", "uuid": "00000000-0000-4000-8000-000000000000",
}

// exampleText is the name of the field: what is shown then says where it comes from.
func exampleText(schema map[string]any, name string) string {
	format, _ := schema["format"].(string)
	return cmp.Or(formats[format], name, "text")
}

func exampleNumber(schema map[string]any) any {
	if least, ok := schema["minimum"]; ok {
		return least
	}
	return 1
}
