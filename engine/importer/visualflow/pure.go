package visualflow

import (
	"strings"

	"sluice/engine/flow/source"
)

// The functions of this file make the values of nodes that are not executed. Each gives a parameter: a template, or a tree of templates.

// of calls a function with the values of pins.
func of(function string, pins ...string) func(*converter, *node) any {
	return func(c *converter, n *node) any {
		args := make([]string, len(pins))
		for i, pin := range pins {
			args[i] = c.expr(n, pin)
		}
		return insert(call(function, args...))
	}
}

// sum calls a function with numbers that are 0 when they are left out.
func sum(function string, pins ...string) func(*converter, *node) any {
	return func(c *converter, n *node) any {
		args := make([]string, len(pins))
		for i, pin := range pins {
			args[i] = "coalesce(" + c.or(n, pin, "0") + ", 0)"
		}
		return insert(call(function, args...))
	}
}

// every calls a function with the values of all data pins.
func every(function string) func(*converter, *node) any {
	return func(c *converter, n *node) any { return insert(call(function, c.all(n)...)) }
}

func (c *converter) all(n *node) []string {
	var args []string
	for _, pin := range n.inputPins() {
		if n.has(pin) {
			args = append(args, c.expr(n, pin))
		}
	}
	return args
}

// logic joins conditions on all data pins.
func logic(operator string) func(*converter, *node) any {
	return func(c *converter, n *node) any {
		parts := []string{}
		for _, arg := range c.all(n) {
			parts = append(parts, call("bool", arg))
		}
		if len(parts) == 0 {
			return false
		}
		return insert(strings.Join(parts, " "+operator+" "))
	}
}

func literal(_ *converter, n *node) any {
	v := n.data.Get("literalValue")
	if v == nil {
		return plain(n.settings["value"])
	}
	return plain(v.Plain())
}

// separators are the escapes that the editor stores in separators.
var separators = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r")

// separator gives the text of a separator pin as an expression.
func (c *converter) separator(n *node, pin, usual string) string {
	if _, connected := n.in[pin]; connected {
		return `replace(replace(` + c.expr(n, pin) + `, '\\n', '\n'), '\\t', '\t')`
	}
	s, given := n.settings[pin].(string)
	if !given {
		s = usual
	}
	return quote(separators.Replace(s))
}

