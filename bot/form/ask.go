package form

import (
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/jsonschema"
	"sluice/engine/tool"
)

// The owners of what people can change about a gate.
const (
	OfAsk  Owner = "ask"  // Subject is a gate: the value is somebody who is asked to answer it
	OfCall Owner = "call" // Subject is a gate about a call: the values are the arguments of the call
)

// FieldPerson is the field of the person who is asked.
const FieldPerson = ".person"

// Ask asks for somebody who may answer a gate, and is to be asked by name.
func Ask(id string, o history.GateOpened) Form {
	return Form{
		Ref: Ref{Owner: OfAsk, Subject: id, Shown: o.Shown()}, Title: "Ask somebody else", Submit: "Ask", Text: o.Message,
		Fields: []Field{{Name: FieldPerson, Label: "Whom", Kind: Person, Required: true, Hint: "Somebody who may answer this question, too. They get it as a direct message, with your name."}},
	}
}

// Call asks for the arguments of a call that waits for a person's permission: those that it has, and what else the tool takes.
func Call(id string, o history.GateOpened, params map[string]any) Form {
	out := Form{
		Ref: Ref{Owner: OfCall, Subject: id, Shown: o.Shown()}, Title: "Change the arguments", Submit: "Change",
		Text: o.Message + "\nNothing is called yet: the question is asked again with these arguments.",
	}
	given := map[string]any{}
	names := jsonschema.InOrder(params)
	for _, s := range o.Show {
		given[s.Name] = s.Value
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	for _, name := range names {
		out.Fields = append(out.Fields, argument(name, jsonschema.Property(params, name), given[name], slices.Contains(jsonschema.Required(params), name)))
	}
	return out
}

// lineMost is how long a text may be for a field of one line.
const lineMost = 80

// argument is the field of one argument. Where the value does not fit the sort of field that the tool would have, it is a text.
func argument(name string, schema map[string]any, value any, required bool) Field {
	description, _ := schema["description"].(string)
	f := Field{Name: name, Label: flow.Words(name), Hint: description, Kind: Long, Value: tool.ArgText(value), Required: required}
	types := jsonschema.Types(schema)
	_, err := strconv.ParseFloat(f.Value, 64)
	switch enum := jsonschema.Values(schema["enum"]); {
	case len(enum) > 0 && (value == nil || slices.Contains(words(enum), f.Value)):
		f.Kind, f.Options = Choice, words(enum)
	case len(types) != 1 || value != nil && types[0] == "boolean":
	case (err == nil || value == nil) && (types[0] == "number" || types[0] == "integer"):
		f.Kind = kindOf(types[0])
	case types[0] == "boolean":
		f.Kind = YesNo
	case types[0] == "array":
		f.Kind, f.Item = List, tool.ItemType(schema, value)
	case types[0] == "object":
		f.Kind = JSON
	case types[0] == "string" && len(f.Value) <= lineMost && !strings.Contains(f.Value, "\n"):
		f.Kind = Text
	}
	if value, ok := value.(bool); ok && slices.Equal(types, []string{"boolean"}) {
		f.Kind, f.Value = YesNo, shown(value)
	}
	f.Hint = f.entry("")
	return f
}
