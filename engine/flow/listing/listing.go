// Package listing reads lists as people type them, and writes lists in words. Every door where a person gives a value that is a list reads it
// with Read: the form, the typed words, the terminal, the arguments of a call.
//
// # Decisions
//
//   - A text of several lines has a value in each line. A text of one line has values between commas; in quotation marks a comma is text. What
//     was read is shown to the person (Words), because "Smith, John" is one name for some and two for others.
//   - Where nothing says what the values are, they are texts, as everything is that a person types: "0012" stays what it is. JSON says it.
//   - JSON is read where a text begins as JSON does. What begins so and is no list is refused: a text with a bracket may be a list with a mistake.
package listing

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// What is said of values that are lists.
const (
	Hint        = `One value a line, or separated by commas.`
	ObjectsHint = `A JSON list of objects, for example [{"name": "value"}]`
)

// The types of items that are not read from words.
var nested = map[string]bool{"object": true, "array": true}

// wanted says what a text is not that does not fit the type of the items.
var wanted = map[string]string{"number": "which is no number", "integer": "which is no whole number", "boolean": "which is neither yes nor no"}

// HintFor says how a list is given. item is the type of its values, "" = it is not known.
func HintFor(item string) string {
	if nested[item] {
		return ObjectsHint
	}
	return Hint
}

// InLine says how a list is given where a text has one line.
func InLine(item string) string {
	if nested[item] {
		return "JSON"
	}
	return "values separated by commas"
}

// Placeholder stands in an example for a value of a type.
func Placeholder(typ string) string {
	switch typ {
	case "array":
		return "<one>, <two>"
	case "":
		return "<string>"
	}
	return "<" + typ + ">"
}

// Read gives the values of a list that somebody has typed, or what is wrong with it, as the end of a sentence that begins with the name of the
// field. item is the type of the values, "" = it is not known.
func Read(text, item string) (values []any, problem string) {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "["):
		if values, ok := parsed(text).([]any); ok {
			return values, ""
		}
		return nil, "begins as a JSON list does and is none, for example " + example(item)
	case strings.HasPrefix(text, "{"), nested[item]:
		return nil, `must be a JSON list, for example [{"name": "value"}]`
	}
	for _, t := range split(text) {
		v, ok := valueOf(t, item)
		if !ok {
			return nil, fmt.Sprintf("has %q, %s", t, wanted[item])
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return nil, "has no value; [] is an empty list"
	}
	return values, ""
}

func example(item string) string {
	switch item {
	case "number", "integer":
		return "[1, 2]"
	case "boolean":
		return "[true, false]"
	case "object", "array":
		return `[{"name": "value"}]`
	}
	return `["one", "two"]`
}

// parsed is a text as JSON; nil = it is none.
func parsed(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return nil
	}
	return v
}

// quoted finds a value in quotation marks, behind which a comma or nothing comes.
var quoted = regexp.MustCompile("^(?:\"([^\"]*)\"|\u201c([^\u201c\u201d]*)\u201d|\u201e([^\u201c\u201e]*)\u201c)\\s*(?:,|$)")

// split gives the values of a text that are not empty.
func split(text string) (values []string) {
	add := func(v string) {
		if v = strings.TrimSpace(v); v != "" {
			values = append(values, v)
		}
	}
	if strings.ContainsAny(text, "\r\n") {
		for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			add(strings.TrimSuffix(strings.TrimSpace(line), ","))
		}
		return values
	}
	for text != "" {
		text = strings.TrimSpace(text)
		if m := quoted.FindStringSubmatch(text); m != nil {
			add(m[1] + m[2] + m[3])
			text = text[len(m[0]):]
			continue
		}
		var value string
		value, text, _ = strings.Cut(text, ",")
		add(value)
	}
	return values
}

// valueOf reads one value.
func valueOf(text, item string) (any, bool) {
	switch item {
	case "number", "integer":
		if _, err := strconv.ParseFloat(text, 64); err != nil || item == "integer" && strings.ContainsAny(text, ".eE") {
			return nil, false
		}
		n, ok := parsed(text).(json.Number)
		return n, ok
	case "boolean":
		switch strings.ToLower(text) {
		case "true", "yes":
			return true, true
		case "false", "no":
			return false, true
		}
		return nil, false
	}
	return text, true
}

// Words says what the values of a list are: "2 values: Smith; John". False: one of them is no single value.
func Words(values []any) (string, bool) {
	texts := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case map[string]any, []any, nil:
			return "", false
		case bool:
			texts[i] = map[bool]string{true: "yes", false: "no"}[v]
		case float64:
			texts[i] = strconv.FormatFloat(v, 'f', -1, 64)
		default:
			if texts[i] = fmt.Sprint(v); strings.Contains(texts[i], ";") {
				texts[i] = strconv.Quote(texts[i])
			}
		}
	}
	switch len(texts) {
	case 0:
		return "no values", true
	case 1:
		return "1 value: " + texts[0], true
	}
	return fmt.Sprintf("%d values: %s", len(texts), strings.Join(texts, "; ")), true
}

// Text writes a list as a person would type it; as JSON where that would be read as another list. item is the type of the values, as in Read.
func Text(values []any, item string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	plain, _ := json.Marshal(values)
	text := strings.Join(texts, ", ")
	if read, problem := Read(text, item); problem == "" {
		if again, err := json.Marshal(read); err == nil && string(again) == string(plain) {
			return text
		}
	}
	return string(plain)
}

// Shown writes any value for people who read it: of a list it says how many values there are.
func Shown(v any) string {
	if list, ok := v.([]any); ok {
		if words, plain := Words(list); plain {
			return words
		}
	}
	return Sample(v)
}

// Sample writes any value as a person would type it.
func Sample(v any) string {
	switch v := v.(type) {
	case []any:
		return Text(v, Item(v))
	case map[string]any:
		plain, _ := json.Marshal(v)
		return string(plain)
	}
	return fmt.Sprint(v)
}

// Item is the type of the values of a list, such as an example; "" = they have no single one.
func Item(values []any) (item string) {
	for i, v := range values {
		was := item
		switch v.(type) {
		case map[string]any:
			item = "object"
		case []any:
			item = "array"
		case bool:
			item = "boolean"
		case float64, int64, int, json.Number:
			item = "number"
		default:
			item = "string"
		}
		if i > 0 && was != item {
			return ""
		}
	}
	return item
}
