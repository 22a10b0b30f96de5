// Package form checks what a person gives at a gate against the fields that the gate declares. It knows neither runs nor who answers.
package form

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/history"
)

// most bounds what one answer's form and note may take: they stay in the state.
const most = 32 << 10

// Given is a person's answer at a gate.
type Given struct {
	Choice, Note, Text string
	Form               map[string]any
}

// Check gives the form of an answer with its values in the types that the fields declare, else what is wrong with each field.
func Check(fields map[string]flow.FormField, g history.Gate, in Given) (form map[string]any, wrong map[string]string) {
	wrong = map[string]string{}
	form = map[string]any{}
	for name, v := range in.Form {
		field := fields[name]
		value, problem := fitted(field, history.Normal(v))
		if problem != "" {
			wrong[name] = problem
			continue
		}
		if !blank(value) {
			form[name] = value
		}
	}
	if note := strings.TrimSpace(in.Note); note != "" && form["note"] == nil {
		if _, declared := fields["note"]; declared {
			form["note"] = note
		}
	}
	for _, name := range slices.Concat(g.Required, g.RequiredFor[in.Choice]) {
		if _, given := form[name]; !given && wrong[name] == "" {
			wrong[name] = "is required"
		}
	}
	if size := len(expr.JSON(form)) + len(in.Note); size > most {
		wrong["form"] = fmt.Sprintf("takes %d KiB, at most %d are possible", size>>10, most>>10)
	}
	if len(g.Choices) == 0 && len(form) == 0 && len(wrong) == 0 && strings.TrimSpace(in.Text) == "" && in.Choice == "" {
		wrong["text"] = "an answer is required"
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	if len(form) == 0 {
		return nil, nil
	}
	return form, nil
}

func blank(v any) bool {
	s, isText := v.(string)
	return v == nil || isText && strings.TrimSpace(s) == ""
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

// fitted brings a value to a field's type; texts come from modals and terminals, which know no other type.
func fitted(field flow.FormField, v any) (value any, problem string) {
	if blank(v) {
		return nil, ""
	}
	text := strings.TrimSpace(expr.Text(v))
	switch field.Type {
	case "number", "integer":
		n, ok := expr.Literal(text)
		if _, isText := n.(string); !ok || isText {
			return nil, "must be a number"
		}
		if field.Type == "integer" && strings.ContainsAny(text, ".eE") {
			return nil, "must be a whole number"
		}
		v = history.Normal(n)
	case "boolean":
		switch strings.ToLower(text) {
		case "true", "yes":
			v = true
		case "false", "no":
			v = false
		default:
			return nil, "must be true or false"
		}
	case flow.TypeDate, flow.TypeTime, flow.TypePerson, flow.TypeChannel:
		if v = text; !flow.TextOfType(field.Type, text) {
			return nil, "must be " + flow.TypeWords(field.Type)
		}
	case "array":
		if s, isText := v.(string); isText {
			if v, problem = listing.Read(s, ""); problem != "" {
				return nil, problem
			}
		}
		if v = history.Normal(v); !isList(v) {
			return nil, "must be " + flow.TypeWords(field.Type)
		}
	case "object", flow.TypeFile:
		if s, isText := v.(string); isText && json.Unmarshal([]byte(s), &v) != nil {
			return nil, "must be " + flow.TypeWords(field.Type)
		}
		v = history.Normal(v)
		if object, isObject := v.(map[string]any); !isObject || field.Type == flow.TypeFile && !flow.IsFile(object) {
			return nil, "must be " + flow.TypeWords(field.Type)
		}
	}
	if len(field.Enum) > 0 && !slices.ContainsFunc(field.Enum, func(e any) bool { return expr.Compare("==", e, v) }) {
		names := make([]string, len(field.Enum))
		for i, e := range field.Enum {
			names[i] = expr.Text(e)
		}
		return nil, "must be one of " + strings.Join(names, ", ")
	}
	return v, ""
}
