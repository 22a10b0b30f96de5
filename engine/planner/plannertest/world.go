package plannertest

import (
	"errors"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/planner/env"
	"sluice/engine/tool"
)

// Checks are those of a flow that is saved, without a catalogue.
func Checks() flow.Checks {
	problem := func(err error) (int, string, string, bool) {
		if se, is := errors.AsType[*expr.SyntaxError](err); is {
			return se.Offset, se.Message, se.Hint, false
		}
		return 0, "", "", err == nil
	}
	return flow.Checks{
		Literal: func(when string) bool { _, ok := expr.Literal(when); return ok },
		Expression: func(src string, ids []string) (int, string, string, bool) {
			_, err := expr.Compile(src, ids)
			return problem(err)
		},
		Template: func(src string, ids []string) (int, string, string, bool) {
			_, err := expr.ParseTemplate(src, ids)
			return problem(err)
		},
	}
}

// Shop has a messenger and a shop.
func Shop() env.World {
	return env.World{Tools: []tool.Tool{
		tool.PostMessage(nil),
		{Name: "shop.get", Effects: flow.EffectsRead, Result: map[string]any{"type": "object", "properties": map[string]any{"amount": map[string]any{"type": "number"}}}},
		{Name: "shop.pay", Effects: flow.EffectsOnce},
	}}
}

// World is the one of @ann in #team, with these tools and messages.
func World(tools ...tool.Tool) env.World {
	return env.World{Tools: append(slices.Clip(tools), tool.PostMessage(nil)), Author: "@ann", Channel: "#team"}
}