func concat(c *converter, n *node) any {
	between := " "
	if v := n.data.Get("concatConfig").Get("separator"); v != nil && v.Kind == source.String {
		between = v.Text
	}
	var parts []string
	for _, pin := range n.inputPins() {
		if n.has(pin) {
			parts = append(parts, c.text(n, pin))
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts, escaped(separators.Replace(between)))
}

func split(c *converter, n *node) any {
	parts := call("split", "str("+c.expr(n, "text")+")", c.separator(n, "delimiter", ","))
	if most := n.whole("maxsplit"); most > 0 {
		limit, _ := short(int64(most), shortLiteral)
		parts = call("split", "str("+c.expr(n, "text")+")", c.separator(n, "delimiter", ","), limit)
	}
	if n.settings["trim"] == false || n.settings["drop_empty"] == false {
		return insert(parts)
	}
	return insert(call("clean", parts))
}

func join(c *converter, n *node) any {
	return insert(call("join", call("list", c.expr(n, "items")), c.separator(n, "delimiter", ",")))
}

func substring(c *converter, n *node) any {
	args := []string{"str(" + c.expr(n, "text") + ")", c.or(n, "start", "0")}
	if n.has("end") {
		args = append(args, c.expr(n, "end"))
	}
	return insert(call("slice", args...))
}

func replace(c *converter, n *node) any {
	args := []string{c.expr(n, "text"), c.expr(n, "pattern"), c.or(n, "replacement", "''")}
	if n.settings["mode"] == "first" {
		args = append(args, "1")
	}
	return insert(call("replace", args...))
}

func contains(c *converter, n *node) any {
	return insert("str(" + c.expr(n, "text") + ") contains str(" + c.expr(n, "pattern") + ")")
}

func compareValues(c *converter, n *node) any {
	return insert(call("compare", c.expr(n, "a"), c.or(n, "op", "'=='"), c.expr(n, "b")))
}

func not(c *converter, n *node) any { return insert("not " + call("bool", c.expr(n, "value"))) }

func power(c *converter, n *node) any {
	return insert(call("power", c.or(n, "base", "0"), c.or(n, "exp", "1")))
}

func getField(c *converter, n *node) any {
	object := c.expr(n, "object")
	return insert(call("get", object, call("str", c.expr(n, "key")), c.expr(n, "default")))
}

func setField(c *converter, n *node) any {
	return insert(call("set", c.or(n, "object", "object()"), call("str", c.expr(n, "key")), c.expr(n, "value")))
}

func makeObject(c *converter, n *node) any {
	object := map[string]any{}
	for _, pin := range n.inputPins() {
		object[pin] = c.value(n, pin)
	}
	return object
}

func makeArray(c *converter, n *node) any {
	items := []any{}
	for _, pin := range n.inputPins() {
		if n.has(pin) {
			items = append(items, c.value(n, pin))
		}
	}
	return items
}

func arrayConcat(c *converter, n *node) any {
	var lists []string
	for _, arg := range c.all(n) {
		lists = append(lists, call("list", arg))
	}
	if len(lists) == 0 {
		return []any{}
	}
	return insert(call("combine", lists...))
}

// members gives the members of a list, and none of another value.
func members(of string) string { return "(kind(" + of + ") == 'list' ? " + of + " : [])" }

func arrayLength(c *converter, n *node) any {
	return insert("len(" + members(c.expr(n, "array")) + ")")
}

func hasTools(c *converter, n *node) any {
	return insert("len(" + members(c.expr(n, "array")) + ") > 0")
}

func arrayAppend(c *converter, n *node) any {
	return insert(call("append", call("list", c.expr(n, "array")), c.expr(n, "item")))
}

func arrayMap(c *converter, n *node) any {
	return insert(call("pluck", call("list", c.expr(n, "items")), call("str", c.expr(n, "key"))))
}

func arrayFilter(c *converter, n *node) any {
	return insert(call("where", call("list", c.expr(n, "items")), call("str", c.expr(n, "key")), c.expr(n, "value")))
}

func arrayDedup(c *converter, n *node) any {
	args := []string{members(c.expr(n, "array"))}
	if key, fixed := n.fixed("key"); n.has("key") && (!fixed || key != "") {
		args = append(args, c.expr(n, "key"))
	}
	return insert(call("unique", args...))
}

func getElement(c *converter, n *node) any {
	of, index := members(c.expr(n, "array")), "coalesce(int("+c.or(n, "index", "0")+"), 0)"
	return results{
		"result": insert(call("get_item", of, index, c.expr(n, "default"))),
		"found":  insert(index + " < len(" + of + ") and add(" + index + ", len(" + of + ")) >= 0"),
	}
}

// anyElement takes a member by the recorded time: chance has no place in a run that can be repeated.
func anyElement(c *converter, n *node) any {
	of := members(c.expr(n, "array"))
	index := "modulo(date(now(), 'unix'), max(len(" + of + "), 1))"
	return results{
		"result": insert(call("get_item", of, index, c.expr(n, "default"))),
		"found":  insert("len(" + of + ") > 0"),
	}
}

func stringify(c *converter, n *node) any {
	value := c.expr(n, "value")
	mode, fixed := n.fixed("mode")
	switch {
	case n.settings["pretty"] == true, fixed && mode == "beautify":
		return insert(call("pretty", value))
	case fixed || !n.has("mode"):
		return insert(call("json", value))
	}
	return insert(c.expr(n, "mode") + " == 'beautify' ? pretty(" + value + ") : json(" + value + ")")
}

func parseJSON(c *converter, n *node) any {
	return insert(call("parse_json", c.expr(n, "text"), "true"))
}

// breakObject gives a member for every output pin, whose name is a path.
func breakObject(c *converter, n *node) any {
	of := c.expr(n, "object")
	object := c.hold(n, "object", func() any { return insert("kind(" + of + ") == 'text' ? parse_json(" + of + ") : " + of) })
	paths := n.outputPins()
	if selected := n.data.Get("breakConfig").Get("selectedPaths"); selected != nil {
		for _, path := range selected.Items {
			paths = append(paths, path.Text)
		}
	}
	all := results{}
	for _, path := range paths {
		all[path] = insert(call("get", object, quote(path)))
	}
	return all
}

func stringTemplate(c *converter, n *node) any {
	return insert(call("fill", "str("+c.expr(n, "template")+")", c.or(n, "vars", "object()")))
}

func format(c *converter, n *node) any {
	return insert(call("format", "str("+c.expr(n, "template")+")", c.or(n, "values", "object()")))
}

func systemTime(_ *converter, _ *node) any {
	return results{
		"iso": "{{date(now(), 'iso')}}", "timezone": "{{date(now(), 'MST')}}", "locale": "",
		"utc_offset_minutes": "{{multiply(replace(date(now(), '-07'), '+', ''), 60)}}",
	}
}

func makeContext(c *converter, n *node) any {
	base := c.or(n, "context_extra", "object()")
	return insert("merge(" + base + ", object('task', str(" + c.expr(n, "task") + "), 'messages', list(" + c.expr(n, "messages") + ")))")
}

// given puts the pins that have a value into an object.
func given(c *converter, n *node) any {
	pairs := []string{}
	for _, pin := range n.inputPins() {
		if pin != "extra" && n.has(pin) {
			pairs = append(pairs, quote(pin), c.expr(n, pin))
		}
	}
	return insert("merge(" + c.or(n, "extra", "object()") + ", " + call("object", pairs...) + ")")
}

// message is one entry of a conversation.
func (c *converter) message(n *node) string {
	return "object('role', str(" + c.or(n, "role", "'user'") + "), 'content', str(" + c.expr(n, "content") + "), 'timestamp', date(now(), 'iso'))"
}

func trace(c *converter, n *node) any { return insert("pretty(" + c.expr(n, "scratchpad") + ")") }

func toolReport(c *converter, n *node) any {
	return insert("pretty(list(" + c.expr(n, "tool_results") + "))")
}

// modelList gives the models that the document allows. Others are not known when it is read.
func modelList(c *converter, n *node) any {
	models := any([]any{})
	if v := n.settings["allowedModels"]; v != nil {
		models = plain(v)
	}
	if n.has("allowed_models") {
		models = c.value(n, "allowed_models")
	}
	provider := c.value(n, "provider")
	c.warn(n, "no-catalogue", "the models are those that the document lists: no others are known", "")
	return results{"models": models, "provider": provider, "providers": []any{provider}}
}
