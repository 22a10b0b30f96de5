package tool

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sluice/engine/flow/listing"
	"sluice/engine/jsonschema"
)

// EditArgs reads what somebody has entered for the arguments of a call. given is what they saw. It gives the values that differ, in the types
// that the tool's parameters want, with nil for an argument to leave out; or what is wrong, by name. An argument that was seen in part (dots, the
// name of a secret) can stay as it is or be replaced as a whole.
func EditArgs(t Tool, given map[string]any, entered map[string]string) (set map[string]any, wrong map[string]string) {
	set, wrong = map[string]any{}, map[string]string{}
	required := jsonschema.Required(t.Params)
	known := jsonschema.Names(t.Params)
	for _, name := range slices.Sorted(maps.Keys(entered)) {
		text := strings.TrimSpace(entered[name])
		old, there := given[name]
		if seen := strings.TrimSpace(ArgText(old)); text == seen || isCut(text, seen) {
			continue
		}
		switch {
		case text == "" && slices.Contains(required, name):
			wrong[name] = "is required"
			continue
		case text == "" && there:
			set[name] = nil
			continue
		case !there && !slices.Contains(known, name):
			wrong[name] = "is no parameter of " + t.Name
			continue
		case strings.Contains(text, "•••") || strings.Contains(text, "«secret "):
			wrong[name] = "is shown in part: leave it as it is, or replace all of it"
			continue
		}
		value, problem := argValue(jsonschema.Property(t.Params, name), old, text)
		if problem == "" {
			problem = checkArg(t, name, value)
		}
		if problem != "" {
			wrong[name] = problem
		} else if !reflect.DeepEqual(value, old) {
			set[name] = value
		}
	}
	return set, wrong
}

// isCut reports whether a text is the beginning of a long one, as a form shows it. A person who sends it back has not changed it.
func isCut(text, whole string) bool {
	head, cut := strings.CutSuffix(text, "…")
	return cut && len(head) >= cutMost && strings.HasPrefix(whole, head)
}

// cutMost is fewer bytes than any form shows.
const cutMost = 1000

// ArgText writes an argument as a person would enter it.
func ArgText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		return listing.Sample(v)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// ItemType is the type of the values of an argument that is a list, by its schema, or else by what stands there; "" = neither says it.
func ItemType(schema map[string]any, old any) string {
	if types := jsonschema.Types(jsonschema.Items(schema)); len(types) == 1 {
		return types[0]
	}
	list, _ := old.([]any)
	return listing.Item(list)
}

// argValue reads a text as a parameter's schema wants it; where that says nothing, as what stood there before. What is wrong with a list is told.
func argValue(schema map[string]any, old any, text string) (value any, problem string) {
	types := jsonschema.Types(schema)
	_, wasText := old.(string)
	_, wasList := old.([]any)
	switch {
	case slices.Contains(types, "string") || len(types) == 0 && wasText:
		return text, ""
	case slices.Equal(types, []string{"array"}) || len(types) == 0 && wasList:
		return listing.Read(text, ItemType(schema, old))
	case slices.Contains(types, "boolean") && strings.EqualFold(text, "yes"):
		return true, ""
	case slices.Contains(types, "boolean") && strings.EqualFold(text, "no"):
		return false, ""
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return text, ""
	}
	return v, ""
}

// checkArg says what is wrong with one argument; "" = nothing. Of the others it is not known here what is sent.
func checkArg(t Tool, name string, value any) string {
	one := maps.Clone(t.Params)
	delete(one, "required")
	s, err := CompileSchema(one)
	if err != nil {
		return "cannot be checked: " + err.Error()
	}
	if problems := s.Check(map[string]any{name: value}); len(problems) > 0 {
		return strings.TrimPrefix(problems[0], name+" ")
	}
	return ""
}
