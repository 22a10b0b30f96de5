package source

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// writer writes values that come into a text.
type writer struct {
	json         bool // with quotes
	multi        bool // over several lines
	indent, step string
}

func (w writer) value(v any) string {
	switch v := v.(type) {
	case []Field:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = w.key(f.Key) + ": " + w.deeper().value(f.Value)
		}
		return w.between("{", parts, "}")
	case map[string]any:
		fields := make([]Field, 0, len(v))
		for _, key := range sortedKeys(v) {
			fields = append(fields, Field{key, v[key]})
		}
		return w.value(fields)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = w.deeper().value(item)
		}
		return w.between("[", parts, "]")
	case string:
		if !w.json && bareWord(v) {
			return v
		}
	}
	return literal(v)
}

func (w writer) key(key string) string {
	if !w.json && bareWord(key) {
		return key
	}
	return literal(key)
}

func (w writer) deeper() writer {
	w.indent += w.step
	return w
}

// between writes the members of a container between its brackets.
func (w writer) between(open string, parts []string, close string) string {
	if !w.multi || len(parts) == 0 {
		return open + strings.Join(parts, ", ") + close
	}
	blank := "\n" + w.indent + w.step
	return open + blank + strings.Join(parts, ","+blank) + "\n" + w.indent + close
}

// bareWord reports whether YAML reads a text without quotes as that text.
func bareWord(text string) bool {
	return simple.MatchString(text) && !slices.Contains(words, strings.ToLower(text))
}

// literal writes a value as JSON does, which YAML reads, too.
func literal(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
