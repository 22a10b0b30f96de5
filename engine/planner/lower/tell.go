package lower

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// tell adds a message to each of the addresses: with the tool that sends messages, or in the run's own thread.
func (b *lowering) tell(s *tree.Step, in exits, k known) exits {
	text := b.said(s, k)
	if text == "" {
		text = b.defaultText(k)
	}
	to := s.To
	if len(to) == 0 {
		to = []tree.Name{{Is: tree.NameThread}}
	}
	for i, name := range to {
		id := b.ids[s.ID]
		if i > 0 {
			id = b.unique(english.ID("tell " + cmp.Or(name.Is, name.Words)))
		}
		in = b.then(id, b.message(name, text), in)
	}
	return in
}

// said is the text of a step with its values inside.
func (b *values) said(s *tree.Step, k known) string {
	if len(s.Parts) == 0 {
		return b.words(strings.TrimSpace(s.Text), k)
	}
	var out strings.Builder
	for _, v := range s.Parts {
		path, ok := b.path(v.Ref)
		if ok && len(s.Parts) == 1 && b.typeOf(v.Ref) != "array" { // a template alone would keep the type of its value
			out.WriteString(listed(path, k))
		} else if ok {
			out.WriteString(b.written(path, v.Ref, k))
		} else if text, is := v.Literal.(string); is {
			out.WriteString(escapeBefore(text))
		} else {
			out.WriteString(escapeBefore(v.Words))
		}
	}
	return strings.TrimSpace(out.String())
}

// message is the node that tells one address a text.
func (b *lowering) message(name tree.Name, text string) flow.Node {
	address, who := b.address(name)
	n := flow.Node{Name: english.Shorten("Tell "+who, english.NameLength)}
	if address != "" && b.messenger == nil {
		b.note("no_messages", fmt.Sprintf("No tool writes to %s, so the message goes into the run's thread.", who))
	}
	if address == "" || b.messenger == nil {
		n.Spec = &flow.SaySpec{Message: text}
		return n
	}
	n.FlowchartType = flow.TypeIO
	n.Spec = &flow.ToolSpec{Tool: b.messenger.Tool, Params: map[string]any{b.messenger.To: address, b.messenger.Text: text}}
	return n
}

// address gives the address of a message and its name; "" = the run's thread.
func (b *values) address(n tree.Name) (address, who string) {
	switch {
	case n.Is == tree.NameRequester && n.DM:
		return "{{run.started_by}}", "the requester"
	case n.Is == tree.NameRequester:
		return "", "the requester"
	case n.Is == tree.NameThread:
		return "", "the thread"
	case n.Is != "":
		return escape(n.Is), n.Is
	}
	if path, ok := b.path(n.Ref); ok {
		return "{{" + path + "}}", english.Plain(cmp.Or(n.Words, "them"))
	}
	return "", english.Plain(cmp.Or(n.Words, "the thread"))
}

const maxTold = 8 // values of a result that a message lists by name

// defaultText is the run's title and what has become of the step before: what people answered, what it gave, or why it failed.
func (b *lowering) defaultText(k known) string {
	var last source
	if len(k) > 0 {
		last = k[len(k)-1]
	}
	values := listed(last.root, k)
	switch s := b.t.Step(last.step); {
	case b.failed != "":
		return fmt.Sprintf("{{run.title}}: %s failed: {{error.message}}", english.Quoted(escape(b.failed)))
	case b.late != "":
		return fmt.Sprintf("{{run.title}}: nobody answered in time: %s.", english.Quoted(b.late))
	case b.because != "" && !last.few():
		return fmt.Sprintf("{{run.title}}: %s.", escape(b.because))
	case b.because != "":
		return fmt.Sprintf("{{run.title}}: %s. %s", escape(b.because), english.SentenceCase(values))
	case s == nil:
		return "{{run.title}} is done."
	case (b.asks(s) || s.Kind == tree.Ask) && len(last.fields) == 0:
		about, note := trimmed(b.said(s, k)), ""
		if about != "" {
			about = english.Quoted(about) + ": "
		}
		if b.asks(s) {
			note = " {{" + last.root + ".note}}"
		}
		return fmt.Sprintf("{{run.title}}: %s{{%s}}.%s", about, last.root, note)
	case !last.few():
		return fmt.Sprintf("{{run.title}}: {{%s | json}}", last.root)
	}
	return "{{run.title}}: " + values
}

// trimmed is a text without the signs at its end; "" = it says of nothing that it is done, too: "@ana approves as well".
func trimmed(text string) string {
	text = strings.TrimRight(strings.TrimSpace(text), "?.! ")
	if besides.MatchString(text) {
		return ""
	}
	return text
}

var besides = regexp.MustCompile(`(?i)^(?:(?:it|this|that|them) )?(?:as well|too|also)$`)

// few reports whether a result is known to be a few plain values.
func (s source) few() bool { return len(s.fields) > 0 && len(s.fields) <= maxTold }

// listed writes a value as a text: a result with a few plain values lists them by name.
func listed(path string, k known) string {
	i := slices.IndexFunc(k, func(s source) bool { return s.root == path })
	if i < 0 || !k[i].few() {
		return "{{str(" + path + ")}}"
	}
	parts := make([]string, len(k[i].fields))
	for n, f := range k[i].fields {
		parts[n] = fmt.Sprintf("%s {{%s}}", escape(strings.ReplaceAll(f, "_", " ")), dotted(path, f))
	}
	return strings.Join(parts, ", ")
}

// written is a template that gives a value as a text: a list line by line, a result by the names of its values.
func (b *values) written(path string, r tree.Ref, k known) string {
	if s := b.steps[r.Step]; s != nil && s.Kind == tree.Each { // of each item there may be anything
		return "{{" + path + " | json}}"
	}
	switch b.typeOf(r) {
	case "array":
		return "{{" + path + ` | join('\n')}}`
	case "object":
		return listed(path, k)
	case "number", "integer", "boolean":
		return "{{str(" + path + ")}}"
	}
	return "{{" + path + "}}"
}

// typeOf is the type of a value; "" = it is not known.
func (b *values) typeOf(r tree.Ref) string {
	in, s := b.t.Input(r.Input), b.steps[r.Step]
	switch {
	case in != nil && r.Field == "":
		return in.Type
	case s == nil:
		return ""
	case b.becomes(s) != flow.KindTool:
		for _, f := range s.Fields {
			if fieldName(f.Name) == fieldName(r.Field) {
				return f.Type
			}
		}
		return ""
	}
	schema := b.tools[s.Tool].Result
	for part := range strings.FieldsFuncSeq(r.Field, func(sep rune) bool { return sep == '.' }) {
		schema = jsonschema.Property(schema, part)
	}
	kind, _ := schema["type"].(string)
	return kind
}

// namesOf gives names as people write them.
func namesOf(names []tree.Name) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = cmp.Or(n.Is, n.Words)
	}
	return out
}
