package expr

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// Scope is what an expression may read. Get returns the value of a top-level name, and false when the
// name is unknown. It is called once per use of the name, by the goroutine that evaluates.
type Scope interface {
	Get(name string) (any, bool)
}

// Map is a Scope made of a plain map.
type Map map[string]any

// Get returns the value under name.
func (m Map) Get(name string) (any, bool) {
	v, ok := m[name]
	return v, ok
}

// Getter is a value that answers member access itself, such as the decision of a gate
// (approvals.gate.note) or the record of a node. Member returns nil for a key it does not know.
type Getter interface {
	Member(key string) any
}

// Plainer is a value that stands for another when it is used as a whole: compared, rendered, or
// returned. approvals.gate, say, is the choice.
type Plainer interface {
	Plain() any
}

// plainDepth bounds how often a Plainer may give a Plainer, so that one that gives itself ends.
const plainDepth = 8

func plain(v any) any {
	for range plainDepth {
		p, ok := v.(Plainer)
		if !ok {
			return v
		}
		v = p.Plain()
	}
	return nil
}

// get is member access. Whatever is missing, or cannot have members, gives nil.
func get(base, key any) any {
	for range plainDepth {
		if g, ok := base.(Getter); ok {
			return g.Member(Text(key))
		}
		p, ok := base.(Plainer)
		if !ok {
			break
		}
		base = p.Plain()
	}
	switch b := base.(type) {
	case nil, string, SecretRef, Sealed:
		return nil
	case map[string]any:
		return b[Text(key)]
	case Map:
		return b[Text(key)]
	case []any:
		if i, ok := index(key, len(b)); ok {
			return b[i]
		}
		return nil
	}
	return getReflect(base, key)
}

// getReflect serves the maps and lists that Go code builds with narrower types than JSON's.
func getReflect(base, key any) any {
	v := reflect.ValueOf(base)
	switch v.Kind() {
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return nil
		}
		field := v.MapIndex(reflect.ValueOf(Text(key)).Convert(v.Type().Key()))
		if field.IsValid() {
			return field.Interface()
		}
	case reflect.Slice, reflect.Array:
		if i, ok := index(key, v.Len()); ok {
			return v.Index(i).Interface()
		}
	}
	return nil
}

// index reads key as a position in a list of the given length. Digits in a text count, so that
// items.0.name works. Positions count from the front only.
func index(key any, length int) (int, bool) {
	n, ok := toNumber(plain(key))
	if !ok || n.kind != numberInt || n.i < 0 || n.i >= int64(length) {
		return 0, false
	}
	return int(n.i), true
}

// elements gives the members of a list, and false for anything else. Bytes are no list.
func elements(v any) ([]any, bool) {
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

// fields gives the members of an object, and false for anything else.
func fields(v any) (map[string]any, bool) {
	switch m := v.(type) {
	case map[string]any:
		return m, true
	case Map:
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

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}
