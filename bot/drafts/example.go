package drafts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/tool"
)

// Example builds a description that can be typed, from the tools that exist.
func Example(tools []tool.Tool) string {
	var steps []string
	add := func(s string) { steps = append(steps, fmt.Sprintf("%d. %s", len(steps)+1, s)) }
	read, ok := exampleTool(tools, flow.EffectsRead)
	if ok {
		add(read.Words[0])
	}
	add("ask me to approve")
	if t, ok := exampleTool(tools, flow.EffectsOnce, flow.EffectsIdempotent); ok {
		add(t.Words[0] + withValues(read, t))
	}
	add("tell #general")
	return "example:\n" + strings.Join(steps, "\n")
}

// withValues names the values of an earlier tool that a later one can take, so that the values that people approve are the ones used.
func withValues(read, write tool.Tool) string {
	gives, _ := read.Result["properties"].(map[string]any)
	takes, _ := write.Params["properties"].(map[string]any)
	needs, _ := write.Params["required"].([]any)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(takes)) {
		if gives[name] != nil && !slices.Contains(needs, any(name)) {
			names = append(names, "the "+strings.ReplaceAll(name, "_", " "))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " with " + strings.Join(names, " and ")
}

// builtIn tells the tools that every installation has from those that an actions file declares.
func builtIn(t tool.Tool) bool {
	return strings.HasPrefix(t.Name, "slack.") || strings.HasPrefix(t.Name, "http.")
}

func exampleTool(tools []tool.Tool, effects ...flow.Effects) (tool.Tool, bool) {
	for _, t := range tools {
		if len(t.Words) > 0 && slices.Contains(effects, t.Effects) && !builtIn(t) {
			return t, true
		}
	}
	return tool.Tool{}, false
}
