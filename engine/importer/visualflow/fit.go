package visualflow

import (
	"slices"
	"strings"
)

const anyType = "any"

// alike are types of pins that are connected in both directions, and onward those that are in one.
var (
	alike = [][2]string{
		{"tools", "array"}, {"assertions", "array"}, {"assertions", "object"}, {"json_schema", "object"}, {"memory", "object"}, {"assertion", "object"},
	}
	onward = [][2]string{{"array", "object"}, {"tools", "object"}, {"number", "string"}, {"boolean", "string"}}
)

// fits reports whether a data edge may lead from a pin of one type to a pin of another. A type that is not written fits every one.
func fits(from, to string) bool {
	both := func(kind string) bool { return isOf(kind, from) && isOf(kind, to) }
	switch {
	case from == "" || to == "" || from == to:
		return true
	case from == execution || to == execution:
		return false
	case from == anyType || to == anyType:
		return true
	case both("provider"):
		return from == "provider" || to == "provider" // the older name is one for all
	case both("model"):
		return true
	case isOf("workspace", from) && to == "string", isOf("workspace", to) && from == "string":
		return true
	}
	return slices.Contains(onward, [2]string{from, to}) || slices.Contains(alike, [2]string{from, to}) || slices.Contains(alike, [2]string{to, from})
}

// isOf reports whether a type is one of a family, such as provider_text of provider.
func isOf(family, typ string) bool { return typ == family || strings.HasPrefix(typ, family+"_") }

// typeOf gives the type of a pin; "" = the document does not say.
func typeOf(pins []pin, id string) string {
	if i := slices.IndexFunc(pins, func(p pin) bool { return p.id == id }); i >= 0 {
		return pins[i].kind
	}
	return ""
}
