package visualflow

import "maps"

import "sluice/engine/flow"

// Notes, assertions and spans of a conversation are kept in variables. What is noted for more than a run is in variables with names that later
// runs of the flow read (flow.Remembered); the rest is gone with its run.
const (
	notesKept  = flow.NotesPrefix + "notes"
	notesOfRun = "notes_of_run"
	graphKept  = flow.NotesPrefix + "knowledge"
	graphOfRun = "knowledge_of_run"
	spans      = "coalesce(vars.spans, object())"
)

// lasts reports whether a node is about more than its run: its scope says so, or is only known when it is read.
func (c *converter) lasts(n *node) bool {
	if !n.has("scope") {
		c.warnForgets(n)
		return false
	}
	scope, fixed := n.fixed("scope")
	if text, isText := scope.(string); fixed && (!isText || text == "" || text == "run") {
		c.warnForgets(n)
		return false
	}
	c.flow.Rules.Remembers = true
	return true
}

// warnForgets warns that what a node keeps is gone with the run.
func (c *converter) warnForgets(n *node) {
	c.warn(n, "short-memory", "what is noted or asserted is kept until the run ends, and not for other runs", "a scope other than run keeps it")
}

// known gives the list of all that a node may read: of its run, and of earlier ones where its scope is wider.
func (c *converter) known(n *node, kept, ofRun string) string {
	own := "list(vars." + kept + "), list(vars." + ofRun + ")"
	if !c.lasts(n) {
		return call("combine", own)
	}
	return call("combine", "list(get(vars."+flow.Remembered+", "+quote(kept)+"))", own)
}

// keeper is the variable in which a node keeps something.
func (c *converter) keeper(n *node, kept, ofRun string) string {
	if c.lasts(n) {
		return kept
	}
	return ofRun
}

func noteDown(c *converter, n *node) flow.Spec {
	in, prefix := notesOfRun, "'note-'"
	if c.lasts(n) { // no other run has a note of this id
		in, prefix = notesKept, "'note-', run.name, '-'"
	}
	notes := "list(vars." + in + ")"
	id := "concat(" + prefix + ", add(len(list(vars." + notesKept + ")), len(list(vars." + notesOfRun + ")), 1))"
	note := "object('note_id', " + id + ", 'span_id', " + id + ", 'content', str(" + c.expr(n, "content") + "), 'tags', " + c.or(n, "tags", "object()") +
		", 'location', " + c.expr(n, "location") + ", 'sources', " + c.expr(n, "sources") + ", 'timestamp', date(now(), 'iso')" +
		", 'messages', list(object('role', 'system', 'content', str(" + c.expr(n, "content") + "))))"
	return &flow.SetSpec{Vars: map[string]any{in: insert(call("append", notes, note))}}
}

func noteID(c *converter, n *node, _, pin string) string {
	return "get(last(list(vars." + c.keeper(n, notesKept, notesOfRun) + ")), " + quote(pin) + ")"
}

// recall gives the latest notes. They are not searched: what fits a question is for the model that reads them.
func recall(c *converter, n *node) flow.Spec {
	found := "slice(reverse(" + c.known(n, notesKept, notesOfRun) + "), 0, int(coalesce(" + c.or(n, "limit", "10") + ", 10)))"
	return &flow.ComputeSpec{Value: map[string]any{"results": insert(found), "rendered": insert("join(pluck(" + found + ", 'content'), '\\n')")}}
}

