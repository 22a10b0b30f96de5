package value

import "encoding/json"

// Native gives numbers to tools as Go programs expect them, unless digits would be lost.
func Native(v any) any {
	switch x := v.(type) {
	case Plainer:
		return Native(x.Plain())
	case json.Number:
		if f, err := x.Float64(); err == nil && Compare("==", f, x) && Text(f) == Text(x) {
			return f
		}
		return x
	case int64:
		return Native(json.Number(Text(x)))
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			m[k] = Native(e)
		}
		return m
	case []any:
		l := make([]any, len(x))
		for i, e := range x {
			l[i] = Native(e)
		}
		return l
	}
	return v
}
