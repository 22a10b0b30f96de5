package run

import (
	"encoding/json"

	"sluice/engine/expr"
)

// native gives numbers to tools as Go programs expect them, unless digits would be lost.
func native(v any) any {
	switch x := v.(type) {
	case expr.Plainer:
		return native(x.Plain())
	case json.Number:
		if f, err := x.Float64(); err == nil && expr.Compare("==", f, x) && expr.Text(f) == expr.Text(x) {
			return f
		}
		return x
	case int64:
		return native(json.Number(expr.Text(x)))
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			m[k] = native(e)
		}
		return m
	case []any:
		l := make([]any, len(x))
		for i, e := range x {
			l[i] = native(e)
		}
		return l
	}
	return v
}