func assert(c *converter, n *node) flow.Spec {
	in := c.keeper(n, graphKept, graphOfRun)
	return &flow.SetSpec{Vars: map[string]any{in: insert(call("combine", "list(vars."+in+")", call("list", c.expr(n, "assertions"))))}}
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
	found := c.known(n, graphKept, graphOfRun)
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

// resolve gives the assertions that are about something of a name: as their subject, or as the object that names it.
func resolve(c *converter, n *node) flow.Spec {
	all, label := c.known(n, graphKept, graphOfRun), c.expr(n, "label")
	found := c.hold(n, "candidates", func() any {
		return insert("unique(combine(where(" + all + ", 'subject', " + label + "), where(" + all + ", 'object', " + label + ")), 'subject')")
	})
	found = "slice(list(" + found + "), 0, int(coalesce(" + c.or(n, "max_candidates", "10") + ", 10)))"
	return &flow.ComputeSpec{Value: map[string]any{
		"candidates": insert(found), "count": insert("len(" + found + ")"), "ok": true, "raw": map[string]any{"items": insert(found)},
	}}
}

// messages are those of the run's conversation, and context sets them.
func (c *converter) messages() string {
	return "list(get(" + c.variable("'context'", "context") + ", 'messages'))"
}

func (c *converter) withMessages(messages string, more map[string]any) flow.Spec {
	changed := "set(coalesce(" + c.variable("'context'", "context") + ", object()), 'messages', " + messages + ")"
	spec := &flow.SetSpec{Vars: map[string]any{"context": insert(changed)}}
	if c.vars.shared {
		spec = c.put("'context'", changed).(*flow.SetSpec)
	}
	maps.Copy(spec.Vars, more)
	return spec
}

// compact takes the earlier messages of the conversation out of it, into a span. Nothing sums them up.
func compact(c *converter, n *node) flow.Spec {
	c.warn(n, "no-summary", "messages that are compacted leave the conversation, and no summary takes their place", "")
	cut := "max(0, subtract(len(" + c.messages() + "), int(coalesce(" + c.or(n, "preserve_recent", "6") + ", 6))))"
	id := "concat('span-', add(len(keys(" + spans + ")), 1))"
	span := "object('span_id', " + id + ", 'messages', slice(" + c.messages() + ", 0, " + cut + "), 'tags', object(), 'timestamp', date(now(), 'iso'))"
	return c.withMessages("slice("+c.messages()+", "+cut+")", map[string]any{
		"spans": insert("set(" + spans + ", " + id + ", " + span + ")"), "last_span": insert(id),
	})
}

func spanID(*converter, *node, string, string) string { return "vars.last_span" }

// tag sets the tags of a span.
func tag(c *converter, n *node) flow.Spec {
	id, tags := "str("+c.expr(n, "span_id")+")", "coalesce("+c.expr(n, "tags")+", object())"
	span := "get(" + spans + ", " + id + ")"
	changed := "set(" + span + ", 'tags', bool(" + c.or(n, "merge", "true") + ") ? merge(get(" + span + ", 'tags'), " + tags + ") : " + tags + ")"
	return &flow.SetSpec{Vars: map[string]any{"spans": insert(span + " == null ? " + spans + " : set(" + spans + ", " + id + ", " + changed + ")")}}
}

func tagged(c *converter, n *node, _, pin string) string {
	span := "get(" + spans + ", str(" + c.expr(n, "span_id") + "))"
	if pin == "success" {
		return span + " != null"
	}
	return "json(get(" + span + ", 'tags'))"
}

// rehydrate puts the messages of spans and notes into the conversation again.
func rehydrate(c *converter, n *node) flow.Spec {
	ids := "list(" + c.expr(n, "span_ids") + ")"
	all := "combine(values(" + spans + "), list(get(vars." + flow.Remembered + ", " + quote(notesKept) + ")), list(vars." + notesKept + "), list(vars." + notesOfRun + "))"
	found := "among(" + all + ", 'span_id', " + ids + ")"
	added := "slice(flatten(pluck(" + found + ", 'messages')), 0, int(coalesce(" + c.or(n, "max_messages", "80") + ", 80)))"
	order := added + ", " + c.messages()
	if at, _ := n.fixed("placement"); at == "end" {
		order = c.messages() + ", " + added
	}
	return c.withMessages(call("combine", order), map[string]any{
		"rehydrated": map[string]any{"inserted": insert("len(" + added + ")"), "skipped": insert("max(0, subtract(len(" + ids + "), len(" + found + ")))")},
	})
}

func rehydrated(_ *converter, _ *node, _, pin string) string {
	return "get(vars.rehydrated, " + quote(pin) + ")"
}
