package agent

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/jsonschema"
)

// Form is what a person is asked in the agent's place when there is no model: the question, and a field for each property
// of the agent's output. Without a declared output there are no fields, and the answer is free text. The caller adds what
// the agent would have been given.
func Form(a flow.Agent) (message string, fields map[string]flow.FormField) {
	message = fmt.Sprintf("There is no language model for the agent %s.", a.ID)
	if text := strings.TrimSpace(a.Instructions); text != "" {
		message += "\n" + text
	}
	names, required := jsonschema.InOrder(a.Output), jsonschema.Required(a.Output)
	if len(names) == 0 {
		return message, nil
	}
	fields = make(map[string]flow.FormField, len(names))
	for i, name := range names {
		f := field(jsonschema.Property(a.Output, name), slices.Contains(required, name))
		f.Order = i + 1
		fields[name] = f
	}
	return message, fields
}

func field(schema map[string]any, required bool) flow.FormField {
	f := flow.FormField{Type: fieldType(schema), Required: required}
	f.Description, _ = schema["description"].(string)
	f.Enum, _ = schema["enum"].([]any)
	return f
}

// fieldType is the type of a field; a schema that allows several gives the first that is not null.
func fieldType(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if s, ok := one.(string); ok && s != "null" {
				return s
			}
		}
	}
	return "string"
}
