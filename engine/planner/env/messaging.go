package env

import (
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/tool"
)

// Messaging is the tool behind "tell": which of its parameters are the address and the text.
type Messaging struct{ Tool, To, Text string }

// MessagingOf recognises a tool that sends messages by its shape: one of its words is "tell", it is no read, it needs exactly two texts,
// and the description of one of them shows how people and channels are written.
func MessagingOf(t tool.Tool) *Messaging {
	tells := slices.ContainsFunc(t.Words, func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), "tell") })
	needed := jsonschema.Required(t.Params)
	if !tells || t.Effects == flow.EffectsRead || len(needed) != 2 {
		return nil
	}
	var to, text []string
	for _, name := range needed {
		p := jsonschema.Property(t.Params, name)
		about, _ := p["description"].(string)
		switch typ, _ := p["type"].(string); {
		case typ != "string":
			return nil
		case strings.ContainsAny(about, "#@"):
			to = append(to, name)
		default:
			text = append(text, name)
		}
	}
	if len(to) != 1 {
		return nil
	}
	return &Messaging{Tool: t.Name, To: to[0], Text: text[0]}
}
