package readback

import (
	"cmp"
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
	joins := map[string]string{} // chart node -> when the steps behind branches begin
	for i := range f.Nodes {
		if s, ok := f.Nodes[i].Spec.(*flow.ParallelSpec); ok {
			joins[chart.JoinNode(f.Nodes[i].ID)] = joinWords(s.Join)
		}
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if node := f.Node(n.ID); node != nil {
			n.Description = described(*node, n.Description)
		}
		n.Description = cmp.Or(n.Description, joins[n.ID])
		if n.Open {
			n.Name = strings.TrimSuffix(n.Name, idiom.Unsure)
			n.Description = strings.TrimSuffix(n.Description, idiom.Unanswered)
			if node := f.Node(n.ID); node != nil && n.Type == flow.TypeIO && node.Question() == nil { // a question to people has this type, too
				n.Description = cmp.Or(n.Description, "sends a message")
			}
		}
	}
	return c.OneStub()
}

// described says what a node does when its description is only its name in full, or nothing but its type or its tool.
func described(n flow.Node, description string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(n.Name, idiom.Unsure), "…")
	if name != "" && len(n.Description) >= len(name) && strings.EqualFold(n.Description[:len(name)], name) {
		n.Description = ""
		description = n.Describe()
	}
	switch s := n.Spec.(type) {
	case *flow.ToolSpec:
		if description == s.Tool {
			return toolWords(s.Tool)
		}
	case *flow.ParallelSpec:
		return cmp.Or(description, fmt.Sprintf("%d at once", len(s.Branches)))
	}
	return description
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
