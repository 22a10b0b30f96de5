package readback

import (
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/planner/idiom"
)

// Chart is the chart of a flow for people: with the numbers of its steps by node id, with the nodes marked that need an answer, and
// without the ids of tools, which Details has.
func Chart(f *flow.Flow, numbers map[string]string, open ...string) chart.Chart {
	c := chart.Of(f).Numbered(numbers).WithOpen(open...)
	tools := map[string]string{} // chart node -> the tool of its step
	twice := map[string]string{} // chart node -> what its step does, where its description only says its name in full
	for i := range f.Nodes {
		node := f.Nodes[i]
		if name := strings.TrimSuffix(strings.TrimSuffix(node.Name, idiom.Unsure), "…"); name != "" && len(node.Description) >= len(name) && strings.EqualFold(node.Description[:len(name)], name) {
			node.Description = ""
			for _, id := range c.Map[node.ID] {
				twice[id] = node.Describe()
			}
		}
		if s, ok := f.Nodes[i].Spec.(*flow.ToolSpec); ok {
			for _, id := range c.Map[f.Nodes[i].ID] {
				tools[id] = s.Tool
			}
		}
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if does, ok := twice[n.ID]; ok {
			n.Description = does
		}
		if n.Description == tools[n.ID] {
			n.Description = ""
		}
		if n.Open {
			n.Name = strings.TrimSuffix(n.Name, idiom.Unsure)
			n.Description = strings.TrimSuffix(n.Description, idiom.Unanswered)
		}
	}
	return c
}
