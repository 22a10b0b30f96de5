package lower

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// source is a result that every way to a place of the flow has: the nearest one comes last.
type source struct {
	step string
	root string // how expressions read it
	name string // that the words give it
	show bool   // deciders can be shown it
	// fields are the names of its plain values, in order; nil = not known.
	fields []string
}

// called is the name under which an agent is given it.
func (s source) called() string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(s.root, "approvals."), ".result"), ".", "_")
}

// known lists the sources of a place.
type known []source

// with adds a source without changing the lists of other branches.
func (k known) with(s source) known { return append(slices.Clip(k), s) }

// dotted adds a dotted field to a path of an expression.
func dotted(root, field string) string {
	for part := range strings.SplitSeq(field, ".") {
		switch {
		case part == "":
		case flow.IsIdentifier(part):
			root += "." + part
		default:
			root += "[" + idiom.Literal(part) + "]"
		}
	}
	return root
}

// constant writes a literal of the words into an expression.
func constant(v any) string {
	switch v := v.(type) {
	case string:
		return idiom.Literal(v)
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = constant(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return expr.Text(v)
}

// path gives the path by which expressions read a value of the run; false when no step gives it.
func (b *values) path(r tree.Ref) (string, bool) {
	switch {
	case r.Input != "":
		return dotted("inputs", idiom.InputName(r.Input)+"."+r.Field), true
	case r.Event == "text":
		return dotted("event.payload", "message."+r.Field), true
	case r.Event != "":
		return dotted("event.payload", r.Event+"."+r.Field), true
	case r.Item != "":
		if name := b.items[r.Item]; name != "" {
			return dotted(name, r.Field), true
		}
	case r.Step != "":
		return b.result(r.Step, r.Field)
	}
	return "null", false
}

// result gives the path by which expressions read the result of a step, or of the last step that made it anew.
func (b *values) result(step, field string) (string, bool) {
	path, ok := b.made(step, field)
	if ok && b.remade(b.steps[step]) {
		path = dotted("vars."+b.variable(b.steps[step]), field)
	}
	return path, ok
}

// remade reports whether several steps do something whose result has the name of this one's: a text is written, and rewritten; a form is filled in, and corrected.
func (b *values) remade(s *tree.Step) bool {
	makes := func(s *tree.Step) bool {
		return s.Result != "" && (s.Kind == tree.Agent || s.Doer == tree.DoerTool || s.Kind == tree.Ask && len(s.Fields) > 0)
	}
	for id, other := range b.steps {
		if makes(s) && id != s.ID && makes(other) && b.variable(other) == b.variable(s) {
			return true
		}
	}
	return false
}

// made gives the path by which expressions read what one step gives.
func (b *values) made(step, field string) (string, bool) {
	s, id := b.steps[step], b.ids[step]
	if s == nil || b.has != nil && len(b.has[step]) == 0 {
		return "null", false
	}
	switch b.becomes(s) {
	case "":
		return "null", false
	case flow.KindApproval, flow.KindAsk:
		switch {
		case field == "" && b.text(s):
			return id + ".output", true
		case field == "choice":
			field = ""
		case field == "" && s.Kind == tree.Do:
			field = "note"
		}
		return dotted("approvals."+id, field), true
	case flow.KindSet:
		return dotted("vars."+b.variable(s), field), true
	case flow.KindAgent:
		if field == "" {
			return id + ".output", true
		}
	}
	return dotted(id+".result", field), true
}

// text reports whether people answer a step with a text alone. What they choose is then nothing but that they have answered.
func (b *values) text(s *tree.Step) bool {
	return b.becomes(s) == flow.KindAsk && len(s.Fields) == 0
}

// choice gives the path by which expressions read the answer of a step that asks people.
func (b *values) choice(step string) string { return "approvals." + b.ids[step] }

// asked gives the step that asks people to choose, when a value is its answer.
func (b *values) asked(v tree.Value) *tree.Step {
	s := b.steps[v.Ref.Step]
	if s == nil || v.Ref.Field != "" && v.Ref.Field != "choice" || b.becomes(s) != flow.KindApproval {
		return nil
	}
	return s
}

// expression writes a value as an expression.
func (b *values) expression(v tree.Value) string {
	if v.Literal != nil {
		return constant(v.Literal)
	}
	path, ok := b.path(v.Ref)
	if !ok {
		b.note("missing_value", "Nothing that comes before gives "+english.Quoted(v.Words)+".")
	}
	return path
}

// parameter writes a value as it stands in the parameters of a tool.
func (b *values) parameter(v tree.Value, k known) any {
	if v.Literal != nil {
		return b.inserted(v.Literal, k)
	}
	return "{{" + b.expression(v) + "}}"
}

// inserted writes a literal, whose texts may name values in brackets.
func (b *values) inserted(v any, k known) any {
	switch v := v.(type) {
	case string:
		return b.words(v, k)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = b.inserted(e, k)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = b.inserted(e, k)
		}
		return out
	}
	return v
}

// placeholder is a value that is named inside a text: {name}, {{name}} or <name>.
var placeholder = regexp.MustCompile(`\{\{?\s*([\p{L}_][\p{L}\p{N}_. -]*?)\s*\}\}?|<([\p{L}_][\p{L}\p{N}_. -]*)>`)

// words writes people's words into a template: {name} becomes the value of that name when there is one, everything else stays as it is.
func (b *values) words(text string, k known) string {
	var out strings.Builder
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		path, ok := b.named(text[from:to], k)
		if !ok {
			continue
		}
		out.WriteString(escapeBefore(text[at:m[0]]))
		out.WriteString("{{" + path + "}}")
		at = m[1]
	}
	out.WriteString(escape(text[at:]))
	return out.String()
}

// named finds the value that a name means: an input, an item, a result, or a field of a result.
func (b *values) named(name string, k known) (string, bool) {
	first, rest, _ := strings.Cut(name, ".")
	low := english.Snake(first)
	for _, in := range b.t.Inputs {
		if english.Snake(in.Name) == low {
			return dotted("inputs", idiom.InputName(in.Name)+"."+rest), true
		}
	}
	for _, item := range slices.Backward(b.inside) {
		if item == low {
			return dotted(item, rest), true
		}
	}
	for _, s := range slices.Backward(k) {
		if s.name != "" && english.Snake(s.name) == low {
			return dotted(s.root, rest), true
		}
		if i := slices.IndexFunc(s.fields, func(f string) bool { return english.Snake(f) == low }); i >= 0 && rest == "" {
			return dotted(s.root, s.fields[i]), true
		}
	}
	return "", false
}

// escape writes people's words into a template as they are.
func escape(s string) string { return strings.ReplaceAll(s, "{{", `{{ "{{" }}`) }

// escapeBefore is escape for words that a value follows.
func escapeBefore(s string) string {
	if body, cut := strings.CutSuffix(s, "{"); cut && !strings.HasSuffix(escape(s), "}}") {
		return escape(body) + `{{ "{" }}`
	}
	return escape(s)
}

// plainFields names the plain values of a result's schema.
func plainFields(schema map[string]any) []string {
	var out []string
	for _, name := range jsonschema.Names(schema) {
		if t, _ := jsonschema.Property(schema, name)["type"].(string); t != "object" && t != "array" {
			out = append(out, name)
		}
	}
	return out
}
