// Package coerce makes the inputs of a run out of the values that somebody gives: words become the declared types, defaults are filled in,
// and everything that does not fit is told at once.
//
// The package is pure: it knows the flow's declarations and nothing of runs or the store. Look next at flow.Input.
package coerce

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/usererror"
)

// Inputs checks a run's inputs against the flow's declaration, turns words such as "42" into the declared type, and fills
// in defaults. All problems come in one *usererror.Error.
func Inputs(f *flow.Flow, given map[string]any) (map[string]any, error) {
	out := map[string]any{}
	var problems []string
	fields := map[string]string{}
	wrong := func(name, problem string) {
		problems = append(problems, problem)
		fields[name] = problem
	}
	names := make([]string, 0, len(f.Inputs))
	for _, in := range f.Inputs {
		names = append(names, in.Name)
		v, ok := given[in.Name]
		switch {
		case ok && v != nil && v != "":
			c, err := coerce(in, v)
			if err != nil {
				wrong(in.Name, err.Error())
				continue
			}
			out[in.Name] = c
		case in.Default != nil:
			out[in.Name] = in.Default
		case in.Required:
			wrong(in.Name, fmt.Sprintf("%s is missing%s", in.Name, example(in)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if f.Profile == flow.ProfileNative && !slices.Contains(names, name) { // a caller of another format may give more than is read
			problems = append(problems, fmt.Sprintf("there is no input called %s%s", name, usererror.Nearest(name, names)))
		}
	}
	if len(problems) > 0 {
		return nil, &usererror.Error{
			Code: "bad_inputs",
			Text: fmt.Sprintf("The inputs of %s do not fit: %s.", f.Name, strings.TrimSuffix(strings.Join(problems, "; "), ".")),
			Hint: usage(f), Problems: problems, Fields: fields,
		}
	}
	return out, nil
}

func example(in flow.Input) string {
	if in.Example != nil && !in.Sensitive {
		return fmt.Sprintf(" (for example %s=%s)", in.Name, listing.Sample(in.Example))
	}
	if in.Description != "" && in.Description != flow.Words(in.Name) && in.Description != in.Name {
		return " (" + in.Description + ")"
	}
	return ""
}

// usage shows how to start the flow.
func usage(f *flow.Flow) string {
	parts := []string{f.Name}
	for _, in := range f.Inputs {
		v := listing.Placeholder(in.Type)
		if len(in.Enum) > 0 {
			v = enumWords(in.Enum, "|")
		}
		if in.Example != nil && !in.Sensitive {
			v = listing.Sample(in.Example)
		}
		if in.Required {
			parts = append(parts, in.Name+"="+v)
		} else {
			parts = append(parts, "["+in.Name+"="+v+"]")
		}
	}
	return "Start it with: run " + strings.Join(parts, " ")
}

func coerce(in flow.Input, v any) (any, error) {
	if text, ok := v.(string); ok && in.Type == "array" {
		list, problem := listing.Read(text, in.Item())
		if problem != "" {
			return nil, fmt.Errorf("%s %s", in.Name, problem)
		}
		v = plain(list)
	}
	c, ok := convert(in.Type, v)
	if !ok {
		shown := fmt.Sprintf("%q", fmt.Sprint(v))
		if in.Sensitive {
			shown = "the given value"
		}
		return nil, fmt.Errorf("%s must be %s, and %s is not%s", in.Name, flow.TypeWords(in.Type), shown, example(in))
	}
	if len(in.Enum) > 0 && !slices.ContainsFunc(in.Enum, func(e any) bool { return fmt.Sprint(e) == fmt.Sprint(c) }) {
		return nil, fmt.Errorf("%s must be one of %s", in.Name, enumWords(in.Enum, ", "))
	}
	return c, nil
}

func enumWords(values []any, between string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, between)
}

// convert gives v as the declared type.
func convert(kind string, v any) (any, bool) {
	s, isText := v.(string)
	switch kind {
	case flow.TypeAny:
		return v, true
	case "number", "integer":
		n, ok := number(v)
		return n, ok && (kind == "number" || n == math.Trunc(n))
	case "boolean":
		if b, ok := v.(bool); ok {
			return b, true
		}
		switch s = strings.ToLower(strings.TrimSpace(s)); s {
		case "yes", "no":
			return s == "yes", true
		}
		b, err := strconv.ParseBool(s)
		return b, isText && err == nil
	case "object":
		if isText {
			var m map[string]any
			return m, json.Unmarshal([]byte(s), &m) == nil && m != nil
		}
		_, ok := v.(map[string]any)
		return v, ok
	case flow.TypeDate, flow.TypeTime, flow.TypePerson, flow.TypeChannel:
		s = strings.TrimSpace(s)
		return s, isText && flow.TextOfType(kind, s)
	case flow.TypeFile:
		m, ok := convert("object", v)
		if !ok {
			return nil, false
		}
		return m, flow.IsFile(m.(map[string]any))
	case "array":
		_, ok := v.([]any)
		return v, ok
	}
	if isText {
		return s, true
	}
	switch v.(type) {
	case map[string]any, []any:
		return nil, false
	}
	return fmt.Sprint(v), true
}

// plain gives a list the numbers that JSON has.
func plain(list []any) (out []any) {
	b, _ := json.Marshal(list)
	_ = json.Unmarshal(b, &out)
	return out
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

// Named keeps the values whose names are inputs of the flow.
func Named(f *flow.Flow, values map[string]any) map[string]any {
	out := map[string]any{}
	for _, in := range f.Inputs {
		if v, ok := values[in.Name]; ok {
			out[in.Name] = v
		}
	}
	return out
}
