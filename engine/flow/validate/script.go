package validate

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/lookalike"
)

// scripts refuses ids that mix scripts, and ids that look like another id of the same kind.
func scripts(v *flow.Checker) {
	oneScript(v, flow.At{Path: "name"}, "name", v.Flow.Name)
	for i, part := range flow.Literals(v.Flow.Run.Key) {
		if i == 0 || part != "" {
			oneScript(v, flow.At{Path: "run.key", On: " in run"}, "key", part)
		}
	}
	seen := map[string]map[string]string{}
	id := func(a flow.At, sort, text string) {
		if !oneScript(v, a, sort, text) {
			return
		}
		if seen[sort] == nil {
			seen[sort] = map[string]string{}
		}
		s := lookalike.Skeleton(text)
		if other, taken := seen[sort][s]; taken && !strings.EqualFold(other, text) {
			v.Error(a, "mixed-scripts", fmt.Sprintf("%s '%s' looks like '%s', and is another one%s", sort, text, other, a.On), "choose names that people can tell apart")
		}
		seen[sort][s] = text
	}
	for i := range v.Flow.Inputs {
		id(flow.At{Path: "inputs." + v.Flow.Inputs[i].Name}, "input", v.Flow.Inputs[i].Name)
	}
	for i, t := range v.Flow.Triggers {
		if t.Webhook != nil {
			id(flow.At{Path: fmt.Sprintf("triggers[%d].webhook.path", i)}, "webhook", t.Webhook.Path)
		}
	}
	for i := range v.Flow.Agents {
		a := flow.At{Path: fmt.Sprintf("agents[%d]", i), On: fmt.Sprintf(" on agent '%s'", v.Flow.Agents[i].ID)}
		id(a.In("id"), "agent id", v.Flow.Agents[i].ID)
		for j, name := range v.Flow.Agents[i].Tools {
			oneScript(v, a.Item("tools", j), "tool", name)
		}
	}
	for i := range v.Flow.Nodes {
		n := &v.Flow.Nodes[i]
		a := flow.At{Path: fmt.Sprintf("flow.nodes[%d]", i), On: fmt.Sprintf(" on flow node '%s'", n.ID)}
		id(a.In("id"), "node id", n.ID)
		switch s := n.Spec.(type) {
		case *flow.ToolSpec:
			oneScript(v, a.In("tool"), "tool", s.Tool)
		case *flow.SubflowSpec:
			oneScript(v, a.In("flow"), "flow", s.Flow)
		}
	}
}

// oneScript reports a problem for an id that mixes scripts, and returns true for any other id.
func oneScript(v *flow.Checker, a flow.At, sort, text string) bool {
	odd := lookalike.OddCharacter(text)
	if odd != "" {
		v.Error(a, "mixed-scripts", fmt.Sprintf("%s '%s' mixes scripts: %s%s", sort, text, odd, a.On), "type the name again in one script")
	}
	return odd == ""
}
