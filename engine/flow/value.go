package flow

import (
	"math"
	"regexp"
	"slices"
	"time"
)

// Types of inputs and form fields besides the types of JSON. A file is an object with a name; the others are texts in one form, which a
// person enters as they like.
const (
	TypeDate    = "date"     // 2026-12-01
	TypeTime    = "datetime" // 2026-12-01T09:00, in the zone of the installation, or with an offset
	TypePerson  = "person"   // @ana, or an id
	TypeChannel = "channel"  // #general, or an id
	TypeFile    = "file"     // {name: ..., ...}
)

// TypeAny is the type of an input that takes every value. Only other formats have it.
const TypeAny = "any"

// ValueTypes are the types that an input or a field of a form can declare.
func ValueTypes() []string {
	return []string{"string", "number", "integer", "boolean", "object", "array", TypeDate, TypeTime, TypePerson, TypeChannel, TypeFile}
}

var (
	personName  = regexp.MustCompile(`^(@[^\s@#]+|[UW][A-Z0-9]{2,})$`)
	channelName = regexp.MustCompile(`^(#[^\s@#]+|[CGD][A-Z0-9]{2,})$`)
)

// ofType reports whether a plain value has one of the types of inputs and form fields.
func ofType(typ string, value any) bool {
	if typ == TypeAny {
		return true
	}
	switch value := value.(type) {
	case string:
		return typ == "string" || TextOfType(typ, value)
	case bool:
		return typ == "boolean"
	case float64:
		return typ == "number" || typ == "integer" && value == math.Trunc(value)
	case int, int64:
		return typ == "number" || typ == "integer"
	case map[string]any:
		return typ == "object" || typ == TypeFile && IsFile(value)
	case []any:
		return typ == "array"
	default:
		return false
	}
}

// TextOfType reports whether a text has the form of a date, a time, a person or a channel.
func TextOfType(typ, text string) bool {
	switch typ {
	case TypeDate:
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case TypeTime:
		return slices.ContainsFunc([]string{"2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339}, func(layout string) bool {
			_, err := time.Parse(layout, text)
			return err == nil
		})
	case TypePerson:
		return personName.MatchString(text)
	case TypeChannel:
		return channelName.MatchString(text)
	}
	return false
}

// IsFile reports whether an object is a file: it has a name.
func IsFile(value map[string]any) bool {
	name, _ := value["name"].(string)
	return name != ""
}

// TypeWords names a type for people, with an example where it has a form.
func TypeWords(typ string) string {
	switch typ {
	case "integer":
		return "a whole number"
	case "boolean":
		return "true or false"
	case "object":
		return "a JSON object"
	case "array":
		return "a JSON list"
	case TypeDate:
		return "a date such as 2026-12-01"
	case TypeTime:
		return "a time such as 2026-12-01T09:00"
	case TypePerson:
		return "a person such as @ana"
	case TypeChannel:
		return "a channel such as #general"
	}
	return withArticle(typ)
}
