package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sluice/engine/planner/tree"
)

// form describes a type of an answer: as a JSON Schema for the service that holds the answer to it, and in short for the model to read. The
// schema is written as text, because a model fills in properties in their order, and a kind of step is told by the first.
type form struct{ schema, short string }

// forms describes answers of a type, with the types below it.
type forms struct {
	brief *brief
	defs  map[string]form
}

// formsOf describes an answer: tools, flows, people and channels are those that a brief lists.
func formsOf(answer any, b *brief) (schema map[string]any, short string) {
	f := &forms{b, map[string]form{"Quote": {schema: `{"type":"string"}`}}}
	if b != nil {
		f.defs["Tool"], f.defs["Flow"] = enumOf(slices.Sorted(maps.Keys(b.tools))), enumOf(slices.Sorted(maps.Keys(b.flows)))
		f.defs["Person"] = enumOf(append([]string{"", tree.NameRequester, tree.NameThread}, slices.Sorted(maps.Keys(b.names))...))
	}
	whole := f.object(reflect.TypeOf(answer), "")
	defs := map[string]json.RawMessage{}
	text := []string{"Tree = " + whole.short}
	for _, name := range slices.Sorted(maps.Keys(f.defs)) {
		defs[name] = json.RawMessage(f.defs[name].schema)
		if f.defs[name].short != "" { // the others are listed elsewhere
			text = append(text, name+" = "+f.defs[name].short)
		}
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(whole.schema), &parts); err != nil {
		panic("model: a schema is JSON: " + err.Error())
	}
	schema = map[string]any{"$defs": defs}
	for name, part := range parts {
		schema[name] = part
	}
	return schema, strings.Join(text, "\n") + "\n"
}

func enumOf(values []string) form {
	if len(values) == 0 {
		return form{schema: `{"type":"string"}`}
	}
	return form{schema: `{"enum":` + asJSON(values) + `,"type":"string"}`}
}

// of describes one field.
func (f *forms) of(t reflect.Type, tag reflect.StructTag) form {
	switch t.Kind() {
	case reflect.Slice:
		item := f.of(t.Elem(), tag)
		return form{`{"items":` + item.schema + `,"type":"array"}`, item.short + "[]"}
	case reflect.Pointer:
		one := f.of(t.Elem(), tag)
		return form{`{"anyOf":[` + one.schema + `,{"type":"null"}]}`, one.short + "|null"}
	case reflect.Struct:
		name := strings.TrimPrefix(t.Name(), "wire")
		if _, known := f.defs[name]; !known {
			f.defs[name] = form{} // it may be below itself
			if f.defs[name] = f.object(t, ""); name == "Step" {
				f.defs[name] = f.step(t)
			}
		}
		return form{`{"$ref":"#/$defs/` + name + `"}`, name}
	case reflect.Bool:
		return form{`{"type":"boolean"}`, "boolean"}
	case reflect.Int:
		return form{`{"type":"integer"}`, "integer"}
	}
	if name := tag.Get("is"); name != "" {
		return form{`{"$ref":"#/$defs/` + name + `"}`, name}
	}
	if values := strings.Fields(tag.Get("enum")); len(values) > 0 {
		out := enumOf(values)
		out.short = `"` + strings.Join(values, `"|"`) + `"`
		return out
	}
	return form{`{"type":"string"}`, "string"}
}

// step describes a step: a type for each kind.
func (f *forms) step(t reflect.Type) form {
	var all []string
	var short strings.Builder
	for _, kind := range kinds {
		if kind == "tool" && len(f.brief.tools) == 0 || kind == "flow" && len(f.brief.flows) == 0 || kind == "keep" && f.brief.base == nil {
			continue
		}
		one := f.object(t, kind)
		all = append(all, one.schema)
		short.WriteString("\n  | " + one.short)
	}
	return form{`{"anyOf":[` + strings.Join(all, ",") + `]}`, short.String()}
}

// object describes a type, or the steps of one kind. It requires all properties, as strict structured output wants it.
func (f *forms) object(t reflect.Type, kind string) form {
	var properties, names, short []string
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
		properties, names, short = append(properties, `"`+name+`":`+one.schema), append(names, name), append(short, name+": "+one.short)
	}
	schema := fmt.Sprintf(`{"type":"object","properties":{%s},"required":%s,"additionalProperties":false}`, strings.Join(properties, ","), asJSON(names))
	return form{schema, "{" + strings.Join(short, ", ") + "}"}
}
