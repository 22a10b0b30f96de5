package plan

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// param is one parameter of a tool, out of its schema.
type param struct {
	name        string
	typ         string // string, number, integer, boolean, object, array
	required    bool   // and without a default
	description string
	enum        []any
	example     any
	stems       []string
}

// paramsOf lists the parameters of a schema: required ones in the order in which they are declared required, then the others by
// name.
func paramsOf(schema map[string]any) []param {
	props, _ := schema["properties"].(map[string]any)
	needed := texts(schema["required"])
	var out []param
	for _, name := range slices.Sorted(maps.Keys(props)) {
		p := schemaParam(name, props[name])
		p.required = p.required && slices.Contains(needed, name)
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b param) int { return cmp.Compare(place(needed, a), place(needed, b)) })
	return out
}

func place(needed []string, p param) int {
	if i := slices.Index(needed, p.name); i >= 0 && p.required {
		return i
	}
	return len(needed)
}

func schemaParam(name string, schema any) param {
	p := param{name: name, typ: "string", stems: nameStems(name), required: true}
	s, ok := schema.(map[string]any)
	if !ok {
		return p
	}
	p.typ = typeOf(s)
	p.description, _ = s["description"].(string)
	for _, v := range values(s["enum"]) {
		if fits(p.typ, v) {
			p.enum = append(p.enum, v)
		}
	}
	if examples := values(s["examples"]); len(examples) > 0 {
		p.example = examples[0]
	} else {
		p.example = s["example"]
	}
	if !fits(p.typ, p.example) || len(p.enum) > 0 {
		p.example = nil
	}
	if _, has := s["default"]; has {
		p.required = false
	}
	return p
}

var valueTypes = []string{"string", "number", "integer", "boolean", "object", "array"}

func typeOf(schema map[string]any) string {
	for _, t := range append(texts(schema["type"]), text(schema["type"])) {
		if slices.Contains(valueTypes, t) {
			return t
		}
	}
	if schema["properties"] != nil {
		return "object"
	}
	return "string"
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func texts(v any) []string {
	if list, ok := v.([]string); ok {
		return list
	}
	var out []string
	for _, e := range values(v) {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func values(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case []string:
		out := make([]any, len(v))
		for i, s := range v {
			out[i] = s
		}
		return out
	}
	return nil
}

// fits reports whether a plain value has one of the types of inputs.
func fits(typ string, v any) bool {
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

// field is a place in a result.
type field struct {
	path  []string
	stems []string // of all names on the path
	last  []string // of the last name
	typ   string
	enum  []any
}

// fieldsOf lists the places in a result, the outer ones first.
func fieldsOf(schema map[string]any) []field {
	var out []field
	level := []struct {
		schema map[string]any
		at     field
	}{{schema: schema}}
	for depth := 0; depth < maxFieldDepth && len(level) > 0; depth++ {
		next := level[:0:0]
		for _, l := range level {
			props, _ := l.schema["properties"].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(props)) {
				p := schemaParam(name, props[name])
				f := field{path: append(slices.Clone(l.at.path), name), last: p.stems, typ: p.typ, enum: p.enum}
				f.stems = append(slices.Clone(l.at.stems), p.stems...)
				if out = append(out, f); len(out) >= maxFields {
					return out
				}
				if s, ok := props[name].(map[string]any); ok {
					next = append(next, struct {
						schema map[string]any
						at     field
					}{s, f})
				}
			}
		}
		level = next
	}
	return out
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// dotted writes a path into an expression.
func dotted(root string, path []string) string {
	var b strings.Builder
	b.WriteString(root)
	for _, p := range path {
		if identifier.MatchString(p) {
			b.WriteString("." + p)
		} else {
			b.WriteString("[" + literal(p) + "]")
		}
	}
	return b.String()
}

// literal writes a text into an expression.
func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(s) + "'"
}
