package visualflow

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// shortLiteral is how many bytes a value may have that is written into an expression. A longer one has a node of its own.
const shortLiteral = 300

// has reports whether a pin has a value: from an edge, or in the document.
func (n *node) has(pin string) bool {
	_, connected := n.in[pin]
	return connected || n.settings[pin] != nil
}

// expr gives the value of an input pin as an expression. A connected edge counts even if its value is missing.
func (c *converter) expr(n *node, pin string) string {
	if from, connected := n.in[pin]; connected {
		return c.output(from)
	}
	return c.literal(n, pin, n.settings[pin])
}

// or is expr with another expression for a pin without a value.
func (c *converter) or(n *node, pin, other string) string {
	if !n.has(pin) {
		return other
	}
	return c.expr(n, pin)
}

// value gives the value of an input pin as a parameter: a template, or what the document says.
func (c *converter) value(n *node, pin string) any {
	if _, connected := n.in[pin]; connected {
		return insert(c.expr(n, pin))
	}
	return plain(n.settings[pin])
}

// text gives the value of an input pin as a part of a text.
func (c *converter) text(n *node, pin string) string {
	if _, connected := n.in[pin]; !connected {
		if s, ok := n.settings[pin].(string); ok {
			return escaped(s)
		}
	}
	return insert("str(" + c.expr(n, pin) + ")")
}

// fixed gives the value of a pin if it is the same in every run: the document's, or that of a literal node.
func (n *node) fixed(pin string) (any, bool) {
	from, connected := n.in[pin]
	if !connected {
		v, known := n.settings[pin]
		return v, known
	}
	if from.from.record.literal && from.from.data.Get("literalValue") != nil {
		return from.from.data.Get("literalValue").Plain(), true
	}
	return nil, false
}

// usual is fixed, or the default of the run's input that the pin is connected with.
func (n *node) usual(pin string) (v any, known bool) {
	if v, known = n.fixed(pin); known {
		return v, true
	}
	from := n.in[pin]
	if from.from == nil || from.from.kind != kindStart {
		return nil, false
	}
	v = from.from.settings[from.from.startPin(from.pin)]
	return v, v != nil
}

// insert makes a template of an expression.
func insert(expr string) string { return "{{" + expr + "}}" }

// escaped gives a text as a template that renders as the text.
func escaped(s string) string { return strings.ReplaceAll(s, "{{", `{{'{{'}}`) }

// plain gives a value of the document as a parameter, in which texts are templates.
func plain(v any) any {
	switch v := v.(type) {
	case string:
		return escaped(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plain(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, item := range v {
			object[key] = plain(item)
		}
		return object
	}
	return v
}

// literal writes a value into an expression. A long one is kept in a node of its own, named after the pin that it belongs to.
func (c *converter) literal(n *node, pin string, v any) string {
	if s, ok := short(v, shortLiteral); ok {
		return s
	}
	return c.hold(n, pin, func() any { return plain(v) })
}

// short writes a value as an expression of at most so many bytes.
func short(v any, most int) (string, bool) {
	s := ""
	switch v := v.(type) {
	case nil:
		s = "null"
	case bool:
		s = strconv.FormatBool(v)
	case string:
		s = quote(v)
	case float64:
		s = strconv.FormatFloat(v, 'f', -1, 64)
	case int64:
		s = strconv.FormatInt(v, 10)
	case []any:
		parts := make([]string, 0, len(v))
		for _, item := range v {
			part, ok := short(item, most-len(s))
			if s += part; !ok || len(s) > most {
				return "", false
			}
			parts = append(parts, part)
		}
		s = "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		if len(v) > 0 {
			return "", false
		}
		s = "object()"
	default:
		return "", false
	}
	return s, len(s) <= most
}

// quote writes a text into an expression.
func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(s) + "'"
}

// ref names a run-time node in an expression.
func ref(id string) string { return "nodes[" + quote(id) + "]" }

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// member reads a field of an expression's value.
func member(of, field string) string {
	if plainName.MatchString(field) {
		return of + "." + field
	}
	return of + "[" + quote(field) + "]"
}

// list writes expressions as a list.
func list(exprs ...string) string { return "[" + strings.Join(exprs, ", ") + "]" }

// call writes the call of a function.
func call(name string, args ...string) string { return name + "(" + strings.Join(args, ", ") + ")" }

// output gives the value of an output pin as an expression.
func (c *converter) output(from end) string {
	n := from.from
	of := ref(n.run)
	switch {
	case n.record.read != nil:
		return n.record.read(c, n, of, from.pin)
	case n.kind == kindStart:
		return member(of+".data", n.startPin(from.pin))
	}
	return member(of+".data", from.pin)
}

// outputPins lists the pins of a node at which data may begin.
func (n *node) outputPins() (all []string) {
	for _, p := range n.outputs {
		if p.kind != execution {
			all = append(all, p.id)
		}
	}
	for pin := range n.read {
		if !slices.Contains(all, pin) {
			all = append(all, pin)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// inputPins lists the data pins of a node, declared ones first and in their order.
func (n *node) inputPins() (all []string) {
	add := func(id string) {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	for _, p := range n.inputs {
		if p.kind != execution {
			add(p.id)
		}
	}
	more := slices.Concat(slices.Collect(maps.Keys(n.in)), slices.Collect(maps.Keys(n.overrides)))
	if defaults := n.data.Get("pinDefaults"); defaults != nil && len(n.inputs) == 0 {
		for _, p := range defaults.Pairs {
			more = append(more, n.inputName(p.Key))
		}
	}
	slices.Sort(more)
	for _, id := range more {
		add(id)
	}
	return all
}

// whole gives a positive whole number, or 0.
func (n *node) whole(pin string) int {
	v, _ := n.usual(pin)
	switch v := v.(type) {
	case float64:
		if v >= 1 && v < 1<<31 {
			return int(v)
		}
	case int64:
		if v >= 1 && v < 1<<31 {
			return int(v)
		}
	}
	return 0
}

// words gives the texts of a list.
func (n *node) words(pin string) (all []string, known bool) {
	v, known := n.usual(pin)
	items, isList := v.([]any)
	if !known || !isList {
		return nil, false
	}
	for _, item := range items {
		if s := fmt.Sprint(item); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all, true
}
