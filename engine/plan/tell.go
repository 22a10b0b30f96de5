package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// addressedTo reads a step that asks for the messaging tool in other words than "tell": the first name is the address, what
// stands behind it the text.
func addressedTo(text string, words []word) *telling {
	i := slices.IndexFunc(words, func(w word) bool { return w.kind == nameWord })
	if i < 0 {
		return nil
	}
	t := &telling{to: []string{words[i].text}}
	rest := words[i+1:]
	if len(rest) > 0 && (rest[0].low == "that" || rest[0].low == ":" || rest[0].low == "about") {
		rest = rest[1:]
	}
	if q := slices.IndexFunc(words[:i], func(w word) bool { return w.kind == quotedWord }); q >= 0 && len(rest) == 0 {
		rest = words[q : q+1]
	}
	t.text = unquoted(text, rest)
	return t
}

// tell adds a message to each of the addresses: with the catalogue's messaging tool, else in the run's own thread.
func (b *builder) tell(s *statement, in []exit, k known) []exit {
	messenger := b.cat.messenger()
	text := b.defaultText(k)
	if s.tell.text != "" {
		text = b.words(s.tell.text, s.line, k)
	}
	for _, name := range s.tell.to {
		if messenger == nil {
			b.note(Note{Line: s.line, Code: "no_messages", Text: fmt.Sprintf("Step %d: no tool writes to %s, so the message goes into the run's thread.", s.line, name)})
			in = b.say(s.line, shortName("tell "+name), "tell "+name, text, in)
			continue
		}
		to := b.address(name, s.line)
		spec := &flow.ToolSpec{Tool: messenger.tool.Name, Params: map[string]any{messenger.message.to: to, messenger.message.text: text}}
		who := to
		if strings.HasPrefix(to, "{{") {
			who = "the " + strings.ToLower(name)
		}
		n := b.add(s.line, "tell "+strings.TrimPrefix(who, "the "), flow.Node{Name: shorten("Tell "+who, nameLength+4), FlowchartType: flow.TypeIO, Spec: spec, Routes: []flow.Route{{}}}, in)
		in = b.exits(n, 0)
		b.secrets(messenger, s.line)
	}
	return in
}

// address finds out where a message goes.
func (b *builder) address(name string, line int) string {
	exists := func(n string) bool { return b.opt.Exists == nil || b.opt.Exists(n) }
	switch low := strings.ToLower(name); {
	case low == "requester" || low == "them" || low == "us":
		if low == "us" && b.opt.Channel != "" {
			return b.opt.Channel
		}
		return "{{run.started_by}}"
	case b.kind(name) == "group":
		b.note(Note{Line: line, Code: "unknown_address", Blocks: true, Text: fmt.Sprintf("Step %d: %s is a group, and a message goes to a channel or a person.", line, name)})
		return name
	case strings.HasPrefix(name, "@") || strings.HasPrefix(name, "#"):
		if exists(name) {
			return name
		}
	case low == "me":
		b.note(Note{Line: line, Code: "unknown_address", Blocks: true, Text: fmt.Sprintf("Step %d: I do not know who %s is. Write a name with @.", line, quote(name))})
		return "@me"
	default:
		for _, sigil := range []string{"@", "#"} {
			if exists(sigil + name) {
				return sigil + name
			}
		}
		name = "@" + name
	}
	b.note(Note{Line: line, Code: "unknown_address", Blocks: true, Text: fmt.Sprintf("Step %d: nobody and nothing here is called %s, so the message could not be sent.", line, name)})
	return escape(name)
}

const maxTold = 8 // values of a result that a message lists by name

// defaultText is the run's title and the last result.
func (b *builder) defaultText(k known) string {
	s, ok := k.last()
	if !ok {
		return "{{run.title}} is done."
	}
	var parts []string
	for _, f := range s.fields {
		if len(f.path) > 1 || f.typ == "object" || f.typ == "array" {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s {{%s}}", escape(strings.Join(f.names(), " ")), dotted(s.root, f.path)))
	}
	if len(parts) == 0 || len(parts) > maxTold {
		return fmt.Sprintf("{{run.title}}: {{%s | json}}", s.root)
	}
	return "{{run.title}}: " + strings.Join(parts, ", ")
}

var braces = regexp.MustCompile(`\{\{?\s*([\p{L}\p{N}_][\p{L}\p{N}_. -]*?)\s*\}\}?`)

// words writes people's words into a template: {name} becomes the value of that name, everything else stays as it is.
func (b *builder) words(text string, line int, k known) string {
	var out strings.Builder
	at := 0
	for _, m := range braces.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		out.WriteString(escape(text[at:m[0]]))
		at = m[1]
		ref, ok := k.named(nameStems(name))
		if !ok {
			b.note(Note{Line: line, Code: "not_understood", Text: fmt.Sprintf("Step %d: no earlier step gives %s, so it stays in the message as it is.", line, quote(name))})
			out.WriteString(escape(text[m[0]:m[1]]))
			continue
		}
		out.WriteString("{{" + ref.path + "}}")
	}
	out.WriteString(escape(text[at:]))
	return out.String()
}
