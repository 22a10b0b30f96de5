package approval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
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

// plainly says how the name of a node or a route differs without naming the fields of the format; "" = it has no such words.
func (d *differ) plainly(path []string, was, is any) string {
	if len(path) < 3 || path[0] != "nodes" {
		return ""
	}
	words := ""
	switch {
	case len(path) == 3 && path[2] == "name" && was != nil && is != nil:
		words = "it was called '" + shown(was) + "'"
	case len(path) == 4 && path[2] == "routes":
		words = d.routeWhole(path[1], was, is)
	case len(path) == 5 && path[2] == "routes":
		words = d.routePart(path, was, is)
	}
	if words == "" {
		return ""
	}
	subject, _ := d.subject(path[:2])
	return subject + ": " + words
}

// routeWhole says that a route is there that was not, or is not any more.
func (d *differ) routeWhole(node string, was, is any) string {
	r, ok := is.(map[string]any)
	words := "it goes on to %s %s, which is new"
	if !ok {
		r, _ = was.(map[string]any)
		words = "it went on to %s %s, and does not any more"
	}
	words = fmt.Sprintf(words, d.target(r["to"]), inCase(node, r["when"]))
	if rest := without(r, "to", "when"); len(rest) > 0 {
		words += " " + shown(rest)
	}
	return words
}

// routePart says how a part of a route differs; "" = there are no words for it. A route is named by the step that it leads to.
func (d *differ) routePart(path []string, was, is any) string {
	at, err := strconv.Atoi(path[3])
	n := d.now.Node(path[1])
	if err != nil || n == nil || at > len(n.Routes) {
		return ""
	}
	r := n.Routes[at-1]
	switch path[4] {
	case "to":
		return fmt.Sprintf("%s it went on to %s, and goes on to %s", inCase(n.ID, r.When), d.target(was), d.target(is))
	case "when":
		return fmt.Sprintf("it went on to %s %s, and does %s", d.target(r.To), inCase(n.ID, was), inCase(n.ID, is))
	case "label":
		return fmt.Sprintf("the way to %s was called '%s', and is called '%s'", d.target(r.To), shown(was), shown(is))
	}
	return ""
}

// target names the node that a route leads to.
func (d *differ) target(to any) string {
	id, _ := to.(string)
	switch {
	case id == flow.End:
		return "the end"
	case d.now.Node(id) != nil:
		return callNode(d.now, id, d.step)
	}
	return callNode(d.old, id, nil) // the numbers are those of the new flow
}

// inCase says when a route of a node is taken.
func inCase(node string, when any) string {
	w, _ := when.(string)
	if w == "" || w == "default" {
		return "in every other case"
	}
	if choice, ok := strings.CutPrefix(w, "approvals."+node+" == '"); ok && strings.IndexByte(choice, '\'') == len(choice)-1 {
		return "after '" + visible(choice)
	}
	return "when " + visible(w)
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
