package flow

import (
	"fmt"
	"strings"

	"sluice/engine/flow/lookalike"
)

// scripts refuses ids that mix scripts, and ids that look like another id of the same kind.
func (v *validator) scripts() {
	v.oneScript(at{path: "name"}, "name", v.f.Name)
	for i, part := range literals(v.f.Run.Key) {
		if i == 0 || part != "" {
			v.oneScript(at{path: "run.key", on: " in run"}, "key", part)
		}
	}
	seen := map[string]map[string]string{}
	id := func(a at, sort, text string) {
		if !v.oneScript(a, sort, text) {
			return
		}
		if seen[sort] == nil {
			seen[sort] = map[string]string{}
		}
		s := lookalike.Skeleton(text)
		if other, taken := seen[sort][s]; taken && !strings.EqualFold(other, text) {
			v.error(a, "mixed-scripts", fmt.Sprintf("%s '%s' looks like '%s', and is another one%s", sort, text, other, a.on), "choose names that people can tell apart")
		}
		seen[sort][s] = text
	}
	for i := range v.f.Inputs {
		id(at{path: "inputs." + v.f.Inputs[i].Name}, "input", v.f.Inputs[i].Name)
	}
	for i, t := range v.f.Triggers {
		if t.Webhook != nil {
			id(at{path: fmt.Sprintf("triggers[%d].webhook.path", i)}, "webhook", t.Webhook.Path)
		}
	}
	for i := range v.f.Agents {
		a := at{path: fmt.Sprintf("agents[%d]", i), on: fmt.Sprintf(" on agent '%s'", v.f.Agents[i].ID)}
		id(a.in("id"), "agent id", v.f.Agents[i].ID)
		for j, name := range v.f.Agents[i].Tools {
			v.oneScript(a.item("tools", j), "tool", name)
		}
	}
	for i := range v.f.Nodes {
		n := &v.f.Nodes[i]
		a := at{path: fmt.Sprintf("flow.nodes[%d]", i), on: fmt.Sprintf(" on flow node '%s'", n.ID)}
		id(a.in("id"), "node id", n.ID)
		switch s := n.Spec.(type) {
		case *ToolSpec:
			v.oneScript(a.in("tool"), "tool", s.Tool)
		case *SubflowSpec:
			v.oneScript(a.in("flow"), "flow", s.Flow)
		}
	}
}

// oneScript reports a problem for an id that mixes scripts, and returns true for any other id.
func (v *validator) oneScript(a at, sort, text string) bool {
	odd := lookalike.OddCharacter(text)
	if odd != "" {
		v.error(a, "mixed-scripts", fmt.Sprintf("%s '%s' mixes scripts: %s%s", sort, text, odd, a.on), "type the name again in one script")
	}
	return odd == ""
}

// literals are the parts of a template outside its expressions.
func literals(template string) []string {
	return templateForm.Split(template, -1)
}
