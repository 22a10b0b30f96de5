package form

import (
	"encoding/json"
	"slices"
	"strings"

	"sluice/engine/jsonschema"
	"sluice/engine/tool"
)

// valuePrefix stands before the names of the values that a step gives, which the fields of a gate may have, too.
const valuePrefix = FieldValue + "."

// Giving asks for what a step gives value by value, when its schema names them; else the form stays as it is, with one field.
func Giving(f Form, schema map[string]any) Form {
	i := slices.IndexFunc(f.Fields, func(f Field) bool { return f.Name == FieldValue })
	names := jsonschema.InOrder(schema)
	if i < 0 || len(names) == 0 {
		return f
	}
	var values []Field
	for _, name := range names {
		field := argument(name, jsonschema.Property(schema, name), nil, slices.Contains(jsonschema.Required(schema), name))
		field.Name = valuePrefix + name
		values = append(values, field)
	}
	f.Text = strings.TrimSpace(f.Text + "\n\nThe run goes on as if the step had given these values.")
	f.Fields = slices.Replace(slices.Clone(f.Fields), i, i+1, values...)
	return f
}

// Given reads what somebody entered in the fields of Giving, or of the one field without a schema, as the step would have given it; nil = nothing
// was entered. What is wrong is told by field.
func Given(schema map[string]any, entered map[string]string) (value json.RawMessage, wrong map[string]string) {
	if text := entered[FieldValue]; text != "" {
		return raw(text), nil
	}
	texts := map[string]string{}
	for name, text := range entered {
		if name, ok := strings.CutPrefix(name, valuePrefix); ok && strings.TrimSpace(text) != "" {
			texts[name] = text
		}
	}
	if len(texts) == 0 {
		return nil, nil
	}
	values, problems := tool.EditArgs(tool.Tool{Name: "the step", Params: schema}, nil, texts)
	wrong = map[string]string{}
	for name, problem := range problems {
		wrong[valuePrefix+name] = "This " + problem + "."
	}
	for _, name := range jsonschema.Required(schema) {
		if texts[name] == "" {
			wrong[valuePrefix+name] = "This is required."
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	value, _ = json.Marshal(values)
	return value, nil
}

// raw is a text as JSON when it is JSON, else as a text.
func raw(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	value, _ := json.Marshal(text)
	return value
}

// TypedValues gives values that were typed under the names of a schema the names that the fields of Giving have.
func TypedValues(schema map[string]any, typed map[string]string) map[string]string {
	out := map[string]string{}
	for _, name := range jsonschema.Names(schema) {
		if v, ok := typed[name]; ok {
			out[valuePrefix+name] = v
		}
	}
	if v, ok := typed["value"]; ok && len(out) == 0 {
		out[FieldValue] = v
	}
	return out
}
