package value

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// Getter is a value that implements member access itself, such as the decision of a gate (approvals.gate.note) or the record of a
// node. Member returns nil for a key it does not know.
type Getter interface {
	Member(key string) any
}

// Plainer is a value that is replaced by another when it is used as a whole: compared, rendered, or returned. For example,
// approvals.gate is replaced by the choice.
type Plainer interface {
	Plain() any
}

// plainDepth limits how often a Plainer may give another Plainer, so that a Plainer that gives itself does not loop forever.
const plainDepth = 8

// Plain resolves a Plainer to its value; any other value stays as it is.
func Plain(v any) any {
	for range plainDepth {
		p, ok := v.(Plainer)
		if !ok {
			return v
		}
		v = p.Plain()
	}
	return nil
}

// Get gives the member of a value for a key. A value without that member gives nil.
func Get(base, key any) any {
	if name, ok := key.(string); ok {
		return Member(base, name)
	}
	return Member(base, Text(key))
}

// Member is Get with a key that is a text: positions in lists are digits.
func Member(base any, key string) any {
	if object, ok := base.(map[string]any); ok {
		return object[key]
	}
	for range plainDepth {
		if g, ok := base.(Getter); ok {
			return g.Member(key)
		}
		p, ok := base.(Plainer)
		if !ok {
			break
		}
		base = p.Plain()
	}
	if object, ok := base.(map[string]any); ok {
		return object[key]
	}
	if list, ok := List(base); ok {
		if n, ok := ParseNumber(key); ok && n.whole && n.i >= 0 && n.i < int64(len(list)) {
			return list[n.i]
		}
		return nil
	}
	if object, ok := Object(base); ok {
		return object[key]
	}
	return nil
}

// List gives the members of a list, and false for anything else. Bytes are no list.
func List(v any) ([]any, bool) {
	switch list := v.(type) {
	case []any:
		return list, true
	case nil, string, bool, float64, int, int64, json.Number, map[string]any:
		return nil, false
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array || r.Type().Elem().Kind() == reflect.Uint8 {
		return nil, false
	}
	list := make([]any, r.Len())
	for i := range list {
		list[i] = r.Index(i).Interface()
	}
	return list, true
}

// Object gives the members of an object, and false for anything else.
func Object(v any) (map[string]any, bool) {
	switch m := v.(type) {
	case map[string]any:
		return m, true
	case nil, string, bool, float64, int, int64, json.Number, []any:
		return nil, false
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Map || r.Type().Key().Kind() != reflect.String {
		return nil, false
	}
	m := make(map[string]any, r.Len())
	for key, value := range r.Seq2() {
		m[key.String()] = value.Interface()
	}
	return m, true
}

// Keys gives the names of an object's members in order.
func Keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// Each makes a new tree of v: leaf gives the new value of everything that is neither a map[string]any nor a []any. Members of
// objects come in the order of their keys.
func Each(v any, leaf func(any) (any, error)) (_ any, err error) {
	switch x := v.(type) {
	case map[string]any:
		made := make(map[string]any, len(x))
		for _, key := range Keys(x) {
			if made[key], err = Each(x[key], leaf); err != nil {
				return nil, err
			}
		}
		return made, nil
	case []any:
		made := make([]any, len(x))
		for i, item := range x {
			if made[i], err = Each(item, leaf); err != nil {
				return nil, err
			}
		}
		return made, nil
	}
	return leaf(v)
}
