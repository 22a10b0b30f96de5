package expr

import (
	"strings"
	"unicode/utf8"
)

// function is one of the functions of the language. A call with the wrong number of values is a
// syntax error; a value of the wrong type gives nil.
type function struct {
	name   string
	values int // how many it takes
	apply  func(e *evaluation, args []any) (any, error)
}

var functions = []function{
	{"len", 1, func(e *evaluation, args []any) (any, error) { return e.length(args[0]) }},
	{"lower", 1, onText(strings.ToLower)},
	{"upper", 1, onText(strings.ToUpper)},
	{"trim", 1, onText(strings.TrimSpace)},
	{"str", 1, onText(func(s string) string { return s })},
	{"int", 1, func(e *evaluation, args []any) (any, error) { return toInt(args[0]), e.charge(1) }},
	{"float", 1, func(e *evaluation, args []any) (any, error) { return toFloat(args[0]), e.charge(1) }},
	{"now", 0, func(e *evaluation, _ []any) (any, error) { return e.recordedNow(), e.charge(1) }},
}

// methods are the functions that may also be written after a value, as other formats do:
// name.lower(). The value is their first argument.
var methods = []function{
	{"lower", 1, onText(strings.ToLower)},
	{"upper", 1, onText(strings.ToUpper)},
	{"trim", 1, onText(strings.TrimSpace)},
	{"strip", 1, onText(strings.TrimSpace)},
	{"get", 2, func(e *evaluation, args []any) (any, error) { return get(args[0], args[1]), e.charge(1) }},
}

func named(list []function, name string) (function, bool) {
	for _, f := range list {
		if f.name == name {
			return f, true
		}
	}
	return function{}, false
}

func names(list []function) []string {
	all := make([]string, len(list))
	for i, f := range list {
		all[i] = f.name
	}
	return all
}

func onText(change func(string) string) func(*evaluation, []any) (any, error) {
	return func(e *evaluation, args []any) (any, error) {
		text, err := e.text(args[0])
		if err != nil {
			return nil, err
		}
		return change(text), nil
	}
}

// length counts characters of a text, members of a list or object; nil has none, and nothing else has
// a length.
func (e *evaluation) length(v any) (any, error) {
	v = plain(v)
	if v == nil {
		return int64(0), e.charge(1)
	}
	if text, ok := v.(string); ok {
		return int64(utf8.RuneCountInString(text)), e.chargeText(len(text))
	}
	if list, ok := elements(v); ok {
		return int64(len(list)), e.charge(1)
	}
	if object, ok := fields(v); ok {
		return int64(len(object)), e.charge(1)
	}
	return nil, e.charge(1)
}

// toInt cuts the part after the point off; it gives nil for what is no number.
func toInt(v any) any {
	n, ok := toNumber(trimmed(v))
	switch {
	case !ok:
		return nil
	case n.kind != numberFloat:
		return n.value()
	case n.f >= 1<<63 || n.f < -1<<63:
		return nil
	}
	return int64(n.f)
}

func toFloat(v any) any {
	n, ok := toNumber(trimmed(v))
	if !ok {
		return nil
	}
	return n.f
}

// trimmed lets int(" 12 ") be 12: whoever converts on purpose does not mean the spaces.
func trimmed(v any) any {
	v = plain(v)
	if text, ok := v.(string); ok {
		return strings.TrimSpace(text)
	}
	return v
}

// recordedNow is the time recorded in the run, or nil when there is none.
func (e *evaluation) recordedNow() any {
	if e.now.IsZero() {
		return nil
	}
	return e.now
}
