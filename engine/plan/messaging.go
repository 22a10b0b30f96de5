package plan

import (
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/tool"
)

// messaging says which parameters of a tool are the address and the text of a message.
type messaging struct{ to, text string }

// messagingOf recognises the tool behind "tell" without knowing its name: one of its words is "tell", it is no read, it needs
// exactly two texts, and the description of one of them shows how people and channels are written.
func messagingOf(t tool.Tool) *messaging {
	tells := slices.ContainsFunc(t.Words, func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), "tell") })
	if !tells || t.Effects == flow.EffectsRead {
		return nil
	}
	var needed []param
	for _, p := range paramsOf(t.Params) {
		if p.required {
			needed = append(needed, p)
		}
	}
	if len(needed) != 2 || needed[0].typ != "string" || needed[1].typ != "string" {
		return nil
	}
	switch first, second := needed[0].addressed(), needed[1].addressed(); {
	case first && !second:
		return &messaging{to: needed[0].name, text: needed[1].name}
	case second && !first:
		return &messaging{to: needed[1].name, text: needed[0].name}
	}
	return nil
}

// addressed reports whether a parameter takes people or channels.
func (p param) addressed() bool { return strings.ContainsAny(p.description, "#@") }
