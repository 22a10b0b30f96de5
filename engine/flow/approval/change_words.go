package approval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"sluice/engine/flow"
)

const (
	longWords = 300 // characters of a new value in a sentence
	around    = 24  // characters shown before and behind the part of a long text that changed
)

// becomes describes the old and the new value. Of long texts it shows the part that differs.
func becomes(was, is any) string {
	switch {
	case was == nil:
		return "was not set, becomes " + cutWords(shown(is), longWords)
	case is == nil:
		return "was " + cutWords(shown(was), longWords) + ", is not set any more"
	}
	a, b := shown(was), shown(is)
	if a == b {
		return fmt.Sprintf("was %s (%s), becomes %s (%s)", cutWords(a, longWords), sortOf(was), cutWords(b, longWords), sortOf(is))
	}
	a, b = differing(a, b)
	return "was " + a + ", becomes " + b
}

// sortOf names the type of a value.
func sortOf(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case json.Number:
		return "a number"
	case bool:
		return "yes or no"
	default:
		return "a structure"
	}
}

// differing removes the common beginning and end of two long texts, except for a few characters.
func differing(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	if len(x) <= longWords && len(y) <= longWords {
		return a, b
	}
	start, end := 0, 0
	for start < min(len(x), len(y)) && x[start] == y[start] {
		start++
	}
	for end < min(len(x), len(y))-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	start, end = max(start-around, 0), max(end-around, 0)
	part := func(r []rune) string {
		s := cutWords(string(r[start:len(r)-end]), longWords)
		if start > 0 {
			s = "…" + s
		}
		if end > 0 {
			s += "…"
		}
		return s
	}
	return part(x), part(y)
}

// cutWords shortens a text and adds how many characters were removed.
func cutWords(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%d more characters, see the file)", string(r[:most]), len(r)-most)
}

// shown is a value in a sentence: texts as they are, the rest as in a file of one line.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		if v == "" {
			return `""`
		}
		return visible(v)
	case json.Number:
		return v.String()
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = shown(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, visible(key)+": "+shown(v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return fmt.Sprint(v)
	}
}

// visible writes invisible characters, and characters that change the direction of writing, as code points, so that different texts look
// different.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString("⏎")
		case r != ' ' && !unicode.IsPrint(r):
			fmt.Fprintf(&b, "\\u{%X}", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var useWords = map[flow.Used]string{flow.UsedTool: "calls ", flow.UsedAgent: "agent ", flow.UsedFlow: "runs "}

// kindWords says what a node does, in one or two words.
func kindWords(n *flow.Node) string {
	for _, u := range n.Uses() {
		if words, ok := useWords[u.What]; ok {
			return words + u.Name
		}
	}
	return string(n.Kind)
}
