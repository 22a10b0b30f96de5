package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sluice/engine/planner/tree"
)

// form describes a type of an answer: as a JSON Schema for the service that holds the answer to it, and in short for the model to read.
type form struct {
	schema any
	short  string
}

// object is a JSON object in the order of its members: a model fills them in this order, and a kind of step is told by the first.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		body, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%.*s%q:%s", min(i, 1), ",", m.name, body)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// forms describes answers of a type, with the types below it.
type forms struct {
	brief *brief
	defs  map[string]form
}

// formsOf describes an answer: tools, flows, people and channels are those that a brief lists.
func formsOf(answer any, b *brief) (schema map[string]any, short string) {
	f := &forms{b, map[string]form{"Quote": {schema: map[string]any{"type": "string"}}}}
	if b != nil {
		f.defs["Tool"], f.defs["Flow"] = enumOf(slices.Sorted(maps.Keys(b.tools))), enumOf(slices.Sorted(maps.Keys(b.flows)))
		f.defs["Person"] = enumOf(append([]string{"", tree.NameRequester, tree.NameThread}, slices.Sorted(maps.Keys(b.names))...))
	}
	whole := f.object(reflect.TypeOf(answer), "")
	out := map[string]any{"$defs": map[string]any{}}
	for _, m := range whole.schema.(object) {
		out[m.name] = m.value
	}
	text := []string{"Tree = " + whole.short}
	for _, name := range slices.Sorted(maps.Keys(f.defs)) {
		out["$defs"].(map[string]any)[name] = f.defs[name].schema
		if f.defs[name].short != "" { // the others are listed elsewhere
			text = append(text, name+" = "+f.defs[name].short)
		}
	}
	return out, strings.Join(text, "\n") + "\n"
}

func enumOf(values []string) form {
	if len(values) == 0 {
		return form{schema: map[string]any{"type": "string"}}
	}
	return form{schema: map[string]any{"type": "string", "enum": values}}
}

// of describes one field.
func (f *forms) of(t reflect.Type, tag reflect.StructTag) form {
	switch t.Kind() {
	case reflect.Slice:
		item := f.of(t.Elem(), tag)
		return form{map[string]any{"type": "array", "items": item.schema}, item.short + "[]"}
	case reflect.Pointer:
		one := f.of(t.Elem(), tag)
		return form{map[string]any{"anyOf": []any{one.schema, map[string]any{"type": "null"}}}, one.short + "|null"}
	case reflect.Struct:
		name := strings.TrimPrefix(t.Name(), "wire")
		if _, known := f.defs[name]; !known {
			f.defs[name] = form{} // it may be below itself
			if f.defs[name] = f.object(t, ""); name == "Step" {
				f.defs[name] = f.step(t)
			}
		}
		return form{map[string]any{"$ref": "#/$defs/" + name}, name}
	case reflect.Bool:
		return form{map[string]any{"type": "boolean"}, "boolean"}
	case reflect.Int:
		return form{map[string]any{"type": "integer"}, "integer"}
	}
	if name := tag.Get("is"); name != "" {
		return form{map[string]any{"$ref": "#/$defs/" + name}, name}
	}
	if values := strings.Fields(tag.Get("enum")); len(values) > 0 {
		out := enumOf(values)
		out.short = `"` + strings.Join(values, `"|"`) + `"`
		return out
	}
	return form{map[string]any{"type": "string"}, "string"}
}

// step describes a step: a type for each kind.
func (f *forms) step(t reflect.Type) form {
	var all []any
	var short strings.Builder
	for _, kind := range kinds {
		if kind == "tool" && len(f.brief.tools) == 0 || kind == "flow" && len(f.brief.flows) == 0 || kind == "keep" && f.brief.base == nil {
			continue
		}
		one := f.object(t, kind)
		all = append(all, one.schema)
		short.WriteString("\n  | " + one.short)
	}
	return form{map[string]any{"anyOf": all}, short.String()}
}

// object describes a type, or the steps of one kind. It requires all properties, as strict structured output wants it.
func (f *forms) object(t reflect.Type, kind string) form {
	var properties object
	var names, short []string
	for field := range t.Fields() {
		name, in := field.Tag.Get("json"), field.Tag.Get("in")
		if in != "" && !slices.Contains(strings.Fields(in), kind) || kind == "keep" && name != "kind" && name != "was" || field.Tag.Get("when") != "" && f.brief.base == nil {
			continue
		}
		one := f.of(field.Type, field.Tag)
		if name == "kind" && kind != "" {
			one = form{enumOf([]string{kind}).schema, `"` + kind + `"`}
		}
		if about := field.Tag.Get("about"); about != "" {
			one.short += " /* " + about + " */"
		}
		properties, names, short = append(properties, member{name, one.schema}), append(names, name), append(short, name+": "+one.short)
	}
	return form{object{{"type", "object"}, {"properties", properties}, {"required", names}, {"additionalProperties", false}}, "{" + strings.Join(short, ", ") + "}"}
}
