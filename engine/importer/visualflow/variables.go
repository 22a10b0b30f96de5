package visualflow

import (
	"strings"

	"sluice/engine/flow"
)

// variables says how a document's variables are kept. Each is one of its own, unless a name is computed or cannot be one: then all are
// members of one object.
type variables struct{ shared bool }

// sharedVariables is the object that has all variables as members.
const sharedVariables = "variables"

// findVariables decides how variables are kept.
func (c *converter) findVariables() {
	for _, n := range c.nodes {
		switch n.kind {
		case "set_vars":
			c.vars.shared = true
		case "get_var", "set_var", "set_var_property":
			root, _, fixed := n.variable()
			c.vars.shared = c.vars.shared || !fixed || !plainName.MatchString(root)
		case "bool_var", "var_decl":
			c.vars.shared = c.vars.shared || !plainName.MatchString(text(n.data.Get("literalValue").Get("name")))
		}
	}
}

// variable gives the name of the variable that a node is about, if it is the same in every run, and the path in its value.
func (n *node) variable() (root, path string, fixed bool) {
	v, fixed := n.fixed("name")
	name, isText := v.(string)
	root, path, _ = strings.Cut(strings.TrimSpace(name), ".")
	return root, path, fixed && isText && root != ""
}

// variable reads a variable by an expression for its name. One that was never set has the value that the run began with.
func (c *converter) variable(name, fixed string) string {
	start := "null"
	for _, n := range c.nodes {
		if n.kind == kindStart {
			start = "get(" + ref(n.run) + ".data, " + name + ")"
			break
		}
	}
	if c.vars.shared || fixed == "" {
		return "coalesce(get(vars." + sharedVariables + ", " + name + "), " + start + ")"
	}
	root, path, nested := strings.Cut(fixed, ".")
	if nested {
		return "coalesce(get(vars." + root + ", " + quote(path) + "), " + start + ")"
	}
	return "coalesce(vars." + root + ", " + start + ")"
}

// readVariable reads the variable that a node is about.
func (c *converter) readVariable(n *node) string {
	name, fixed := n.fixed("name")
	s, isText := name.(string)
	if s = strings.TrimSpace(s); fixed && isText && s != "" {
		return c.variable(quote(s), s)
	}
	return c.variable("str("+c.expr(n, "name")+")", "")
}

func getVariable(c *converter, n *node) any { return insert(c.readVariable(n)) }

// declared reads a variable that its node declares, with a default.
func declared(c *converter, n *node) any {
	record := n.data.Get("literalValue")
	name := strings.TrimSpace(text(record.Get("name")))
	usual := "null"
	if v := record.Get("default"); v != nil {
		usual = c.literal(n, "default", v.Plain())
	}
	return results{"name": escaped(name), "value": insert("coalesce(" + c.variable(quote(name), name) + ", " + usual + ")")}
}

// missing is what a variable of a simple type gets when its new value is missing.
func (n *node) missing() string {
	for _, p := range n.inputs {
		if p.id == "value" {
			switch p.kind {
			case "boolean":
				return "false"
			case "number":
				return "0"
			case "string":
				return "''"
			}
		}
	}
	return "null"
}

func setVariable(c *converter, n *node) flow.Spec {
	root, path, fixed := n.variable()
	if fixed && strings.HasPrefix(root, "_") && root != "_temp" {
		return c.opaque(n, "the names of variables do not begin with _")
	}
	value := "coalesce(" + c.expr(n, "value") + ", " + n.missing() + ")"
	if c.vars.shared {
		return c.put("str("+c.expr(n, "name")+")", value)
	}
	if path != "" {
		value = "set(kind(vars." + root + ") == 'object' ? vars." + root + " : object(), " + quote(path) + ", " + value + ")"
	}
	return &flow.SetSpec{Vars: map[string]any{root: insert(value)}}
}

// put sets a member of the object of all variables.
func (c *converter) put(name, value string) flow.Spec {
	return &flow.SetSpec{Vars: map[string]any{sharedVariables: insert("set(vars." + sharedVariables + ", " + name + ", " + value + ")")}}
}

func setProperty(c *converter, n *node) flow.Spec {
	changed := "set(kind(" + c.readVariable(n) + ") == 'object' ? " + c.readVariable(n) + " : object(), str(" + c.expr(n, "key") + "), " + c.expr(n, "value") + ")"
	root, path, _ := n.variable()
	switch {
	case c.vars.shared:
		return c.put("str("+c.expr(n, "name")+")", changed)
	case path != "":
		changed = "set(vars." + root + ", " + quote(path) + ", " + changed + ")"
	}
	return &flow.SetSpec{Vars: map[string]any{root: insert(changed)}}
}

func setVariables(c *converter, n *node) flow.Spec {
	return &flow.SetSpec{Vars: map[string]any{sharedVariables: insert("merge(vars." + sharedVariables + ", " + c.expr(n, "updates") + ")")}}
}

// The conversation of a run is the variable context, an object with task and messages.

func getContext(c *converter, _ *node) any {
	context := c.variable("'context'", "context")
	task := c.variable("'prompt'", "prompt")
	return results{
		"context":  insert("merge(object('task', " + task + ", 'messages', []), " + context + ")"),
		"task":     insert("coalesce(get(" + context + ", 'task'), " + task + ")"),
		"messages": insert("list(get(" + context + ", 'messages'))"),
	}
}

func addMessage(c *converter, n *node) flow.Spec {
	return c.withMessages("append("+c.messages()+", "+c.message(n)+")", nil)
}
