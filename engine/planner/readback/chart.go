package readback

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
)

// Chart is the chart of a flow for people: with the numbers of its steps by node id, with the nodes marked that need an answer, and
// without the ids of tools, which Details has.
func Chart(f *flow.Flow, numbers map[string]string, open ...string) chart.Chart {
	c := chart.Of(f).Numbered(numbers).WithOpen(open...)
	made := map[string]string{}  // chart node -> what it does, of one that would say nothing but its type
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
		switch s := f.Nodes[i].Spec.(type) {
		case *flow.ToolSpec:
			for _, id := range c.Map[f.Nodes[i].ID] {
				tools[id], made[id] = s.Tool, toolWords(s.Tool)
			}
		case *flow.ParallelSpec:
			made[f.Nodes[i].ID], made[chart.JoinNode(f.Nodes[i].ID)] = fmt.Sprintf("%d at once", len(s.Branches)), joinWords(s.Join)
		}
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if does, ok := twice[n.ID]; ok {
			n.Description = does
		}
		if n.Description == tools[n.ID] {
			n.Description = made[n.ID]
		}
		if n.Open {
			n.Name = strings.TrimSuffix(n.Name, idiom.Unsure)
			n.Description = strings.TrimSuffix(n.Description, idiom.Unanswered)
		}
	}
	return c
}

// toolWords says what a step does with a tool whose name people need not know.
func toolWords(name string) string {
	if name == flow.PostMessage {
		return "sends a message"
	}
	module, _, _ := strings.Cut(name, ".")
	return "with " + english.SentenceCase(strings.ReplaceAll(module, "_", " "))
}

// joinWords says when the steps behind branches begin.
func joinWords(j flow.Join) string {
	switch j.Type {
	case "any":
		return "when one is done"
	case "count":
		return fmt.Sprintf("when %d are done", j.Count)
	}
	return "when all are done"
}
