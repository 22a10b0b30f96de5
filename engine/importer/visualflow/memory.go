package visualflow

import "sluice/engine/flow"

// Notes and assertions are kept in variables, as long as the run lasts: the memory of the host that a document comes from is not here.
const (
	notes   = "list(vars.memory_notes)"
	graphOf = "list(vars.knowledge)"
)

// warnForgets warns that what a node keeps is gone with the run.
func (c *converter) warnForgets(n *node) {
	c.warn(n, "short-memory", "what is noted or asserted is kept until the run ends, and not for other runs", "")
}

func noteDown(c *converter, n *node) flow.Spec {
	c.warnForgets(n)
	note := "object('note_id', concat('note-', add(len(" + notes + "), 1)), 'content', str(" + c.expr(n, "content") + "), 'tags', " + c.or(n, "tags", "object()") +
		", 'location', " + c.expr(n, "location") + ", 'sources', " + c.expr(n, "sources") + ", 'timestamp', date(now(), 'iso'))"
	return &flow.SetSpec{Vars: map[string]any{"memory_notes": insert(call("append", notes, note))}}
}

func noteID(_ *converter, _ *node, _, pin string) string {
	return "get(last(" + notes + "), " + quote(pin) + ")"
}

// recall gives the latest notes. They are not searched: what fits a question is for the model that reads them.
func recall(c *converter, n *node) flow.Spec {
	c.warnForgets(n)
	found := "slice(reverse(" + notes + "), 0, int(coalesce(" + c.or(n, "limit", "10") + ", 10)))"
	return &flow.ComputeSpec{Value: map[string]any{"results": insert(found), "rendered": insert("join(pluck(" + found + ", 'content'), '\\n')")}}
}

func assert(c *converter, n *node) flow.Spec {
	c.warnForgets(n)
	return &flow.SetSpec{Vars: map[string]any{"knowledge": insert(call("combine", graphOf, call("list", c.expr(n, "assertions"))))}}
}

func asserted(c *converter, n *node, _, pin string) string {
	switch pin {
	case "count":
		return call("len", call("list", c.expr(n, "assertions")))
	case "ok":
		return "true"
	case "assertion_ids":
		return "[]"
	}
	return "object()"
}

// query gives the assertions that have the subject, predicate and object that are asked for.
func query(c *converter, n *node) flow.Spec {
	c.warnForgets(n)
	found := graphOf
	for _, field := range []string{"subject", "predicate", "object"} {
		if of := found; n.has(field) {
			value := c.expr(n, field)
			found = c.hold(n, "by-"+field, func() any {
				return insert("default(" + value + ", '') == '' ? " + of + " : where(" + of + ", " + quote(field) + ", " + value + ")")
			})
		}
	}
	found = "list(" + found + ")"
	lines := "join(" + found + ", '\\n')"
	return &flow.ComputeSpec{Value: map[string]any{
		"items": insert(found), "count": insert("len(" + found + ")"), "ok": true, "packets": insert(found), "raw": map[string]any{"items": insert(found)},
		"active_memory_text": insert(lines), "packed_count": insert("len(" + found + ")"), "dropped": 0, "estimated_tokens": insert("floor(divide(len(" + lines + "), 4))"),
	}}
}
